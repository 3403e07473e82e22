"""Cuts out what a page says twice, such as a description for small and for large screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.core.page.main_text.blocks import Block, Blocks

LEAST = 20  # characters; shorter texts may well be said twice

_TEXTS = frozenset(
    str.split("p li h1 h2 h3 h4 h5 h6 td th dt dd blockquote pre figcaption div section article")
)


def cut_repeats(blocks: Blocks, start: int) -> None:
    """Leave every text inside of `start` once, where it stands first."""
    seen: set[str] = set()
    for at in _innermost(blocks, start):
        if blocks.list[at].chars >= LEAST:
            text = " ".join(blocks.list[at].node.text.split())
            if text in seen:
                blocks.cut(at)
            seen.add(text)


def _innermost(blocks: Blocks, start: int) -> list[int]:
    """The places of texts that hold no other one."""
    end = blocks.list[start].end
    texts = [at for at in range(start + 1, end) if _is_text(blocks.list[at])]
    following = [*texts[1:], end]
    return [at for at, after in zip(texts, following, strict=False) if after >= blocks.list[at].end]


def _is_text(block: Block) -> bool:
    return block.chars > 0 and not block.gone and block.tag in _TEXTS
