"""Extract the main text of a page, without menus and margins.

A page that marks its main part is believed: that costs a third of guessing, and guessing dropped
sections of the Python docs for having an id such as "import-related-module-attributes".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import TEXT, HTMLTree

if TYPE_CHECKING:
    from gossamer.core.page.html_tree import Node, Tree

NEARLY_EMPTY = 25  # characters
SHORT = 1000  # characters; below, the guess must hold most of what is visible to be believed
ENOUGH = 0.8
# Start tags times characters of text. resiliparse copies all it has written for each further line:
# 20,000 paragraphs and 0.8 MB take 2 s, 100,000 and 4 MB a minute (measured 2026, 1.1).
MAX_COPIED = 20_000_000_000

# What a main part may hold without being about it.
_MARGINS = [
    "nav",
    "footer",
    "aside:not([class*=foot])",  # docutils writes footnotes so
    ".headerlink",
    "#comments",
    ".sidebar",
    "[role=navigation]",
    "[role=complementary]",
]
# Ways to the next page that DocBook and Texinfo write into the text.
_PAGERS = [".navheader", ".navfooter", ".nav-panel"]
_has_article_type = re.compile(
    r"schema\.org/\w*(?:Article|BlogPosting)\b"
    r"|\"@type\"\s*+:\s*+\[?\s*+\"\w*(?:Article|BlogPosting)\""
).search

_UNREAD = frozenset({"script", "style", "noscript", "template", "textarea", "select", "option"})
_CELL_END = re.compile(r"</(?:t[dh]|T[DH]|caption|summary|legend)>(?=<)")


def is_article(html: str, og_type: str, articles: int) -> bool:
    """Whether a page is one piece of prose, by what it says of itself."""
    return og_type.lower() == "article" or articles == 1 or bool(_has_article_type(html))


def read_article(html: str) -> str:
    """The main text by trafilatura: slower, and better at prose; "" if it finds none."""
    from trafilatura import extract  # heavy, and most crawls never need it

    return extract(html, include_comments=False) or ""


def read_main(html: str, tree: Tree, declared: Node | None) -> str:
    """The main text; takes `tree` apart if the page declares its main part."""
    if _is_endless(html, tree):
        return _read_plainly(tree)
    if declared is not None:
        _isolate(tree, declared)
        text = _plain(tree, skip=_MARGINS + _PAGERS)
        if len(text) >= NEARLY_EMPTY:
            return text
        tree = HTMLTree.parse(html)
    text = _plain(tree, main_content=True)
    if len(text) >= SHORT:
        return text
    # On a short page a guess is a risk: it drops lists near the top of the body, words and all.
    everything = _plain(tree)
    return text if len(text) > ENOUGH * len(everything) else everything


def _is_endless(html: str, tree: Tree) -> bool:
    """Whether the lines of a page are too many and too long for resiliparse."""
    tags = html.count("<") - html.count("</")
    return tags * len(html) > MAX_COPIED and tags * len(tree.body.text) > MAX_COPIED


def _read_plainly(tree: Tree) -> str:
    """All text of a page, menus included, one line per piece."""
    pieces = (
        " ".join(node.value.split())
        for node in tree.body
        if node.type == TEXT and node.parent.tag not in _UNREAD
    )
    return "\n".join(filter(None, pieces))


def part_cells(html: str) -> str:
    """The page with a space between cells: resiliparse writes `<td>a</td><td>b</td>` as "ab"."""
    return _CELL_END.sub(r"\g<0> ", html)


def _plain(tree: Tree, *, main_content: bool = False, skip: list[str] | None = None) -> str:
    text: str = extract_plain_text(
        tree,
        main_content=main_content,
        list_bullets=False,
        alt_texts=False,
        links=False,
        skip_elements=skip or _PAGERS,
    )
    return text.strip()


def _isolate(tree: Tree, node: Node) -> None:
    """Leave nothing in the body but `node`."""
    body = tree.body
    node.parent.remove_child(node)
    for child in body.child_nodes:
        body.remove_child(child)
    body.append_child(node)
