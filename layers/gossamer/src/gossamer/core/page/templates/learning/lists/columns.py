"""The columns of records: what most of them have at the same place, with a name and a type."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from gossamer.core.index.declared import RESERVED
from gossamer.core.page.templates.learning.cuts import Cut
from gossamer.core.page.templates.learning.kinds import guess
from gossamer.core.page.templates.learning.lists.places import places_in
from gossamer.core.page.templates.learning.lists.records import stable_classes
from gossamer.core.page.templates.scalars import read_text
from gossamer.core.page.templates.template import FieldRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from gossamer.core.page.templates.learning.kinds import Kind
    from gossamer.core.page.templates.learning.lists.places import Cell, Place
    from gossamer.core.page.templates.learning.page_view import PageView

FILLED: Final = 0.6  # of the records must have a value
MAX_RECORDS: Final = 100  # that are looked at
MAX_COLUMNS: Final = 30
MAX_NAME: Final = 30
# Types whose values are sorted by, under their names; and what they are called without one.
_ORDERED: Final = {"number": "number", "money": "price", "date": "day"}
_not_name = re.compile(r"[^a-z0-9]+").sub
_said_label = re.compile(r"([^:0-9]{2,40}?)\s*:\s*").match


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list."""

    name: str
    rule: FieldRule


def columns_of(
    view: PageView, records: Sequence[etree._Element], rows_below: int = 0
) -> list[Column]:
    """The columns that most records have, in their order; links are columns of their own.

    A record may have some rows below its first one.
    """
    records = records[:MAX_RECORDS]
    tables = [dict(_cells(view, record, rows_below)) for record in records]
    filled = Counter(place for table in tables for place in table)
    needed = max(2, FILLED * len(records)) if len(records) > 1 else 1
    kept = [place for place, count in filled.items() if count >= needed][:MAX_COLUMNS]
    naming = _Naming(view, records) if records else None
    columns: list[Column] = []
    for place in kept:
        cells = [table[place] for table in tables if place in table]
        columns += _columns(place, cells, naming) if naming else []
    return columns


def _cells(view: PageView, record: etree._Element, rows_below: int) -> Iterator[tuple[Place, Cell]]:
    yield from places_in(view, record)
    for number, row in enumerate(islice(record.itersiblings(), rows_below), 1):
        for place, cell in places_in(view, row):
            yield place.in_row(number), cell


def _columns(place: Place, cells: list[Cell], naming: _Naming) -> Iterator[Column]:
    texts = [cell.text for cell in cells]
    if len(cells) > 2 and len(set(texts)) == 1 and not place.label:
        return  # a label, the same in each record
    label, clean = _label_in(texts)
    rest = [text[len(label) :] for text in texts]
    kind = _kind(rest)
    name = naming.name(place.label or label, cells, kind)
    yield Column(name, FieldRule(select=[place.selector()], type=kind, clean=clean))
    if all(_link_above(cell.element) is not None for cell in cells):
        up = ("/.." if place.text else "") + "/ancestor-or-self::a[1]/@href"
        link = naming.unique(f"{name[:MAX_NAME]}_link")
        yield Column(link, FieldRule(select=[place.selector() + up], type="link"))


def _label_in(texts: Sequence[str]) -> tuple[str, list[str]]:
    """What all texts begin with, up to a colon: it is no part of the values."""
    found = _said_label(texts[0]) if len(texts) > 2 else None
    label = found[0] if found else ""
    if not label or not all(text.startswith(label) and text != label for text in texts):
        return "", []
    return label, Cut(left=label).replacements()


def _kind(texts: Sequence[str]) -> Kind:
    """What all texts are; also a number with its unit, or money among words, the same in all."""
    kind = guess(texts)
    if kind != "text" or len(texts) < 3:
        return kind
    words = [text.split() for text in texts]
    words = [each[::-1] for each in _unlike([each[::-1] for each in words])]
    kinds = [guess(map(" ".join, words)), guess(map(" ".join, _unlike(words)))]
    for tried, allowed in zip(kinds, (("number", "money"), ("money",)), strict=True):
        if tried in allowed and all(read_text(text, tried, "", "") is not None for text in texts):
            return tried
    return "text"


def _unlike(lists: Sequence[list[str]]) -> list[list[str]]:
    """Words without those that all begin with; "point" and "points" are the same."""
    same = 0
    while len({words[same].lower().rstrip("s") for words in lists if len(words) > same + 1}) == 1 \
            and all(len(words) > same + 1 for words in lists):  # fmt: skip
        same += 1
    return [words[same:] for words in lists]


def _link_above(node: etree._Element) -> etree._Element | None:
    for each in (node, *node.iterancestors()):
        if each.tag == "a" and each.get("href"):
            return each
    return None


class _Naming:
    """Names for columns: by label, by the header of a table, by what the page calls an element."""

    def __init__(self, view: PageView, records: Sequence[etree._Element]) -> None:
        self._names: Counter[str] = Counter()
        self._records = set(records)
        self._headers = _headers(view, records[0])

    def name(self, label: str, cells: list[Cell], kind: Kind) -> str:
        """A name that no other column has."""
        said = Counter(self._said(cell.element) for cell in cells)
        name = _slug(label) or said.most_common(1)[0][0]
        if kind not in _ORDERED:
            return self.unique(name or _plain(cells[0].element))
        name = name or _ORDERED[kind]
        return self.unique(f"{name}_value" if name in RESERVED else name)

    def unique(self, name: str) -> str:
        """The name, with a number if it is taken."""
        self._names[name] += 1
        return name if self._names[name] == 1 else f"{name}_{self._names[name]}"

    def _said(self, node: etree._Element) -> str:
        return self._header(node) or self._class(node)

    def _header(self, node: etree._Element) -> str:
        """The header above a cell of a table."""
        while self._headers and node.tag not in ("td", "tr") and node.getparent() is not None:
            node = node.getparent()
        if not self._headers or node.tag != "td":
            return ""
        place = sum(_width(each) for each in node.itersiblings("td", "th", preceding=True))
        return self._headers[place] if place < len(self._headers) else ""

    def _class(self, node: etree._Element) -> str:
        for each, _ in zip((node, *node.iterancestors()), range(3), strict=False):
            if each in self._records:
                return ""
            said = each.get("itemprop") or next(iter(stable_classes(each)), "")
            if name := _slug(said):
                return name
        return ""


def _headers(view: PageView, record: etree._Element) -> list[str]:
    """The names of the columns of the table that a record is a row of."""
    table = next(record.iterancestors("table"), None) if record.tag == "tr" else None
    for row in table.iter("tr") if table is not None else ():
        cells = [each for each in row if each.tag in ("td", "th")]
        heads = [each for each in cells if each.tag == "th"]
        if len(heads) > 1 and len(heads) == len(cells):
            return [_slug(view.text(each)) for each in cells for _ in range(_width(each))]
    return []


def _width(cell: etree._Element) -> int:
    """How many columns a cell is wide."""
    said = cell.get("colspan") or "1"
    return min(int(said), 100) if said.isascii() and said.isdecimal() and int(said) else 1


def _slug(said: str) -> str:
    name = _not_name("_", said.lower()).strip("_")[:MAX_NAME].strip("_")
    return name if name and name[0].isalpha() else ""


def _plain(node: etree._Element) -> str:
    return "title" if node.tag in ("h1", "h2", "h3", "h4", "a") else "text"
