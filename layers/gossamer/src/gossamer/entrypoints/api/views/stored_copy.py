"""The stored copy of a page, as a page that does nothing.

What is shown is written anew from the parsed page: elements and attributes that are on a list, and
text. So no script, style, form or frame of a stranger is left, and nothing is loaded. The policy
that goes with it forbids the same once more.
"""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime
from functools import cache
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from gossamer.core.errors import GossamerError
from gossamer.core.page.directives import header_directives, meta_directives
from gossamer.core.page.read_response import StoredResponse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.page.html_tree import Node, Tree
    from gossamer.core.search.result import DocumentView
    from gossamer.ports.pages import StoredPage

MAX_CHARACTERS = 1_000_000  # of what is shown; a function may answer 6 MB, escaped as JSON
MAX_VALUE = 4_000  # of an attribute; longer ones are left out
MAX_IMAGE = 200_000  # of an image that lies in the page itself
HTML_TYPES = ("", "text/html", "application/xhtml+xml")

STYLE = """\
body{font:1rem/1.5 system-ui,sans-serif;max-width:48rem;margin:0 auto;padding:0 1rem 3rem;\
color:#222;background:#fff;overflow-wrap:anywhere}
.gossamer-copy{font-size:.875rem;margin:0 -1rem 1.5rem;padding:.75rem 1rem;background:#f2efe6;\
border-bottom:1px solid #cbc4b0}
del{color:#8c1d12;background:#fbe3df;text-decoration:none}ins{color:#175c2c;background:#dff3e2;\
text-decoration:none}
img{max-width:100%}pre{overflow-x:auto;white-space:pre-wrap}td,th{padding:.1rem .5rem;\
vertical-align:top;text-align:start}.gossamer-image{color:#666}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#11161a}a{color:#8ab4f8}\
del{color:#ffb3a8;background:#47201b}ins{color:#a8e6b5;background:#17361f}\
.gossamer-copy{background:#1d252b;border-color:#39454e}.gossamer-image{color:#999}}"""

_KEPT = frozenset(
    str.split(
        "a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del"
        " details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins"
        " kbd li main mark menu nav ol p pre q rp rt ruby s samp section small span strong sub"
        " summary sup table tbody td tfoot th thead time tr u ul var wbr"
    )
)
# Elements whose content is not for reading either; of all others the content stays.
_SILENT = frozenset(
    str.split(
        "applet audio button canvas datalist embed frameset head iframe input map math meter"
        " noembed noframes object option plaintext progress script select style svg template"
        " textarea title video xmp"
    )
)
_ELEMENT, _TEXT = 1, 3  # kinds of nodes, by the DOM's numbers
_EMPTY = frozenset({"br", "col", "hr", "img", "wbr"})
_EVERYWHERE = ("dir", "lang", "title", "id")
_SOMEWHERE = {
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
    "ol": ("start",),
    "li": ("value",),
    "time": ("datetime",),
    "details": ("open",),
}
_is_image = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]+").fullmatch
_is_web = re.compile(r"https?://", re.IGNORECASE).match


class PageCopy(NamedTuple):
    """A page as it was stored, and when that was."""

    page: StoredPage
    fetched_at: str


class Versions(NamedTuple):
    """When earlier versions of a page were fetched, in seconds since 1970, newest first."""

    times: tuple[int, ...] = ()
    is_complete: bool = True  # else there may be more than were found in time
    shown: int = 0  # the one of them that is shown, if it is not the newest


NO_VERSIONS = Versions()


class NotShown(GossamerError):
    """There is no copy, or it is not for showing."""


@cache
def policy() -> str:
    """The content security policy of a copy: nothing runs, nothing is loaded but our one style."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return (
        f"sandbox; default-src 'none'; style-src 'sha256-{digest}'; img-src data:;"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def to_html(copy: PageCopy | None, versions: Versions = NO_VERSIONS) -> str:
    """The copy as a page of its own; raises NotShown if there is none, or none for showing.

    The page names the other versions that it has.
    """
    from gossamer.core.page.charset import decode  # resiliparse, which only this needs here

    if copy is None:
        raise NotShown(
            "the document was not crawled here, or the last visit to its page brought no page"
        )
    page = copy.page
    response = StoredResponse(page.body, page.url, page.headers)
    tags = [value for name, value in page.headers if name.lower() == "x-robots-tag"]
    _check(header_directives(tags).noarchive)
    text = decode(page.body, response.content_type)
    if response.media_type == "text/plain":
        shown = f"<pre>{escape(text[:MAX_CHARACTERS])}</pre>"
        is_cut = len(text) > MAX_CHARACTERS
        return _framed(copy, page.url, shown, is_cut, versions)
    if response.media_type not in HTML_TYPES:
        kind = response.media_type
        raise NotShown(f"a copy of {kind} cannot be shown; its text can: /documents/{{id}}.md")
    return _from_html(copy, text, versions)


def _from_html(copy: PageCopy, text: str, versions: Versions) -> str:
    from resiliparse.parse.html import HTMLTree

    from gossamer.core.page.html_limits import tame
    from gossamer.core.page.html_tree import select_all

    tree: Tree = HTMLTree.parse(tame(text))
    metas = select_all(tree.document, "meta[name][content]")
    _check(meta_directives((m.getattr("name"), m.getattr("content")) for m in metas).noarchive)
    base = tree.document.query_selector("base[href]")
    url = urljoin(copy.page.url, base.getattr("href")) if base else copy.page.url
    pieces, size = [], 0
    for piece in _written(tree.body, url):
        pieces.append(piece)
        size += len(piece)
        if size >= MAX_CHARACTERS:
            break
    title = (tree.title or copy.page.url)[:MAX_VALUE]
    return _framed(copy, title, "".join(pieces), size >= MAX_CHARACTERS, versions)


def missing(reason: str, document: DocumentView | None) -> str:
    """A page that says why there is no copy, and where to look instead."""
    instead = "<p>Search again: the index may have changed.</p>"
    if document is not None:
        text = f'<a href="../{escape(document.id)}.md">its text</a>'
        instead = (
            f"<p>There is {text} in the index, and the page itself: {link_to(document.url)}</p>"
        )
    why = f"<h1>No stored copy</h1><p>Why: {escape(reason)}.</p>"
    return whole("No stored copy", why + instead)


def _check(noarchive: bool) -> None:
    if noarchive:
        raise NotShown("the page asks that no copy of it is shown (noarchive)")


def _written(body: Node, base: str) -> Iterator[str]:
    """What is inside of an element; without recursion, because pages may be a thousand deep."""
    open_: list[tuple[Node, str]] = []
    node = body.first_child
    while node is not None or open_:
        if node is None:
            closed, end = open_.pop()
            yield end
            node = closed.next
            continue
        start, after = _tags(node, base)
        yield start
        if after is None:
            node = node.next
        else:
            open_.append((node, after))
            node = node.first_child


def _tags(node: Node, base: str) -> tuple[str, str | None]:
    """What is written before and after the content of a node; None: the content is left out."""
    if node.type == _TEXT:
        return escape(node.value[:MAX_CHARACTERS]), None
    tag = node.tag.lower()
    if node.type != _ELEMENT or tag in _SILENT:
        return "", None
    if tag not in _KEPT:
        return "", ""
    if tag == "img":
        return _image(node), None
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in _attributes(node, base))
    return f"<{tag}{attributes}>", None if tag in _EMPTY else f"</{tag}>"


def _attributes(node: Node, base: str) -> Iterator[tuple[str, str]]:
    for name in (*_EVERYWHERE, *_SOMEWHERE.get(node.tag, ())):
        value = node.getattr(name, "")
        if 0 < len(value) <= MAX_VALUE:
            yield name, value
    if node.tag == "a" and (href := _target(node.getattr("href", ""), base)):
        yield from (("href", href), ("rel", "noreferrer noopener nofollow"))


def _target(href: str, base: str) -> str:
    """Where a link leads: on the web, or within the page."""
    if href.startswith("#") and len(href) <= MAX_VALUE:
        return href
    try:
        target = urljoin(base, href.strip())
    except ValueError:
        return ""
    return target if href and len(target) <= MAX_VALUE and _is_web(target) else ""


def _image(node: Node) -> str:
    """An image that lies in the page itself, or else the words that stand for it."""
    source, words = node.getattr("src", ""), node.getattr("alt", "") or node.getattr("title", "")
    words = words[:MAX_VALUE]
    if len(source) <= MAX_IMAGE and _is_image(source):
        return f'<img src="{escape(source)}" alt="{escape(words)}">'
    return f'<span class="gossamer-image">[{escape(words)}]</span>' if words.strip() else ""


def day_of(copy: PageCopy) -> str:
    """When a copy was fetched."""
    at = escape(copy.fetched_at)
    return f'<time datetime="{at}">{at[:16].replace("T", " ")} UTC</time>'


def _others(versions: Versions) -> str:
    """Links to earlier versions than the one that is shown, to what changed, and to the newest."""
    links, to = [], f"at={versions.shown}&amp;" if versions.shown else ""
    for at in versions.times:
        if not versions.shown or at < versions.shown:
            day = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
            changes = f'<a href="?{to}since={at}">what changed</a>'
            links.append(f'<a href="?at={at}">{day}</a> ({changes})')
    more = "" if versions.is_complete else " There may be more: the archive is large."
    newest = ' <a href="cached">Newest copy</a>.' if versions.shown else ""
    return newest + (f"<br>Earlier versions: {', '.join(links)}.{more}" if links else "")


def _framed(
    copy: PageCopy, title: str, shown: str, is_cut: bool, versions: Versions = NO_VERSIONS
) -> str:
    ending = "<p>The copy is longer and was cut here.</p>" if is_cut else ""
    banner = (
        f'<div class="gossamer-copy" role="note">Stored copy of {link_to(copy.page.url)}, as it was'
        f" fetched on {day_of(copy)}, without scripts, styles and images."
        f" The page may have changed since.{_others(versions)}</div>\n"
    )
    return whole(title, banner + shown + ending)


def link_to(url: str) -> str:
    """A link to the web; any other address is only shown."""
    shown = escape(url)
    attributes = f' href="{shown}" rel="noreferrer noopener nofollow"' if _is_web(url) else ""
    return f"<a{attributes}>{shown}</a>"


def whole(title: str, body: str) -> str:
    """A page with our one style."""
    return (
        '<!doctype html><html><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="robots" content="noindex"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{body}</body></html>"
    )
