"""Where known records stand on a page: elements that have the values of one and of no other."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from gossamer.core.page.templates.learning.occurrences import occurrences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml import etree

    from gossamer.core.page.templates.learning.kinds import Kind
    from gossamer.core.page.templates.learning.page_view import PageView

MAX_LOCATED: Final = 60  # records of a page

Texts = dict[str, list[str]]
_Elements = dict[str, list["etree._Element"]]


def locate(
    view: PageView, records: Sequence[Texts], kinds: Mapping[str, Kind], base: str
) -> list[etree._Element | None]:
    """The element of each record; None for those that are not there."""
    places = [_places(view, record, kinds, base) for record in records[:MAX_LOCATED]]
    anchors = [_rarest(each) for each in places]
    owners: dict[etree._Element, set[int]] = defaultdict(set)
    for number, anchor in enumerate(anchors):
        for element in anchor:
            for above in _upwards(element):
                owners[above].add(number)
    found = [
        _element(each, anchor, number, owners)
        for number, (each, anchor) in enumerate(zip(places, anchors, strict=True))
    ]
    return found + [None] * (len(records) - len(found))


def _places(view: PageView, record: Texts, kinds: Mapping[str, Kind], base: str) -> _Elements:
    """Where the first value of each field stands."""
    places: _Elements = {}
    for name, texts in record.items():
        found = occurrences(view, texts[0], kinds[name], base) if texts else []
        if found:
            places[name] = list(dict.fromkeys(each.element for each in found))
    return places


def _rarest(places: _Elements) -> list[etree._Element]:
    """The places of the value that stands at the fewest: it says which record it is."""
    return min(places.values(), key=len, default=[])


def _element(
    places: _Elements,
    anchor: list[etree._Element],
    number: int,
    owners: Mapping[etree._Element, set[int]],
) -> etree._Element | None:
    """The element around a place of the anchor that has most of the values, all of one record."""
    covered: dict[etree._Element, set[str]] = defaultdict(set)
    for name, elements in places.items():
        for element in elements:
            for above in _upwards(element):
                covered[above].add(name)
    tops = [_top(element, number, owners) for element in anchor]
    best = max(tops, key=lambda top: len(covered[top]), default=None)
    if best is None or len(covered[best]) < min(2, len(places)):
        return None
    return best


def _top(
    element: etree._Element, number: int, owners: Mapping[etree._Element, set[int]]
) -> etree._Element:
    """The highest element around a place that no other record stands in."""
    top = element
    for above in element.iterancestors():
        if owners[above] != {number} or above.tag in ("body", "html"):
            break
        top = above
    return top


def _upwards(element: etree._Element) -> Iterator[etree._Element]:
    yield element
    yield from element.iterancestors()
