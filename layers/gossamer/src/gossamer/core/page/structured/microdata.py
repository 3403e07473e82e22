"""Microdata in the form of linked data: https://html.spec.whatwg.org/multipage/microdata.html."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from lxml import etree

from gossamer.core.page.structured.elements import text_of, tree_of
from gossamer.core.page.structured.graph import short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.page.structured.graph import Node
    from gossamer.core.page.structured.lenient_json import Json

MAX_ITEMS: Final = 1_000
MAX_PROPERTIES: Final = 10_000  # of all items
MAX_REFERENCES: Final = 20  # of one item
MAX_DEPTH: Final = 20  # of items in items
# Which attribute of an element is its value.
_VALUES: Final = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("data", "meter"), "value"),
    "object": "data",
    "time": "datetime",
    "meta": "content",
}
_URLS: Final = frozenset(("src", "href", "data"))
_OUTERMOST: Final = etree.XPath("//*[@itemscope and not(@itemprop)]", regexp=False)


def read_microdata(html: str, url: str) -> list[Json]:
    """The outermost items of a page."""
    tree = tree_of(html)
    if tree is None:
        return []
    base = tree.find(".//base[@href]")
    reader = _Reader(tree, _absolute(base.get("href", "") if base is not None else "", url))
    outermost = _OUTERMOST(tree)
    items = outermost[:MAX_ITEMS] if isinstance(outermost, list) else []
    return [reader.item(element, 0) for element in items]


class _Reader:
    """Reads the items of a tree, as many as the bounds allow."""

    def __init__(self, tree: etree._Element, base: str) -> None:
        self._tree = tree
        self._base = base
        self._left = MAX_PROPERTIES

    def item(self, element: etree._Element, depth: int) -> Node:
        """An item with its properties; those further down are items in it."""
        found: Node = {}
        if said := element.get("itemtype", "").split():
            found["@type"] = [short(each) for each in said[:5]]
        if name := element.get("itemid"):
            found["@id"] = _absolute(name, self._base)
        for holder in self._properties(element):
            self._left -= 1
            if self._left < 0 or depth > MAX_DEPTH:
                break
            value = self._value(holder, depth)
            for name in holder.get("itemprop", "").split()[:5]:
                _add(found, short(name), value)
        return found

    def _properties(self, element: etree._Element) -> Iterator[etree._Element]:
        """The elements with properties of an item: below it, and where it refers to."""
        waiting = list(reversed(element))
        for name in reversed(element.get("itemref", "").split()[:MAX_REFERENCES]):
            waiting += self._tree.xpath("//*[@id=$name][1]", name=name)[:1]
        while waiting:
            inner = waiting.pop()
            if not isinstance(inner.tag, str):
                continue
            if inner.get("itemprop"):
                yield inner
            if inner.get("itemscope") is None:
                waiting += reversed(inner)

    def _value(self, element: etree._Element, depth: int) -> Json:
        if element.get("itemscope") is not None:
            return self.item(element, depth + 1)
        # Many pages write `content` on any element, where the standard has it for meta alone.
        content: str | None = element.get("content")
        if content is not None:
            return content.strip()
        attribute = _VALUES.get(str(element.tag))
        said: str | None = element.get(attribute) if attribute else None
        if said is None:
            return text_of(element)
        return _absolute(said, self._base) if attribute in _URLS else said.strip()


def _add(found: Node, name: str, value: Json) -> None:
    known = found.get(name)
    if known is None:
        found[name] = value
    elif isinstance(known, list):
        known.append(value)
    else:
        found[name] = [known, value]


def _absolute(url: str, base: str) -> str:
    try:
        return urljoin(base, url.strip())
    except ValueError:
        return url
