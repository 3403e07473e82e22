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
_CELL_END = re.compile(r"</(?:t[dh]|T[DH]|caption|summary|legend)>(?=<)")


def part_cells(html: str) -> str:
    """The page with a space between cells: resiliparse writes `<td>a</td><td>b</td>` as "ab"."""
    return _CELL_END.sub(r"\g<0> ", html)


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
