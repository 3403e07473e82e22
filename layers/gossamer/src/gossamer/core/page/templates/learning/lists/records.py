"""The records of a page: elements made alike that hold most of what it says."""

from __future__ import annotations

import heapq
import math
import re
import statistics
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer.core.page.templates.element_text import is_hidden

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from gossamer.core.page.templates.learning.page_view import PageView

LEAST: Final = 2  # records of a list
TRIED: Final = 8  # groups
MAX_MEMBERS: Final = 500
MAX_MASS: Final = 600  # characters of one record that count
MAX_TYPICAL: Final = 40  # texts of a record
LEVELS: Final = 3  # ancestors that must be alike
HIDDEN: Final = 0.1  # of a tab that is not open: more text than the results may stand there
_MARGINS: Final = frozenset({"nav", "footer", "header", "aside", "select", "form"})
_names_margin = re.compile(
    r"(?:^|[^a-z])(?:nav|menu|foot|footer|sidebar|header|breadcrumb|pager|pagination|facets?|filters?)"
    r"(?:$|[^a-z])",
    re.IGNORECASE,
).search
_WHOLE: Final = frozenset({"html", "head", "body", "br", "hr", "option", "script", "meta", "link"})
_is_generated = re.compile(r"\d{2,}|^(?:odd|even|first|last|active|selected|alt)$").search


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Elements that are made alike, and how much they look like the records of their page."""

    members: tuple[etree._Element, ...]
    score: float


def best_group(view: PageView) -> Group | None:
    """The records of a page; None if nothing repeats."""
    return max(_groups(view), key=lambda group: group.score, default=None)


def best_groups(view: PageView) -> list[Group]:
    """What may be the records of a page, the best first."""
    return heapq.nlargest(TRIED, _groups(view), key=lambda group: group.score)


def _groups(view: PageView) -> Iterator[Group]:
    return (_scored(view, members) for members in _alike(view))


def _alike(view: PageView) -> list[tuple[etree._Element, ...]]:
    """Groups by class and ancestors, and of siblings whatever their class: rows alternate."""
    groups: dict[object, list[etree._Element]] = defaultdict(list)
    siblings: dict[object, list[etree._Element]] = defaultdict(list)
    signs = {node: sign_of(node) for node in view.elements}
    for node in view.elements:
        start, end = view.spans.get(node, (0, 0))
        if start < end and node.tag not in _WHOLE:
            groups[_signature(node, signs)].append(node)
            siblings[node.getparent(), node.tag].append(node)
    found = [*map(_apart, groups.values()), *siblings.values()]
    return [tuple(nodes[:MAX_MEMBERS]) for nodes in found if len(nodes) >= LEAST]


def _apart(nodes: list[etree._Element]) -> list[etree._Element]:
    """Without those that stand in another one: a record holds no record, as wrappers do."""
    if len(nodes) < LEAST:
        return nodes
    known = set(nodes)
    return [node for node in nodes if not any(each in known for each in node.iterancestors())]


def _signature(node: etree._Element, signs: dict[etree._Element, str]) -> tuple[str, ...]:
    signature = [signs[node]]
    for _, ancestor in zip(range(LEVELS), node.iterancestors(), strict=False):
        signature.append(signs.get(ancestor, str(ancestor.tag)))
    return tuple(signature)


def sign_of(node: etree._Element) -> str:
    """A tag with the first class that is not one of the element alone."""
    return ".".join([str(node.tag), *stable_classes(node)[:1]])


def stable_classes(node: etree._Element) -> list[str]:
    """The classes that say what an element is, not which one it is."""
    tokens = (node.get("class") or "").split()[:8]
    return [token for token in tokens if not _is_generated(token)]


def _scored(view: PageView, members: tuple[etree._Element, ...]) -> Group:
    sizes = [view.spans[node] for node in members]
    leaves = [end - start for start, end in sizes]
    lengths = [_mass(view, start, end) for start, end in sizes]
    masses = [min(MAX_MASS, length) for length in lengths]
    typical = statistics.median(leaves)
    linked = sum(1 for node in members if _has_link(node)) / len(members)
    score = sum(masses) * math.log2(1 + min(typical, 12))
    score *= (
        (0.3 + 0.7 * linked) * min(1.0, len(members) / 4) * _evenness(leaves) * _evenness(lengths)
    )
    score *= math.log2(1 + min(len(members), 30))
    if typical > MAX_TYPICAL:
        score *= MAX_TYPICAL / typical  # parts of a page rather than records
    return Group(members, score * _place(members[0]))


def _mass(view: PageView, start: int, end: int) -> int:
    return sum(len(leaf.text) for leaf in view.leaves[start : min(end, start + 60)])


def _has_link(node: etree._Element) -> bool:
    if node.tag == "a":
        return True
    return next(node.iter("a"), None) is not None


def _evenness(leaves: list[int]) -> float:
    mean = statistics.fmean(leaves)
    return 1 / (1 + statistics.pstdev(leaves) / mean) if mean else 0.0


def _place(node: etree._Element) -> float:
    """Less for what stands in the margins of a page, and least for what is not shown."""
    worth = HIDDEN if is_hidden(node) else 1.0
    for ancestor in (node, *node.iterancestors()):
        if ancestor.tag in ("body", "html"):
            break
        named = f"{ancestor.get('id') or ''} {ancestor.get('class') or ''}"
        if ancestor.tag in _MARGINS or _names_margin(named):
            worth *= 0.4
    return max(worth, 0.02)
