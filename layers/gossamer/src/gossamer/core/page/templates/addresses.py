"""Where links and pictures of a page lead, also pictures that are loaded late."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

# Where pages keep a picture until it is scrolled to; `src` is a placeholder meanwhile.
_LATE = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-url")
_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_in_style = re.compile(r"url\(\s*[\"']?([^\"')]+)", re.IGNORECASE).search
_CANDIDATE = re.compile(r"\s*([^\s,]\S*[^\s,]|[^\s,])(?:\s+([0-9.]+)[wx])?\s*(?:,|\Z)")
_MAX_CANDIDATES = 50


def base_of(root: etree._Element, url: str) -> str:
    """What relative addresses of a page are relative to: its first <base> counts."""
    own = normalise(url) or url
    for element in root.iter("base"):
        if (href := element.get("href")) is not None:
            return normalise(href, own) or own
    return own


def absolute(href: str, base: str) -> str:
    """An address as it is fetched; "" for what is none."""
    return normalise(href.strip(), base) or "" if href.strip() else ""


def link_of(element: etree._Element, base: str) -> str:
    """Where an element leads: itself, a link in it, or the link that it is in."""
    for candidate in _near(element, "a"):
        if leads := absolute(candidate.get("href") or "", base):
            return leads
    return absolute(element.get("src") or element.get("content") or "", base)


def image_of(element: etree._Element, base: str) -> tuple[str, str]:
    """The address of a picture and the text that stands for it; "" for what is none."""
    for image in (element, *element.iter("img", "source", "meta")):
        for href in _pictures(image):
            if not href.strip().startswith("data:") and (leads := absolute(href, base)):
                return leads, _alternative(image, element)
    return "", ""


def largest(srcset: str) -> str:
    """The picture of most pixels in a `srcset`; "" for none."""
    found = [match.groups() for match in _CANDIDATE.finditer(srcset[:20_000])][:_MAX_CANDIDATES]
    return max(found, key=lambda each: _size(each[1]))[0] if found else ""


def _near(element: etree._Element, tag: str) -> Iterator[etree._Element]:
    yield element
    inner = next(element.iter(tag), None)
    if inner is not None:
        yield inner
    outer = next(element.iterancestors(tag), None)
    if outer is not None:
        yield outer


def _pictures(element: etree._Element) -> Iterator[str]:
    get = element.get
    yield from filter(None, map(get, _LATE))
    yield from filter(None, (largest(get(name) or "") for name in _SETS))
    if element.tag != "a":
        yield from filter(None, (get("src"), get("poster"), get("content")))
    elif href := get("href"):
        yield href
    if style := _in_style(get("style") or ""):
        yield style[1]


def _alternative(image: etree._Element, selected: etree._Element) -> str:
    texts = [image.get("alt"), selected.get("alt"), image.get("title")]
    if image.tag == "source" and (parent := image.getparent()) is not None:
        texts += [inner.get("alt") for inner in parent.iter("img")][:1]
    return " ".join(next(filter(None, texts), "").split())


def _size(text: str | None) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 1.0
