"""Finds the part of a page that holds its prose, by its long paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.core.page.main_text.blocks import Block, Blocks

LONG = 60  # characters; a shorter paragraph may be a caption or a button
SOME = 400  # characters; with less there is no telling where the text is
NEARLY_ALL = 0.8  # of the prose

_PARAGRAPHS = frozenset({"p", "pre", "blockquote", "li", "dd"})
_PARTS = _PARAGRAPHS | {"ul", "ol", "table"}


def prose_part(blocks: Blocks, start: int) -> int:
    """The place of the innermost part inside of `start` that has nearly all of its prose."""
    _measure(blocks)
    enough = NEARLY_ALL * blocks.list[start].prose
    if blocks.list[start].prose < SOME:
        return start
    while (inner := _child_with(blocks, start, enough)) is not None:
        start = inner
    return start


def _child_with(blocks: Blocks, start: int, enough: float) -> int | None:
    for at in blocks.children(start):
        if blocks.list[at].prose >= enough:
            return at if blocks.list[at].tag not in _PARTS else None
    return None


def _measure(blocks: Blocks) -> None:
    for block in blocks.list:
        block.prose = 0
    for block in reversed(blocks.list[1:]):
        if block.tag in _PARAGRAPHS:
            block.prose = _in_paragraph(block)
        blocks.list[block.parent].prose += block.prose


def _in_paragraph(block: Block) -> int:
    return max(0, block.chars - block.links) if block.chars > LONG else 0
