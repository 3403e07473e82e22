"""The text of an element as it is shown, and whether it is shown at all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterator

# What stands on lines of its own, or between the words before and after it.
_BLOCKS = frozenset(
    str.split(
        "address article aside blockquote br button dd details div dl dt fieldset figcaption figure"
        " footer form h1 h2 h3 h4 h5 h6 header hr iframe img input li main nav ol option p picture"
        " pre section select summary svg table tbody td textarea tfoot th thead tr ul video"
    )
)
_SILENT = frozenset({"script", "style", "template", "noscript"})  # never shown
_is_hiding = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE).search
_MAX_LEVELS = 8  # above an element that may hide it


def text_of(element: etree._Element, limit: int) -> str:
    """The text of an element in one line: two blocks are two words, <b>Foo</b>bar is one."""
    if not len(element):
        return _line(element.text or "", limit)
    pieces: list[str] = []
    size = read = 0  # characters since white space was last squeezed, and all before
    for piece in _pieces(element):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            pieces, read, size = [_squeezed("".join(pieces))], read + size, 0
            if len(pieces[0]) > limit or read > 8 * limit:
                break
    return _line("".join(pieces), limit)


def _squeezed(text: str) -> str:
    """A text with one space for any white space, also at its end: more may follow."""
    return " ".join(text.split()) + (" " if text[-1:].isspace() else "")


def _pieces(element: etree._Element) -> Iterator[str]:
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if node.tag in _BLOCKS:
            yield " "
        if event == "end":
            if node is not element and node.tail:
                yield node.tail
        elif node.tag in _SILENT and node is not element:
            walk.skip_subtree()
        elif node.text:
            yield node.text


def html_of(element: etree._Element, limit: int) -> str:
    """What stands inside of an element, as HTML, without what is never shown."""
    whole = etree.tostring(element, method="html", encoding="unicode", with_tail=False)
    start, end = whole.find(">") + 1, whole.rfind("</")
    return _SCRIPTS.sub("", whole[start:end] if end >= start else "").strip()[:limit]


_SCRIPTS = re.compile(
    r"<(script|style|template|noscript)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL
)


def _line(text: str, limit: int) -> str:
    return " ".join(text[: 8 * limit].split())[:limit].rstrip()


def is_hidden(element: etree._Element) -> bool:
    """Whether an element says itself, or one shortly above it, that it is not shown."""
    for _ in range(_MAX_LEVELS):
        if element.get("hidden") is not None or element.tag in _SILENT:
            return True
        if _is_hiding(element.get("style", "")):
            return True
        parent = element.getparent()
        if parent is None:
            return False
        element = parent
    return False
