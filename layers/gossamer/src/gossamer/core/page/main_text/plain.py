"""Writes a tree, or a part of it, as plain text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import TEXT

if TYPE_CHECKING:
    from gossamer.core.page.html_tree import Node, Tree

# Start tags times characters of text. resiliparse copies all it has written for each further line:
# 20,000 paragraphs and 0.8 MB take 2 s, 100,000 and 4 MB a minute (measured 2026, 1.1).
MAX_COPIED = 20_000_000_000

# Ways to the next page that DocBook and Texinfo write into the text.
PAGERS = [".navheader", ".navfooter", ".nav-panel"]

_UNREAD = frozenset({"script", "style", "noscript", "template", "textarea", "select", "option"})
# Two spans that touch, of two letters at least; what begins with a fixed text is found quickly.
_part_touching_spans = re.compile(
    r"</span>(?<=[^\W_]{2}</span>)(?=<span\b([^<>]*)>([^\W_]{2}|\d))"
).sub
MAX_ROW = 400  # characters of a row, with its tags, up to a span
MAX_TOUCHES = 5_000  # of a page that are looked at: each takes some 10 µs
# A row of names and values up to the end of a span; in a paragraph spans are parts of words.
_find_row = re.compile(
    r"<(?:div|li|td|th|dd|a|button|section|header|footer)\b[^<>]*+>"
    r"\s*+(?:<span\b[^<>]*+>[^<>]*+</span>\s*+)*+<span\b[^<>]*+>[^<>]*+\Z",
    re.IGNORECASE,
).search
_is_laid_out = re.compile(
    r"\b(?:flex|grid|row|justify|label|name|key|title|value|term|prop|attr|col|cell)",
    re.IGNORECASE,
).search
_find_tags = re.compile(r"<[^<>]*>").findall
_CELL_END = re.compile(r"</(?:t[dh]|T[DH]|caption|summary|legend)>(?=<)")


def part_cells(html: str) -> str:
    """The page with a space between cells: resiliparse writes `<td>a</td><td>b</td>` as "ab"."""
    return _CELL_END.sub(r"\g<0> ", html)


def part_spans(html: str) -> str:
    """The page with a space between the spans of a row, which its style sheet sets apart.

    `<div><span>Maker</span><span>Arbor</span></div>` reads "MakerArbor" otherwise. Spans are set
    apart if they are all that a row begins with, and a name of layout or a new word says so.
    """
    if "</span><span" not in html:
        return html

    def part(touch: re.Match[str]) -> str:
        row = _find_row(html, max(0, touch.start() - MAX_ROW), touch.start())
        return " </span>" if row is not None and _are_apart(row[0], *touch.groups()) else "</span>"

    return _part_touching_spans(part, html, MAX_TOUCHES)


def _are_apart(row: str, attributes: str, following: str) -> bool:
    last, first = row[-1], following[0]
    is_new_word = not last.isupper() and (first.isupper() or first.isdigit() != last.isdigit())
    return is_new_word or bool(_is_laid_out(" ".join([*_find_tags(row), attributes])))


def write(tree: Tree, *, main_content: bool = False, skip: list[str] | None = None) -> str:
    """The text of a tree as it is shown; with `main_content` what resiliparse guesses to be it."""
    text: str = extract_plain_text(
        tree,
        main_content=main_content,
        list_bullets=False,
        alt_texts=False,
        links=False,
        skip_elements=skip or PAGERS,
    )
    return text.strip()


def is_endless(html: str, tree: Tree) -> bool:
    """Whether the lines of a page are too many and too long for resiliparse."""
    if len(html) ** 2 <= MAX_COPIED or html.count("<") * len(html) <= MAX_COPIED:
        return False  # nearly every page; counting end tags takes three times as long
    tags = html.count("<") - html.count("</")
    return tags * len(html) > MAX_COPIED and tags * len(tree.body.text) > MAX_COPIED


def write_pieces(tree: Tree) -> str:
    """All text of a page, menus included, one line per piece."""
    pieces = (
        " ".join(node.value.split())
        for node in tree.body
        if node.type == TEXT and node.parent.tag not in _UNREAD
    )
    return "\n".join(filter(None, pieces))


def isolate(tree: Tree, node: Node) -> None:
    """Leave nothing in the body but `node`."""
    body = tree.body
    node.parent.remove_child(node)
    for child in body.child_nodes[:]:
        body.remove_child(child)
    body.append_child(node)
