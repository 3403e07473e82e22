"""Keys of similar texts and their founders, as arrays in the order of the keys.

What a batch changes is one *run*. Of a key that several runs have, the newest counts, and runs are
merged when they are many. Most keys that are looked up are in no run: the *heads* of a run, which
are the upper halves of its keys, tell so for all but one in ten thousand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gossamer.core.arrays import is_first
from gossamer.core.index.segments.identities import ID_BYTES
from gossamer.core.index.segments.numbers import runs as ranges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.index.segments.identities import Ids
    from gossamer.core.index.segments.numbers import Ints

Keys: TypeAlias = "npt.NDArray[np.uint64]"
Heads: TypeAlias = "npt.NDArray[np.uint32]"

KEY_BYTES = 8
_HALF = np.uint64(32)
_NONE = np.zeros(0, np.int64)
_ROW_BYTES = 2 * KEY_BYTES + ID_BYTES
FAN = 16  # runs that are merged


class Rows(NamedTuple):
    """Founders by ascending key, several of a key one behind another.

    A key that was forgotten has one row, without an id.
    """

    keys: Keys
    values: Keys  # SimHashes
    ids: Ids

    def take(self, chosen: npt.NDArray[np.generic] | slice) -> Rows:
        """Some of the rows."""
        return Rows(self.keys[chosen], self.values[chosen], self.ids[chosen])

    def heads(self) -> Heads:
        """The upper halves of the keys."""
        return (self.keys >> _HALF).astype(np.uint32)

    def known(self) -> Rows:
        """Without the keys that were forgotten."""
        return self.take(self.ids != b"")

    def blocks(self, size: int) -> Iterator[bytes]:
        """The rows in pieces of so many, packed."""
        for begin in range(0, len(self.keys), size):
            some = self.take(slice(begin, begin + size))
            yield b"".join([array.tobytes() for array in some])


def unpacked(block: bytes) -> Rows:
    """The rows of a packed piece."""
    count = len(block) // _ROW_BYTES
    keys, values = np.frombuffer(block, "<u8", 2 * count).reshape(2, count)
    return Rows(keys, values, np.frombuffer(block, f"S{ID_BYTES}", count, 2 * KEY_BYTES * count))


def numbers_of(keys: Sequence[bytes]) -> Keys:
    """Keys as numbers, which are in the same order."""
    return np.frombuffer(b"".join(keys), ">u8").astype(np.uint64)


def joined(parts: Sequence[Rows]) -> Rows:
    """The rows of some, one behind another."""
    if not parts:
        return unpacked(b"")
    return Rows(*map(np.concatenate, zip(*parts, strict=True)))


def merged(runs: Sequence[Rows]) -> Rows:
    """The rows of several runs, newest first: of a key those of the newest run that has it."""
    rows = joined(runs)
    order = np.argsort(rows.keys, kind="stable")
    age = np.repeat(np.arange(len(runs)), [len(run.keys) for run in runs])[order]
    begins = is_first(rows.keys[order])
    newest = age[begins][np.cumsum(begins) - 1]
    return rows.take(order[age == newest])


def candidates(heads: Heads, wanted: Keys) -> tuple[Ints, Ints]:
    """The rows that may have some ascending keys: the place of the key, and that of the row."""
    if not len(heads):
        return _NONE, _NONE
    tops = (wanted >> _HALF).astype(np.uint32)
    begins = heads.searchsorted(tops)
    there = np.flatnonzero(heads.take(begins, mode="clip") == tops)
    begins = begins[there]
    sizes = heads.searchsorted(tops[there], side="right") - begins
    return np.repeat(there, sizes), ranges(begins, sizes)


def by_block(rows: Ints, size: int) -> Iterator[tuple[int, Ints]]:
    """In which blocks some ascending rows are, and where in them."""
    blocks = rows // size
    begins = np.flatnonzero(is_first(blocks))
    # Of no rows there is one piece all the same, and no block.
    for block, some in zip(blocks[begins].tolist(), np.split(rows, begins[1:]), strict=False):
        yield block, some - block * size


def mergeable(counts: Sequence[int], largest: int) -> int | None:
    """From which run on runs are merged: the newest ones, if FAN of them are of a size.

    Those that have more than the `largest` size are not merged again.
    """
    limit = FAN
    while limit <= largest:
        first = len(counts)
        while first and counts[first - 1] < limit:
            first -= 1
        if len(counts) - first >= FAN:
            return first
        limit *= FAN
    return None
