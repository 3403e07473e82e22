"""Pictures, sound and video of a page as documents, from what the page says of them.

Nothing of them is fetched: their texts are alt, title, caption, file name and the heading above
them, what the page's metas say, and VideoObject and its like in linked data and microdata.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import msgspec
from resiliparse.parse.html import HTMLTree

from gossamer.core.page.document import Document
from gossamer.core.page.html_tree import select_all
from gossamer.core.page.values import Image, Link
from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gossamer.core.page.values import Value

MAX_MEDIA: Final = 100  # of a page
MAX_NODES: Final = 5_000  # that are looked at
MAX_TEXT: Final = 500  # characters of one text
MAX_SCRIPT: Final = 200_000  # characters of linked data in one script
MAX_SCRIPTS: Final = 20  # with linked data
SMALLEST: Final = 48  # pixels of a side; what says that it is smaller is an icon
IMAGE, AUDIO, VIDEO = "image", "audio", "video"
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_WANTED: Final = ",".join((*sorted(_HEADINGS), "img", "video", "audio"))
_OBJECTS: Final = {"ImageObject": IMAGE, "AudioObject": AUDIO, "VideoObject": VIDEO}
_has_words = re.compile(r"[^\W\d_]{3}").search
_between_words = re.compile(r"[\W_]+")


@dataclass(slots=True)
class Medium:
    """What a page says of one medium."""

    kind: str
    url: str
    name: str = ""
    caption: str = ""
    heading: str = ""
    date: str = ""


def media_documents(
    html: str, url: str, base: str, metas: Mapping[str, Sequence[str]], title: str, language: str
) -> list[Document]:
    """The media of a page that it has words for, each once, in the order of the page.

    Addresses in the page are relative to its `base`.
    """
    tree = HTMLTree.parse(html)
    found: dict[str, Medium] = {}
    shown, declared = _named(tree, base), (*_of_scripts(tree, base), *_of_items(html, base))
    for medium in (*shown, *_of_metas(metas, base), *declared):
        _merge(found, medium)
    spoken = (medium for medium in found.values() if medium.name or medium.caption)
    return [medium_document(m, url, title, language) for m in islice(spoken, MAX_MEDIA)]


def _merge(found: dict[str, Medium], medium: Medium) -> None:
    known = found.setdefault(medium.url, medium)
    known.name = known.name or medium.name
    known.caption = known.caption or medium.caption
    known.date = known.date or medium.date


def medium_document(medium: Medium, url: str, title: str, language: str) -> Document:
    """The document of a medium, under the URL of the page that shows it."""
    name = medium.name or medium.caption
    texts = (name, medium.caption, medium.heading, _file_words(medium.url), title)
    text = "\n".join(dict.fromkeys(filter(None, texts)))
    is_image = medium.kind == IMAGE
    value = Image(medium.url, name) if is_image else Link(medium.url, name)
    values: dict[str, Value] = {medium.kind: value}
    return Document(
        url=url,
        key=medium.url,
        title=name,
        text=text,
        language=language,
        kind=medium.kind,
        date=medium.date,
        date_source="json-ld" if medium.date else "",
        values=values,
    )


def _named(tree: HTMLTree, url: str) -> Iterator[Medium]:
    """Pictures and players in the text, with the heading above them."""
    heading = ""
    for node in select_all(tree.document, _WANTED)[:MAX_NODES]:
        if node.tag in _HEADINGS:
            heading = _line(node.text)
        elif not _is_small(node.getattr):
            source = _source(node)
            target = normalise(source, url) if source else None
            if target and not source.startswith("data:"):
                kind = IMAGE if node.tag == "img" else node.tag
                name = _line(node.getattr("alt") or node.getattr("title") or "")
                name = name or _line(node.getattr("aria-label") or "")
                yield Medium(kind, target, name, _caption(node), heading)


def _source(node: Any) -> str:
    """The address of a medium; that of a lazy picture stands where a script finds it."""
    for name in ("data-src", "data-original", "src"):
        if said := str(node.getattr(name) or "").strip():
            return said
    if node.tag != "img":
        inner = node.query_selector("source[src]")
        return str(inner.getattr("src") or "").strip() if inner is not None else ""
    return str(node.getattr("srcset") or "").strip().partition(" ")[0].rstrip(",")


def _is_small(getattr: Callable[[str], str | None]) -> bool:
    sides = (str(getattr(name) or "").strip().removesuffix("px") for name in ("width", "height"))
    return any(side.isdecimal() and len(side) < 6 and int(side) < SMALLEST for side in sides)


def _caption(node: Any) -> str:
    """The caption of the figure around a medium, a few levels up at most."""
    around = node.parent
    for _ in range(4):
        if around is None:
            return ""
        if around.tag == "figure":
            caption = around.query_selector("figcaption")
            return _line(caption.text) if caption is not None else ""
        around = around.parent
    return ""


def _of_metas(metas: Mapping[str, Sequence[str]], url: str) -> Iterator[Medium]:
    """What the page shows where it is shared, under the page's own name."""
    for kind in (IMAGE, VIDEO, AUDIO):
        said = next(iter(metas.get(f"og:{kind}", ()) or metas.get(f"og:{kind}:url", ())), "")
        target = normalise(said, url) if said else None
        if target:
            names = metas.get(f"og:{kind}:alt") or metas.get("og:title") or ("",)
            yield Medium(kind, target, _line(names[0]))


def _of_scripts(tree: HTMLTree, url: str) -> Iterator[Medium]:
    """VideoObject and its like in linked data, wherever they stand."""
    scripts = select_all(tree.document, 'script[type*="ld+json" i]')
    for script in scripts[:MAX_SCRIPTS]:
        text = script.text if script.first_child is not None else ""
        if not 0 < len(text) <= MAX_SCRIPT:
            continue
        try:
            said = msgspec.json.decode(text.encode("utf-8", "replace"))
        except (msgspec.DecodeError, RecursionError):
            continue
        yield from _of_data(said, url)


def _of_items(html: str, url: str) -> Iterator[Medium]:
    """The same in microdata, which only pages that have some are searched for."""
    if "itemtype" not in html or not any(name in html for name in _OBJECTS):
        return
    from gossamer.core.page.structured.microdata import read_microdata  # lxml

    yield from _of_data(read_microdata(html, url), url)


def _of_data(said: object, url: str) -> Iterator[Medium]:
    waiting, looked = [said], 0
    while waiting and looked < MAX_NODES:
        looked += 1
        item = waiting.pop()
        if isinstance(item, list):
            waiting += reversed(item)
        elif isinstance(item, dict):
            waiting += reversed([*item.values()])
            kinds = item.get("@type")
            for name in kinds if isinstance(kinds, list) else [kinds]:
                kind = _OBJECTS.get(name) if isinstance(name, str) else None
                if kind and (medium := _object(kind, item, url)):
                    yield medium


def _object(kind: str, item: dict[str, object], url: str) -> Medium | None:
    def text(name: str) -> str:
        value = item.get(name)
        return _line(value) if isinstance(value, str) else ""

    said = next(filter(None, map(text, ("contentUrl", "embedUrl", "url"))), "")
    target = normalise(said, url) if said else None
    caption = text("description") or text("caption")
    if target is None:
        return None
    return Medium(kind, target, text("name"), caption, date=text("uploadDate")[:40])


def _file_words(url: str) -> str:
    """The words of a file's name: `orb-web_2.jpg` says orb web."""
    name = unquote(urlsplit(url).path.rpartition("/")[2]).rpartition(".")[0]
    words = [word for word in _between_words.split(name) if _has_words(word)]
    return _line(" ".join(words)) if words else ""


def _line(text: str) -> str:
    return " ".join(text[: 8 * MAX_TEXT].split())[:MAX_TEXT].rstrip()
