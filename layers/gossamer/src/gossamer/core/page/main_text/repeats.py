"""Cuts out what a page says twice, such as a description for small and for large screens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.core.page.main_text.blocks import Block, Blocks

LEAST = 20  # characters; shorter texts may well be said twice
LONGEST_PRICE = 20  # characters
_is_price = re.compile(r"(?=.*[$€£¥₹])[^\W\d_]{0,5}[\W\d_]{2,16}[^\W\d_]{0,5}\Z").match

_RECORDS = frozenset({"li", "tr", "dd", "dt"})
_LISTS = frozenset({"ul", "ol", "dl", "table"})
_TEXTS = frozenset(
    str.split("p li h1 h2 h3 h4 h5 h6 td th dt dd blockquote pre figcaption div section article")
)


def cut_repeats(blocks: Blocks, start: int, *, records: bool = True) -> None:
    """Leave every text inside of `start` once, where it stands first.

    Not so in a list or a table of `records`: these have some in common, as plans have features.
    There a text is left once in each record, unless the whole list has been said before.
    """
    said: dict[str, set[int]] = {}
    again: list[tuple[int, int]] = []  # places of texts that were said before, and of their lists
    new = set()  # lists that say something new
    records_of, lists_of = _around(blocks, _RECORDS), _around(blocks, _LISTS)
    for at in _innermost(blocks, start):
        record = records_of[at] if records else 0
        of = lists_of[record]
        before = said.setdefault(" ".join(blocks.list[at].node.text.split()), set())
        if before:
            again.append((at, 0 if record in before else of))
        else:
            new.add(of)
        before.add(record)
    for at, of in again:
        if not of or of not in new:
            blocks.cut(at)


def cut_repeated_prices(blocks: Blocks, start: int) -> None:
    """Leave a price once where it is said twice in a row, as the regular one and the one to pay."""
    said: set[str] = set()
    for at in range(start + 1, blocks.list[start].end):
        block = blocks.list[at]
        if not block.own or block.gone:
            continue
        text = block.node.text.strip() if block.own == block.chars <= LONGEST_PRICE else ""
        if not _is_price(text):
            said.clear()
        elif text in said:
            blocks.cut(at)
        else:
            said.add(text)


def _around(blocks: Blocks, tags: frozenset[str]) -> list[int]:
    """The innermost block of these tags that holds each, or is it; 0 if there is none."""
    around: list[int] = []
    for at, block in enumerate(blocks.list):
        around.append(at if block.tag in tags else around[block.parent] if at else 0)
    return around


def _innermost(blocks: Blocks, start: int) -> list[int]:
    """The places of long texts that hold no other one."""
    end = blocks.list[start].end
    texts = [at for at in range(start + 1, end) if _is_text(blocks.list[at])]
    following = [*texts[1:], end]
    return [
        at
        for at, after in zip(texts, following, strict=False)
        if after >= blocks.list[at].end and blocks.list[at].chars >= LEAST
    ]


def _is_text(block: Block) -> bool:
    return block.chars > 0 and not block.gone and block.tag in _TEXTS
