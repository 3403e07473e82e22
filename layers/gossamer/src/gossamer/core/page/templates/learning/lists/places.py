"""Where the values of records stand: below a record, or behind a label in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from lxml import etree

from gossamer.core.page.templates.learning.lists.records import stable_classes
from gossamer.core.page.templates.learning.paths import blanks_in, in_one_line, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.page.templates.learning.page_view import Leaf, PageView

MAX_LEAVES: Final = 60  # of a record that are looked at
MAX_LABEL: Final = 40  # characters
# What says what the next element is: a term its description, a header the cell beside it.
_LABELS: Final = {"dd": "dt", "td": "th"}
_VALUES: Final = {label: value for value, label in _LABELS.items()}
_NON_BLANK: Final = "text()[normalize-space()]"  # by XML's idea of a blank, which is not Python's
_is_tag = re.compile(r"[A-Za-z][\w-]*", re.ASCII).fullmatch
_has_more = re.compile(r"[^ \t\r\n]").search


@dataclass(frozen=True, slots=True)
class Place:
    """The nth of what a path finds in a record: an element, or a text directly in one."""

    path: str
    nth: int
    text: bool = False
    label: str = ""  # that stands before it, and says what it is

    def selector(self) -> str:
        """From a record on."""
        return (
            f"({self.path}/{_NON_BLANK})[{self.nth}]" if self.text else f"({self.path})[{self.nth}]"
        )

    def in_row(self, number: int) -> Place:
        """The same place in the nth row below the first one of a record."""
        path = f"following-sibling::*[{number}]{self.path.removeprefix('.')}"
        return Place(path, self.nth, self.text, self.label)


class Cell(NamedTuple):
    """A text, and the element that it stands in."""

    text: str
    element: etree._Element


@dataclass(slots=True)
class _Record:
    """A record, and what paths have found in it."""

    element: etree._Element
    found: dict[str, list[etree._Element]] = field(default_factory=dict)

    def at(self, path: str) -> list[etree._Element]:
        """The elements at a path."""
        if path not in self.found:
            self.found[path] = list(_compiled(path)(self.element))
        return self.found[path]


def places_in(view: PageView, record: etree._Element) -> Iterator[tuple[Place, Cell]]:
    """The texts of a record, each with its place; labels are no values."""
    start, end = view.spans.get(record, (0, 0))
    own = _Record(record)
    for number in range(start, min(end, start + MAX_LEAVES)):
        leaf = view.leaves[number]
        way = _way(leaf.element, record, view)
        if way is None:
            continue
        path, label = way
        alone = view.spans[leaf.element] == (number, number + 1)
        nth = _number(own.at(path), leaf, view, alone=alone)
        yield Place(path, nth, not alone, label), Cell(leaf.text, leaf.element)


def _number(found: list[etree._Element], leaf: Leaf, view: PageView, *, alone: bool) -> int:
    """Which of what a path finds it is: of the elements, or of the texts in them."""
    place = next((n for n, node in enumerate(found) if node is leaf.element), 0)
    if alone:
        return place + 1
    before = sum(len(_texts(node)) for node in found[:place])
    shown = [n for n, text in enumerate(_texts(leaf.element)) if text.split()]
    own = shown[leaf.nth - 1] if leaf.nth <= len(shown) else leaf.nth - 1
    return before + own + 1


def _texts(node: etree._Element) -> list[str]:
    """The texts directly in an element that XPath does not take for blank."""
    pieces = [node.text, *(child.tail for child in node)]
    return [text for text in pieces if text and _has_more(text)]


def _way(element: etree._Element, record: etree._Element, view: PageView) -> tuple[str, str] | None:
    """The path from a record to an element, and the label that it goes by; None for a label."""
    steps: list[str] = []
    node: etree._Element | None = element
    while node is not None and node is not record:
        tag = str(node.tag)
        if not _is_tag(tag) or _is_label(node, record):
            return None
        labelled = _labelled(node, record, view)
        if labelled is not None and (above := _steps(node.getparent(), record)) is not None:
            said, step = labelled
            return "/".join((".", *above, step, *reversed(steps))), said
        steps.append(_step(node))
        node = node.getparent()
    return "/".join((".", *reversed(steps))), ""


def _is_label(node: etree._Element, record: etree._Element) -> bool:
    """Whether a term or header names what follows it. The only one of a record is its value."""
    tag, parent = str(node.tag), node.getparent()
    value = _VALUES.get(tag)
    if parent is None or value is None or next(node.itersiblings(value), None) is None:
        return False
    return parent is not record or sum(1 for _ in parent.iterchildren(tag)) > 1


def _labelled(
    node: etree._Element, record: etree._Element, view: PageView
) -> tuple[str, str] | None:
    """A label before an element, and the step from there to it."""
    tag = str(node.tag)
    label = _LABELS.get(tag)
    before = next(node.itersiblings(label, preceding=True), None) if label else None
    if before is None or not _is_label(before, record):
        return None
    said = view.text(before)
    if not said or len(said) > MAX_LABEL or view.opening(before) != said:
        return None
    nth = 1
    for each in before.itersiblings(tag):
        if each is node:
            break
        nth += 1
    line = in_one_line(blanks_in("".join(before.itertext())))
    step = f"{label}[{line} = {quoted(said)}]/following-sibling::{tag}[{nth}]"
    return said, step


def _steps(element: etree._Element | None, record: etree._Element) -> list[str] | None:
    steps: list[str] = []
    node = element
    while node is not None and node is not record:
        if not _is_tag(str(node.tag)):
            return None
        steps.append(_step(node))
        node = node.getparent()
    return steps[::-1]


def _step(node: etree._Element) -> str:
    held = 'concat(" ", normalize-space(@class), " ")'
    classes = stable_classes(node)[:1]
    return str(node.tag) + "".join(f"[contains({held}, {quoted(f' {name} ')})]" for name in classes)


@lru_cache(maxsize=512)
def _compiled(path: str) -> etree.XPath:
    return etree.XPath(path, regexp=False)
