"""Cuts out sections whose heading says that they are about other pages, or about the site.

The names of classes tell less and less, since programs make them up; a heading is for people.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.page.main_text.comments import has_records
from gossamer.core.page.main_text.side_headings import LONGEST, SHORTEST, Side, side_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.page.main_text.blocks import Blocks

MOST = 0.45  # of the text; a section beside it has less
LEADING = 0.1  # at least that share of it in links, for one that leads to other pages
LONG = 1000  # characters; with more, a section is not about the site
SEVERAL = 2  # more of the same heading are parts of records
MANY = 100  # headings; a page with more is about what they say

_RANKS = {f"h{n}": n for n in range(1, 7)}
_NO_HEADING = 2  # the rank of a text that is none
_MAY_HEAD = frozenset({"h2", "h3", "h4", "h5", "h6"} | set(str.split("p div span strong b legend")))


class _Heading(NamedTuple):
    at: int
    text: str
    side: Side


def cut_side_sections(blocks: Blocks, *, comments: bool = True, room: float = 0) -> None:
    """Cut out what stands below "Related articles" and the like; `comments` stand beside too.

    They may be longer than the text, as far as there is `room`.
    """
    most = MOST * blocks.list[0].chars
    headings = list(_headings(blocks))
    if not 0 < len(headings) <= MANY:
        return
    times = Counter(heading.text for heading in headings)
    before = _shown_before(blocks)
    for at, text, side in headings:
        if blocks.list[at].gone or times[text] > SEVERAL:
            continue
        if side is Side.COMMENTS and not comments:
            continue
        limit = max(most, room) if side is Side.COMMENTS else most
        section = _enclosing(blocks, at, before, limit) or _following(blocks, at)
        if _is_aside(blocks, section, side, limit):
            for part in section:
                blocks.cut(part)
    blocks.measure()


def _headings(blocks: Blocks) -> Iterator[_Heading]:
    for at, block in enumerate(blocks.list):
        if (
            SHORTEST <= block.chars <= LONGEST
            and block.own == block.chars
            and block.tag in _MAY_HEAD
            and not block.gone
            and (side := side_of(text := block.node.text))
        ):
            yield _Heading(at, text, side)


def _shown_before(blocks: Blocks) -> list[int]:
    """The characters that are shown before each block."""
    return [0, *accumulate(0 if block.gone else block.own for block in blocks.list)]


def _enclosing(blocks: Blocks, at: int, before: Sequence[int], most: float) -> list[int]:
    """The largest part that begins with a heading and has no other one of its rank."""
    rank = _RANKS.get(blocks.list[at].tag, _NO_HEADING)
    start = at
    while (above := blocks.list[start].parent) > 0:
        end = blocks.list[start].end
        if (
            before[above] != before[at]
            or blocks.list[above].chars >= most
            or _has_heading(blocks, range(above, start), rank)
            or _has_heading(blocks, range(end, blocks.list[above].end), rank)
        ):
            break
        start = above
    return [start] if blocks.list[start].chars > blocks.list[at].chars else []


def _following(blocks: Blocks, at: int) -> list[int]:
    """A heading and all that follows beside it, up to the next one of its rank."""
    rank = _RANKS.get(blocks.list[at].tag, 0)
    section = [at]
    for following in blocks.children(blocks.list[at].parent) if rank else ():
        if following > at:
            if _has_heading(blocks, range(following, blocks.list[following].end), rank):
                break
            section.append(following)
    return section if len(section) > 1 else []


def _has_heading(blocks: Blocks, places: range, rank: int) -> bool:
    return any(
        _RANKS.get(blocks.list[at].tag, 9) <= rank
        for at in places
        if blocks.list[at].chars and not blocks.list[at].gone
    )


def _is_aside(blocks: Blocks, section: list[int], side: Side, most: float) -> bool:
    chars = sum(blocks.list[at].chars for at in section)
    links = sum(blocks.list[at].links for at in section)
    if chars >= most:
        return False
    if side is Side.COMMENTS and chars >= LONG:
        return has_records(blocks, section)
    return links >= LEADING * chars or (side is not Side.PAGES and chars < LONG)
