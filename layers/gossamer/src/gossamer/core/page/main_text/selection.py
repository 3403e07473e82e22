"""Reads a main text by choosing among the blocks of a page, according to its type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from resiliparse.parse.html import HTMLTree

from gossamer.core.page.html_tree import select_all
from gossamer.core.page.main_text.blocks import Blocks
from gossamer.core.page.main_text.comments import cut_comments, room_for_comments
from gossamer.core.page.main_text.declared import declared_part
from gossamer.core.page.main_text.margins import (
    REVIEWS,
    TALK,
    WRITERS,
    cut_link_lists,
    cut_margins,
    cut_named,
    is_mostly_text,
)
from gossamer.core.page.main_text.page_type import PageType
from gossamer.core.page.main_text.plain import PAGERS, isolate, write
from gossamer.core.page.main_text.prose import prose_part
from gossamer.core.page.main_text.repeats import cut_repeated_prices, cut_repeats
from gossamer.core.page.main_text.side_sections import cut_side_sections

if TYPE_CHECKING:
    from gossamer.core.page.html_tree import Node, Tree

NEARLY_EMPTY = 25  # characters
LITTLE = 3000  # characters that are shown; with fewer, a page may need scripts to show more

# Names of margins on pages of a type.
_MORE = {PageType.PRODUCT: REVIEWS, PageType.FORUM: WRITERS}
_NOSCRIPT = re.compile(r"<(/?)noscript\b", re.IGNORECASE)
_SKIPPED = [*PAGERS, ".headerlink"]


def read_selected(html: str, tree: Tree, kind: PageType) -> str:
    """The text of the blocks that are the page's own; "" if hardly any are. Takes `tree` apart."""
    tree, blocks = _with_blocks(html, tree)
    if blocks is None:
        return ""
    part = _choose(blocks, kind, html)
    if blocks.list[part].chars < NEARLY_EMPTY:
        return ""
    _take_out(blocks)
    if part:
        isolate(tree, blocks.list[part].node)
    text = write(tree, skip=_SKIPPED)
    return text if len(text) >= NEARLY_EMPTY else ""


def _choose(blocks: Blocks, kind: PageType, html: str) -> int:
    """Cut out what is not of the text, and return the place of the part that holds it."""
    cut_margins(blocks)
    forum = kind is PageType.FORUM
    room = 0.0  # for comments; on a forum they are the text, and beside a product, reviews
    if kind not in (PageType.FORUM, PageType.PRODUCT):
        room = room_for_comments(blocks, is_article=kind is PageType.ARTICLE)
        cut_comments(blocks, html, room)
    cut_named(blocks, _MORE.get(kind, frozenset()), TALK if forum else frozenset())
    if kind is PageType.ARTICLE or is_mostly_text(blocks):
        cut_side_sections(blocks, comments=not forum, room=room)
        cut_link_lists(blocks)
    part = declared_part(blocks, articles=not forum)
    if kind is PageType.ARTICLE:
        part = prose_part(blocks, part)
    # On a forum, what one post says again is a quotation of another.
    cut_repeats(blocks, part, records=not forum)
    if kind is not PageType.ARTICLE:
        cut_repeated_prices(blocks, part)
    return part


def _take_out(blocks: Blocks) -> None:
    for at in range(1, len(blocks.list)):
        block = blocks.list[at]
        if block.gone and not blocks.list[block.parent].gone:
            block.node.parent.remove_child(block.node)


def _with_blocks(html: str, tree: Tree) -> tuple[Tree, Blocks | None]:
    """The page with its blocks, as a browser without scripts shows it if that is more.

    Discourse, for one, writes the posts of a topic into <noscript>.
    """
    blocks = Blocks.of(tree.body) if tree.body is not None else None
    if blocks is None or not _needs_scripts(tree, blocks.list[0].chars):
        return tree, blocks
    tree = HTMLTree.parse(_NOSCRIPT.sub(r"<\1div", html))
    return tree, Blocks.of(tree.body) if tree.body is not None else None


def _needs_scripts(tree: Tree, shown: int) -> bool:
    """Whether a page holds more for browsers without scripts than it shows to all."""
    if shown > LITTLE:
        return False
    spare = max(map(_length, select_all(tree.document, "noscript")), default=0)
    return spare > max(shown, NEARLY_EMPTY)


def _length(node: Node) -> int:
    return len(node.text)
