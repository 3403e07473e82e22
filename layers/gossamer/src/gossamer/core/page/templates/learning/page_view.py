"""A parsed page, laid out so that texts and elements are found without searching the tree."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lxml import etree

from gossamer.core.page.templates.element_text import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_ELEMENTS: Final = 60_000  # of a page; what comes later is not looked at
MAX_LINE: Final = 5_000  # characters of a text
MAX_OPENING: Final = 100  # characters
MAX_DATA_NAMES: Final = 50
UNSEEN: Final = frozenset({"script", "style", "template", "noscript"})


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A text that stands in an element, directly."""

    text: str  # in one line
    element: etree._Element
    nth: int  # of the texts that stand directly in the element, from 1


@dataclass(slots=True, eq=False)
class PageView:
    """The elements and texts of a page in their order."""

    root: etree._Element
    elements: list[etree._Element] = field(default_factory=list)
    order: dict[etree._Element, int] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)
    spans: dict[etree._Element, tuple[int, int]] = field(default_factory=dict)
    by_span: dict[tuple[int, int], list[etree._Element]] = field(
        default_factory=lambda: defaultdict(list)
    )
    by_text: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    by_tag: dict[str, list[etree._Element]] = field(default_factory=lambda: defaultdict(list))
    by_mark: dict[tuple[str, str], list[etree._Element]] = field(
        default_factory=lambda: defaultdict(list)
    )
    direct: dict[etree._Element, list[tuple[int, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    data_names: set[str] = field(default_factory=set)  # of attributes, as data-sku
    texts: dict[etree._Element, str] = field(default_factory=dict)
    openings: dict[etree._Element, str] = field(default_factory=dict)

    def text(self, element: etree._Element) -> str:
        """The text of an element, in one line."""
        if element not in self.texts:
            self.texts[element] = self._text(element)
        return self.texts[element]

    def _text(self, element: etree._Element) -> str:
        start, end = self.spans.get(element, (0, 0))
        if end - start <= 1:
            return self.leaves[start].text if start < end else ""
        return text_of(element, MAX_LINE)

    def opening(self, element: etree._Element) -> str:
        """How the text of an element begins, as XPath sees it: scripts are texts too."""
        if element not in self.openings:
            self.openings[element] = _opening(element)
        return self.openings[element]

    def nodes(self, span: tuple[int, int]) -> list[etree._Element]:
        """The elements that hold some texts and no others, the innermost first."""
        return self.by_span.get(span, [])


def view_of(root: etree._Element) -> PageView:
    """Lay out a page."""
    view = PageView(root)
    open_at: dict[etree._Element, int] = {}
    for event, node in _walk(root):
        if event == "start":
            _note(view, node)
            open_at[node] = len(view.leaves)
            _add_leaf(view, node, node.text)
        else:
            if node in open_at:
                _close(view, node, open_at.pop(node))
            if node is not root:
                _add_leaf(view, node.getparent(), node.tail)
    return view


def _walk(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """Beginnings and ends of what is seen; of a comment only the end."""
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    started = 0
    for event, node in walk:
        if event in ("comment", "pi"):
            yield "end", node
        elif event == "start":
            started += 1
            if started > MAX_ELEMENTS:
                return
            if node.tag in UNSEEN:
                walk.skip_subtree()
            else:
                yield event, node
        else:
            yield event, node


def _note(view: PageView, node: etree._Element) -> None:
    view.order[node] = len(view.elements)
    view.elements.append(node)
    view.by_tag[node.tag].append(node)
    for name, value in node.items():
        if name == "class":
            for token in set(value.split()[:20]):
                view.by_mark[name, token].append(node)
        elif len(value) <= 80:
            view.by_mark[name, value].append(node)
            if name.startswith("data-") and len(view.data_names) < MAX_DATA_NAMES:
                view.data_names.add(name)


def _add_leaf(view: PageView, owner: etree._Element | None, text: str | None) -> None:
    if not text or owner is None or owner not in view.order:
        return
    line = " ".join(text[: 4 * MAX_LINE].split())[:MAX_LINE]
    if line:
        view.direct[owner].append((len(view.leaves), line))
        view.by_text[line].append(len(view.leaves))
        view.leaves.append(Leaf(line, owner, len(view.direct[owner])))


def _opening(element: etree._Element) -> str:
    said = ""
    for piece in element.itertext():
        said += str(piece)[:MAX_LINE]
        if len(said) > MAX_OPENING and len(line := " ".join(said.split())) > MAX_OPENING:
            return line[:MAX_OPENING]
    return " ".join(said.split())[:MAX_OPENING]


def _close(view: PageView, node: etree._Element, start: int) -> None:
    span = (start, len(view.leaves))
    view.spans[node] = span
    if start < span[1]:
        view.by_span[span].append(node)
