"""Finds the part that a page declares to be its main one, and believes it only with reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.page.html_tree import Node
    from gossamer.core.page.main_text.blocks import Block, Blocks

BELIEVED = 0.5  # of the text that is left beside margins


def declared_part(blocks: Blocks, *, articles: bool) -> int:
    """The place of the main element, if it has most of the text; or of the article in it.

    On a forum every post may be an article, and a long one is not the text: there `articles` is
    false.
    """
    main = _narrowed(blocks, 0, _is_main)
    return _narrowed(blocks, main, _is_article) if articles else main


def largest(nodes: list[Node]) -> Node | None:
    """The one with the most text: a page may have several, and the first may be a frame."""
    return max(nodes, key=_length) if len(nodes) > 1 else next(iter(nodes), None)


def _length(node: Node) -> int:
    return len(node.text)


def _narrowed(blocks: Blocks, start: int, wanted: Callable[[Block], bool]) -> int:
    found = blocks.outermost(start, wanted)
    best = max(found, key=lambda at: blocks.list[at].chars, default=start)
    enough = BELIEVED * blocks.list[start].chars
    return best if blocks.list[best].chars >= enough else start


def _is_main(block: Block) -> bool:
    return block.tag == "main" or block.node.getattr("role") == "main"


def _is_article(block: Block) -> bool:
    return block.tag == "article"
