"""The columns of records: what most of them have at the same place, with a name and a type."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer.core.page.templates.learning.kinds import guess
from gossamer.core.page.templates.learning.lists.records import stable_classes
from gossamer.core.page.templates.learning.paths import quoted
from gossamer.core.page.templates.template import FieldRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from gossamer.core.page.templates.learning.page_view import PageView

FILLED: Final = 0.6  # of the records must have a value
MAX_COLUMNS: Final = 30
MAX_LEAVES: Final = 60  # of a record that are looked at
_is_tag = re.compile(r"[A-Za-z][\w-]*", re.ASCII).fullmatch
_not_name = re.compile(r"[^a-z0-9]+").sub


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands in a record: the steps to its element, and which of several it is."""

    steps: tuple[str, ...]
    nth: int
    text: bool = False  # directly in the element, beside others

    def selector(self) -> str:
        """From a record on."""
        path = "/".join((".", *self.steps))
        if self.text:
            path += "/text()[normalize-space()]"
        return f"({path})[{self.nth}]"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list."""

    name: str
    rule: FieldRule


def columns_of(view: PageView, records: Sequence[etree._Element]) -> list[Column]:
    """The columns that most records have, in their order; links are columns of their own."""
    tables = [dict(_places(view, record)) for record in records]
    filled = Counter(place for table in tables for place in table)
    needed = max(2, FILLED * len(records)) if len(records) > 1 else 1
    kept = [place for place, count in filled.items() if count >= needed][:MAX_COLUMNS]
    names: Counter[str] = Counter()
    columns = []
    for place in kept:
        cells = [table[place] for table in tables if place in table]
        columns += list(_columns(place, cells, names))
    return columns


Cell = tuple[str, "etree._Element"]


def _places(view: PageView, record: etree._Element) -> Iterator[tuple[Place, Cell]]:
    start, end = view.spans.get(record, (0, 0))
    met: dict[tuple[tuple[str, ...], bool], int] = defaultdict(int)
    for place in range(start, min(end, start + MAX_LEAVES)):
        leaf = view.leaves[place]
        steps = _steps(leaf.element, record)
        alone = view.spans[leaf.element] == (place, place + 1)
        if steps is None:
            continue
        met[steps, not alone] += 1
        yield Place(steps, met[steps, not alone], not alone), (leaf.text, leaf.element)


def _steps(element: etree._Element, record: etree._Element) -> tuple[str, ...] | None:
    steps: list[str] = []
    node: etree._Element | None = element
    while node is not None and node is not record:
        if not _is_tag(str(node.tag)):
            return None
        steps.append(_step(node))
        node = node.getparent()
    return tuple(reversed(steps))


def _step(node: etree._Element) -> str:
    held = 'concat(" ", normalize-space(@class), " ")'
    classes = stable_classes(node)[:1]
    return str(node.tag) + "".join(f"[contains({held}, {quoted(f' {name} ')})]" for name in classes)


def _columns(place: Place, cells: list[Cell], names: Counter[str]) -> Iterator[Column]:
    texts = [text for text, _ in cells]
    if len(cells) > 2 and len(set(texts)) == 1:
        return  # a label, the same in each record
    name = _unique(_name(cells), names)
    kind = guess(texts)
    yield Column(name, FieldRule(select=[place.selector()], type=kind))
    link = _link_above(cells[0][1])
    if link is not None and all(_link_above(node) is not None for _, node in cells):
        up = "ancestor-or-self::a[1]/@href"
        path = place.selector() + ("/" + up if not place.text else "/../" + up)
        yield Column(_unique(f"{name[:30]}_link", names), FieldRule(select=[path], type="link"))


def _link_above(node: etree._Element) -> etree._Element | None:
    for each in (node, *node.iterancestors()):
        if each.tag == "a" and each.get("href"):
            return each
    return None


def _name(cells: list[Cell]) -> str:
    """By what the page calls the element, else by its tag."""
    named = (_said(node) for _, node in cells)
    name, _ = Counter(filter(None, named)).most_common(1)[0] if cells else ("", 0)
    return name


def _said(node: etree._Element) -> str:
    for each, _ in zip((node, *node.iterancestors()), range(3), strict=False):
        said = each.get("itemprop") or next(iter(stable_classes(each)), "")
        name = _not_name("_", said.lower()).strip("_")[:30]
        if name and name[0].isalpha():
            return name
    return "title" if node.tag in ("h1", "h2", "h3", "h4", "a") else "text"


def _unique(name: str, names: Counter[str]) -> str:
    names[name] += 1
    return name if names[name] == 1 else f"{name}_{names[name]}"
