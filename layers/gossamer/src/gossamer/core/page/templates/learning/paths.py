"""Ways to a value on a page: where one begins, which steps follow, and what is read at its end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from gossamer.core.page.templates.learning.page_view import PageView

MAX_FOUND: Final = 300  # nodes at each step
TEXT: Final = "#text"  # in place of a tag: a text that stands directly in an element


@dataclass(frozen=True, slots=True)
class Mark:
    """Elements of a tag with an attribute, or a word in their class; no name: all of the tag."""

    tag: str
    name: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """What follows a text among the children of the same element: the `nth` of a tag, or a text."""

    tag: str  # of the element with the text; TEXT: it stands directly beside the value
    text: str
    follows: str  # a tag or TEXT
    nth: int = 1


@dataclass(frozen=True, slots=True)
class Opening:
    """Elements of a tag whose text begins in a certain way."""

    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Top:
    """The page itself."""


Start: TypeAlias = Mark | Label | Opening | Top


@dataclass(frozen=True, slots=True)
class Step:
    """Children of a tag, or the nth of them; or all below with a mark."""

    tag: str
    nth: int = 0
    below: Mark | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """Where to begin, the steps from there, and what to read: "" the text, TEXT or @name."""

    start: Start
    steps: tuple[Step, ...] = ()
    end: str = ""
    nth: int = 0  # of the texts at the end
    blanks: str = ""  # of labels and texts; XPath would take them for letters

    def values(self, view: PageView) -> list[str]:
        """What is found on a page, in its order."""
        match self.start:
            case Label(follows=follows) if follows == TEXT:
                return _labelled_texts(view, self.start)
            case _:
                nodes = list(_started(view, self.start))
        for step in self.steps:
            nodes = _stepped(view, nodes, step)
        return _read(view, nodes, self)

    def selector(self, *, inside: bool = False) -> str:
        """The same in CSS, if that can say it, else in XPath; `inside` of a record of a page."""
        return self.css() or self.xpath(inside=inside)

    def css(self) -> str:
        """The same in CSS; "" if that cannot say it."""
        if self.end or not isinstance(self.start, Mark):
            return ""
        parts = [_mark_css(self.start), *(_step_css(step) for step in self.steps)]
        return "".join(parts) if all(parts) else ""

    def can_be_said(self) -> bool:
        """Whether a selector can name its tags: `o:p` has a prefix that XPath does not know."""
        return all(map(_is_plain, _tags(self)))

    def xpath(self, *, inside: bool = False) -> str:
        """The same in XPath; CSS looks from the record on anyway."""
        steps = "".join(map(_step_xpath, self.steps))
        return _start_xpath(self.start, in_one_line(self.blanks), inside) + steps + _end_xpath(self)


def _started(view: PageView, start: Start) -> Iterable[etree._Element]:
    match start:
        case Mark():
            return _marked(view, start)
        case Opening(tag, text):
            nodes = (
                node for node in view.by_tag.get(tag, []) if view.opening(node).startswith(text)
            )
            return [node for _, node in zip(range(MAX_FOUND), nodes, strict=False)]
        case Label():
            return _labelled(view, start)
        case Top():
            return [view.root]


def _marked(view: PageView, mark: Mark) -> list[etree._Element]:
    if not mark.name:
        return view.by_tag.get(mark.tag, [])[:MAX_FOUND]
    nodes = view.by_mark.get((mark.name, mark.value), [])
    return [node for node in nodes[: 4 * MAX_FOUND] if node.tag == mark.tag][:MAX_FOUND]


def _label_nodes(view: PageView, label: Label) -> Iterator[etree._Element]:
    for place in view.by_text.get(label.text, [])[:MAX_FOUND]:
        for node in view.nodes((place, place + 1)):
            if node.tag == label.tag and view.opening(node) == label.text:
                yield node


def _labelled(view: PageView, label: Label) -> list[etree._Element]:
    found: dict[etree._Element, None] = {}
    for node in _label_nodes(view, label):
        following = islice(node.itersiblings(label.follows), label.nth - 1, label.nth)
        found.update(dict.fromkeys(following))
    return sorted(found, key=lambda node: view.order.get(node, 0))


def _labelled_texts(view: PageView, label: Label) -> list[str]:
    found = []
    for node in _label_nodes(view, label):
        texts = _texts_after(node)
        if len(texts) >= label.nth:
            found.append(texts[label.nth - 1])
    return found


def _texts_after(node: etree._Element) -> list[str]:
    pieces = [node.tail, *(each.tail for each in node.itersiblings())]
    return [line for piece in pieces if piece and (line := " ".join(piece.split()))]


def _stepped(view: PageView, nodes: list[etree._Element], step: Step) -> list[etree._Element]:
    found: dict[etree._Element, None] = {}
    for node in nodes[:MAX_FOUND]:
        found.update(dict.fromkeys(_children(view, node, step)))
    return sorted(found, key=lambda node: view.order.get(node, 0))[:MAX_FOUND]


def _children(view: PageView, node: etree._Element, step: Step) -> list[etree._Element]:
    if step.below is not None:
        return [each for each in _marked(view, step.below) if _is_below(view, each, node)]
    children = list(node.iterchildren(step.tag))
    return children[step.nth - 1 : step.nth] if step.nth else children


def _is_below(view: PageView, node: etree._Element, above: etree._Element) -> bool:
    start, end = view.spans.get(above, (0, 0))
    first, last = view.spans.get(node, (-1, -1))
    if not (start <= first and last <= end):
        return False
    return node is not above and any(each is above for each in node.iterancestors(above.tag))


def _read(view: PageView, nodes: list[etree._Element], path: Path) -> list[str]:
    if path.end.startswith("@"):
        values = [" ".join((node.get(path.end[1:]) or "").split()) for node in nodes]
    elif path.end == TEXT:
        values = [text for _, text in sorted(_direct(view, nodes, path.nth))]
    else:
        values = [view.text(node) for node in nodes]
    return [value for value in values if value]


def _direct(view: PageView, nodes: list[etree._Element], nth: int) -> Iterator[tuple[int, str]]:
    for node in nodes:
        texts = view.direct.get(node, [])
        yield from texts[nth - 1 : nth] if nth else texts


def _start_xpath(start: Start, line: str, inside: bool) -> str:
    below = "descendant-or-self::" if inside else "//"
    match start:
        case Top():
            return "." if inside else "/html"
        case Mark():
            return f"{below}{_mark_xpath(start)}"
        case Opening(tag, text):
            return f"{below}{tag}[starts-with({line}, {quoted(text)})]"
        case Label(tag, text, follows, nth):
            what = f"text()[{line}][{nth}]" if follows == TEXT else f"{follows}[{nth}]"
            return f"{below}{tag}[{line} = {quoted(text)}]/following-sibling::{what}"


def _mark_xpath(mark: Mark) -> str:
    match mark.name:
        case "":
            return mark.tag
        case "class":
            held = 'concat(" ", normalize-space(@class), " ")'
            return f"{mark.tag}[contains({held}, {quoted(f' {mark.value} ')})]"
        case name:
            return f"{mark.tag}[@{name} = {quoted(mark.value)}]"


def _tags(path: Path) -> Iterator[str]:
    for step in path.steps:
        yield step.tag
    if not isinstance(path.start, Top):
        yield path.start.tag
    if isinstance(path.start, Label) and path.start.follows != TEXT:
        yield path.start.follows


def _mark_css(mark: Mark) -> str:
    """A mark in CSS; "" for names that need escapes."""
    if not mark.name:
        return mark.tag
    if mark.name in _CSS and _is_plain(mark.value):
        return f"{mark.tag}{_CSS[mark.name]}{mark.value}"
    plain = '"' not in mark.value and "\\" not in mark.value and mark.value.isprintable()
    return f'{mark.tag}[{mark.name}="{mark.value}"]' if plain and mark.name != "class" else ""


def _step_css(step: Step) -> str:
    if step.below is not None:
        below = _mark_css(step.below)
        return f" {below}" if below else ""
    return "" if step.nth else f" > {step.tag}"


_CSS: Final = {"id": "#", "class": "."}
_is_plain = re.compile(r"[A-Za-z_][\w-]*", re.ASCII).fullmatch


def _step_xpath(step: Step) -> str:
    if step.below is not None:
        return f"//{_mark_xpath(step.below)}"
    return f"/{step.tag}[{step.nth}]" if step.nth else f"/{step.tag}"


def _end_xpath(path: Path) -> str:
    if path.end == TEXT:
        return f"/text()[{in_one_line(path.blanks)}]" + (f"[{path.nth}]" if path.nth else "")
    return f"/{path.end}" if path.end else ""


def in_one_line(blanks: str) -> str:
    """Return the XPath of a node's text in one line, as `PageView` has it.

    XPath's own blanks are those of XML; others, such as the no-break space, are named.
    """
    text = f'translate(., "{blanks}", "{" " * len(blanks)}")' if blanks else "."
    return f"normalize-space({text})"


def blanks_in(text: str) -> str:
    """Return the characters that are blanks for people, and letters for XPath."""
    return "".join(sorted(set(_find_blanks(text))))


_find_blanks = re.compile(r"[^\S\x00-\x20\x7f-\x9f]").findall


def quoted(text: str) -> str:
    """A text in XPath, which has no escapes."""
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    pieces = text.split('"')
    return "concat(" + ", '\"', ".join(f'"{piece}"' for piece in pieces) + ")"
