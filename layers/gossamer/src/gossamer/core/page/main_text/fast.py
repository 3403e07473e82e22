"""The quick way to a main text: what a page declares, else what resiliparse guesses.

Documentation is read so: its generators declare the main part well, and choosing among blocks
costs as much again as parsing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from resiliparse.parse.html import HTMLTree

from gossamer.core.page.main_text.declared import largest
from gossamer.core.page.main_text.plain import PAGERS, is_endless, isolate, write, write_pieces

if TYPE_CHECKING:
    from gossamer.core.page.html_tree import Node, Tree

SHORT = 1000  # characters; a longer text is believed
NEARLY_EMPTY = 25  # characters
ENOUGH = 0.8  # of what is visible, for a guess
SOME = 0.25  # of a guess, for a declared part

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


def read_fast(html: str, tree: Tree, declared: list[Node]) -> str:
    """The main text; takes `tree` apart if the page declares its main part."""
    if tree.body is None:
        return ""
    if is_endless(html, tree):
        return write_pieces(tree)
    text = ""
    if (part := largest(declared)) is not None:
        isolate(tree, part)
        text = write(tree, skip=_MARGINS + PAGERS)
        if len(text) >= SHORT:
            return text
        tree = HTMLTree.parse(html)
    guess = write(tree, main_content=True)
    if len(text) >= NEARLY_EMPTY and len(text) > SOME * len(guess):
        return text
    return _checked(guess, tree)


def _checked(guess: str, tree: Tree) -> str:
    """A guess, or all that is visible where it drops too much.

    On a short page it drops lists near the top of the body, words and all.
    """
    if len(guess) >= SHORT:
        return guess
    everything = write(tree)
    return guess if len(guess) > ENOUGH * len(everything) else everything
