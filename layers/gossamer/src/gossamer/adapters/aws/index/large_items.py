"""Split items of the index that exceed DynamoDB's limit of 400 KB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.manifest import Packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.adapters.aws.dynamodb.table import Raw

EMPTY = " "  # a sort key may not be empty; no word and no number is this
MAX_PART = 350_000  # bytes of postings and positions; keys and names take far less than the rest


def cut(item: Packed) -> Iterator[tuple[bytes, bytes, int | None]]:
    """The postings and positions of each row; the first of several says how many there are."""
    split, total = len(item.postings), len(item.postings) + len(item.positions)
    count = -(-total // MAX_PART)
    if count < 2:
        yield item.postings, item.positions, None
        return
    for begin in range(0, total, MAX_PART):
        end = begin + MAX_PART
        yield (
            item.postings[begin:end],
            item.positions[max(0, begin - split) : max(0, end - split)],
            None if begin else count,
        )


def join(key: str, rows: Iterable[Raw], sort: str) -> list[Packed]:
    """Items out of their rows, which come in order; `sort` names the attribute of the sort key."""
    found: list[Packed] = []
    missing = 0
    for row in rows:
        name, _, part = row[sort]["S"].partition("!")
        name = "" if name == EMPTY else name
        postings, positions = _bytes(row, "x"), _bytes(row, "p")
        if part and missing and found[-1].sort == name:
            last = found.pop()
            postings, positions = last.postings + postings, last.positions + positions
            missing -= 1
        elif part or missing:
            raise CorruptRecord(f"an item of the index is not whole: {key} {name}")
        else:
            missing = _number(row, "n", 1) - 1
        found.append(
            Packed(key, name, postings, positions, _number(row, "df"), _number(row, "imp"))
        )
    if missing:
        raise CorruptRecord(f"an item of the index is not whole: {key} {found[-1].sort}")
    return found


def _bytes(row: Raw, name: str) -> bytes:
    value: bytes = row[name]["B"] if name in row else b""
    return value


def _number(row: Raw, name: str, otherwise: int = 0) -> int:
    return int(row[name]["N"]) if name in row else otherwise
