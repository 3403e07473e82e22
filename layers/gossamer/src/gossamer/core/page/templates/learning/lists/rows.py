"""Records of several rows: a title, its votes below, an empty row, and so on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from gossamer.core.page.templates.learning.lists.records import sign_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree

LEAST: Final = 3  # records
MOST_ROWS: Final = 4  # of a record
ALIKE: Final = 0.8  # of the records have as many rows


def heads_of(rows: Sequence[etree._Element]) -> list[etree._Element]:
    """The first rows of records, if rows of some kinds take turns; none if they do not."""
    if len({row.getparent() for row in rows}) != 1:
        return []
    signs = [sign_of(row) for row in rows]
    frequent = {sign for sign, count in Counter(signs).items() if count >= LEAST}
    first = next((sign for sign in signs if sign in frequent), "")
    heads = [row for row, sign in zip(rows, signs, strict=True) if sign == first]
    return heads if 2 <= len(frequent) <= MOST_ROWS and rows_below(heads) else []


def rows_below(heads: Sequence[etree._Element]) -> int:
    """How many rows belong to a record below its first one; 0 if they differ."""
    known = set(heads)
    gaps = [_gap(head, known) for head in heads[:-1]]
    usual, count = Counter(gaps).most_common(1)[0] if gaps else (0, 0)
    is_usual = count >= ALIKE * len(gaps) and usual < MOST_ROWS
    return usual if is_usual else 0


def _gap(head: etree._Element, heads: set[etree._Element]) -> int:
    count = 0
    for node in head.itersiblings():
        if node in heads or count == MOST_ROWS:
            break
        count += 1
    return count
