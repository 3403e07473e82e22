"""Paths that lead to a place on a page: from marks around it, from labels, from the top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.core.page.templates.learning.paths import (
    TEXT,
    Label,
    Mark,
    Opening,
    Path,
    Start,
    Step,
    Top,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from gossamer.core.page.templates.learning.occurrences import Occurrence
    from gossamer.core.page.templates.learning.page_view import PageView

MAX_LEVELS: Final = 9  # above a value
MAX_CLASSES: Final = 5
MAX_LABELS: Final = 8  # texts before a value that may name it
MAX_LABEL: Final = 60  # characters
# Attributes that say what an element is, not which one it is.
_MARKS: Final = (
    "id",
    "itemprop",
    "property",
    "name",
    "rel",
    "data-field",
    "data-testid",
    "headers",
)
_LONE_TAGS: Final = frozenset({"title", "h1", "h2", "address", "time", "main", "article"})


def paths_to(view: PageView, place: Occurrence) -> Iterator[Path]:
    """Ways to a place, many of them."""
    for start, steps in _ways(view, place.element):
        yield Path(start, steps, place.end, place.nth)
        if place.end == TEXT:
            yield Path(start, steps, TEXT)
    if place.leaf >= 0:
        yield from _label_paths(view, place)


def _ways(view: PageView, element: etree._Element) -> Iterator[tuple[Start, tuple[Step, ...]]]:
    own = list(marks_of(element))
    for ancestor, steps in _upwards(element):
        for mark in marks_of(ancestor):
            for variant in _variants(steps):
                yield mark, variant
            if mark.name and ancestor is not element:
                for below in own:
                    yield mark, (Step(below.tag, below=below),)
    yield Top(), _numbered(element, view.root)


def _upwards(element: etree._Element) -> Iterator[tuple[etree._Element, list[Step]]]:
    """An element and those above it, with the numbered steps that lead down again."""
    steps: list[Step] = []
    node: etree._Element | None = element
    for _ in range(MAX_LEVELS + 1):
        if node is None:
            return
        yield node, steps
        steps = [_step(node), *steps]
        node = node.getparent()


def _step(node: etree._Element) -> Step:
    """The step to a node; numbered only if there are several of its tag."""
    before = sum(1 for _ in node.itersiblings(node.tag, preceding=True))
    alone = before == 0 and next(node.itersiblings(node.tag), None) is None
    return Step(node.tag, 0 if alone else before + 1)


def _variants(steps: list[Step]) -> Iterable[tuple[Step, ...]]:
    """With all numbers, with none, with one of them."""
    bare = [Step(step.tag) for step in steps]
    variants = dict.fromkeys((tuple(steps), tuple(bare)))
    for place, step in enumerate(steps):
        if step.nth:
            variants[*bare[:place], step, *bare[place + 1 :]] = None
    return variants


def _numbered(element: etree._Element, root: etree._Element) -> tuple[Step, ...]:
    steps: list[Step] = []
    node: etree._Element | None = element
    while node is not None and node is not root:
        steps.append(_step(node))
        node = node.getparent()
    return tuple(reversed(steps))


def marks_of(element: etree._Element) -> Iterator[Mark]:
    """What an element can be known by."""
    tag = str(element.tag)
    for name in _MARKS:
        value = element.get(name)
        if value and len(value) <= MAX_LABEL:
            yield Mark(tag, name, value)
    for token in (element.get("class") or "").split()[:MAX_CLASSES]:
        yield Mark(tag, "class", token)
    if tag in _LONE_TAGS:
        yield Mark(tag)


def _label_paths(view: PageView, place: Occurrence) -> Iterator[Path]:
    above = [node for node, _ in zip(_up(place.element), range(MAX_LEVELS), strict=False)]
    for before in range(place.leaf - 1, max(-1, place.leaf - 1 - MAX_LABELS), -1):
        leaf = view.leaves[before]
        if len(leaf.text) > MAX_LABEL or leaf.text == view.leaves[place.leaf].text:
            continue
        for label in view.nodes((before, before + 1)):
            yield from _beside(label, leaf.text, place, above)
    yield from _openings(view, place, above)


def _up(element: etree._Element) -> Iterator[etree._Element]:
    yield element
    yield from element.iterancestors()


def _beside(
    label: etree._Element, text: str, place: Occurrence, above: list[etree._Element]
) -> Iterator[Path]:
    """From a label to what stands in one of its next siblings, or between them."""
    parent = label.getparent()
    tag = str(label.tag)
    if place.end == TEXT and place.element is parent:
        nth = _text_number(label, place)
        yield Path(Label(tag, text, TEXT, nth))
        return
    branch = next((node for node in above if node.getparent() is parent), None)
    if branch is None or branch is label:
        return
    nth = 1 + _between(label, branch)
    start = Label(tag, text, str(branch.tag), nth)
    for variant in _variants(_down(branch, place.element)):
        yield Path(start, variant, place.end, place.nth)
    for below in marks_of(place.element):
        if branch is not place.element:
            yield Path(start, (Step(below.tag, below=below),), place.end, place.nth)


def _text_number(label: etree._Element, place: Occurrence) -> int:
    """Which of the texts after a label it is."""
    before = 1 if (place.element.text or "").strip() else 0
    before += sum(
        1 for each in label.itersiblings(preceding=True) if each.tail and each.tail.strip()
    )
    return max(1, place.nth - before)


def _between(label: etree._Element, branch: etree._Element) -> int:
    count = 0
    for node in label.itersiblings(branch.tag):
        if node is branch:
            return count
        count += 1
    return count


def _down(top: etree._Element, element: etree._Element) -> list[Step]:
    for ancestor, steps in _upwards(element):
        if ancestor is top:
            return steps
    return []


def _openings(view: PageView, place: Occurrence, above: list[etree._Element]) -> Iterator[Path]:
    """Elements around a place that begin with a label: "ISBN: 978…", or a row of a table."""
    for ancestor, steps in zip(above[:5], _steps_down(above[:5]), strict=True):
        start = view.spans.get(ancestor, (0, 0))[0]
        text = place.left.strip() if start == place.leaf else view.leaves[start].text
        if not text or len(text) > MAX_LABEL or ancestor.tag in ("html", "body"):
            continue
        for variant in _variants(steps):
            yield Path(Opening(str(ancestor.tag), text), variant, place.end, place.nth)


def _steps_down(above: list[etree._Element]) -> Iterator[list[Step]]:
    steps: list[Step] = []
    for node in above:
        yield steps
        steps = [_step(node), *steps]
