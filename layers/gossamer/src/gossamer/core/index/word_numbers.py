"""Number the words of many plain texts at once: equal words have equal numbers.

Splitting a text into strings and looking each up takes a fifth of a microsecond per word, most of
it for strings that were there before. Here words are found and compared as arrays; only distinct
ones become strings. Exact: a word is compared by all of its letters.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, count
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    Ints = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.int32]
    Letters = npt.NDArray[np.uint64]

_IS_WORD: Final = bytes(chr(code).isalnum() or chr(code) == "'" for code in range(128)) + bytes(128)
_APOSTROPHE: Final = ord("'")
_CELL: Final = 8  # letters that are compared at once
_FIRST: Final = np.array([(1 << 8 * size) - 1 for size in range(_CELL + 1)], np.uint64)
_LONG: Final = np.uint64(0xFF << 56)  # no letter of a plain text has this bit
SLOT_BITS: Final = 17
ROUNDS: Final = 8  # then the few that are left are looked up one by one
_STEP: Final = np.uint64(0xC4CEB9FE1A85EC53)
_FACTORS: Final = [np.uint64(0x9E3779B97F4A7C15 + (round << 40)) for round in range(ROUNDS)]


class Numbered(NamedTuple):
    """The words of some texts, one text behind the other."""

    words: list[str]  # by number; one may be there twice
    numbers: Numbers
    sizes: Ints  # words by text

    def joined(self, counts: Sequence[int]) -> Numbered:
        """Texts that were cut into so many pieces each, at least one."""
        firsts = np.cumsum([0, *counts])[:-1]
        return self._replace(sizes=np.add.reduceat(self.sizes, firsts))

    def beside(self, is_own: npt.NDArray[np.bool_], others: Sequence[list[str]]) -> Numbered:
        """These and other texts, given as words, in the order that `is_own` says."""
        known = numbering(len(self.words))
        sizes = np.empty(len(is_own), np.int64)
        sizes[is_own] = self.sizes
        sizes[~is_own] = list(map(len, others))
        is_of_own = np.repeat(is_own, sizes)
        numbers = np.empty(len(is_of_own), np.int32)
        numbers[is_of_own] = self.numbers
        numbers[~is_of_own] = list(map(known.__getitem__, chain.from_iterable(others)))
        return Numbered([*self.words, *known], numbers, sizes)


def numbering(first: int = 0) -> defaultdict[str, int]:
    """Gives each new word the next number.

    A dictionary that asks itself for its length would be part of a cycle, and cycles are looked for
    seldom while much is indexed: the words of a hundred lots took 700 MB.
    """
    return defaultdict(count(first).__next__)


def number_plain(texts: Sequence[str]) -> Numbered:
    """The words of texts of ASCII only: runs of letters, digits and single apostrophes."""
    text = "\n".join(["", *texts, ""])
    data = text.encode("ascii")
    starts, ends = _edges(data)
    first, others = _letters(data, starts, ends)
    like = _alike(first, others)
    distinct = np.flatnonzero(like == np.arange(len(like), dtype=np.int32))
    number = np.empty(len(like), np.int32)
    number[distinct] = np.arange(len(distinct), dtype=np.int32)
    places = zip(starts[distinct].tolist(), ends[distinct].tolist(), strict=True)
    begins = np.cumsum([1, *(len(each) + 1 for each in texts)])
    sizes = np.diff(np.searchsorted(starts, begins))
    return Numbered([text[start:end] for start, end in places], number[like], sizes)


def _edges(data: bytes) -> tuple[Ints, Ints]:
    """Where words begin and end; the data begin and end with a sign."""
    if b"''" in data:
        data = data.replace(b"''", b"  ")
    inside = np.frombuffer(bytearray(data.translate(_IS_WORD)), np.bool_)
    signs = np.flatnonzero(np.frombuffer(data, np.uint8) == _APOSTROPHE)
    inside[signs[~(inside[signs - 1] | inside[signs + 1])]] = False  # alone it is no word
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    return edges[::2], edges[1::2]


def _letters(data: bytes, starts: Ints, ends: Ints) -> tuple[Letters, Letters]:
    """The first eight letters of each word as a number, and its other letters as another.

    Beyond sixteen letters, the second one is a number that only words of the same ending have.
    """
    sizes = ends - starts
    # The number that begins at each byte.
    cells = np.ndarray((len(data) + _CELL,), "<u8", data + bytes(2 * _CELL), 0, (1,))
    first = cells[starts] & _FIRST[np.minimum(sizes, _CELL)]
    others = np.zeros(len(starts), np.uint64)
    more = np.flatnonzero(sizes > _CELL)
    rest = np.minimum(sizes[more] - _CELL, _CELL)
    others[more] = cells[starts[more] + _CELL] & _FIRST[rest]
    long = np.flatnonzero(sizes > 2 * _CELL)
    known: dict[bytes, int] = {}
    places = zip((starts[long] + _CELL).tolist(), ends[long].tolist(), strict=True)
    endings = [known.setdefault(data[begin:end], len(known)) for begin, end in places]
    others[long] = np.array(endings, np.uint64) | _LONG
    return first, others


def _alike(first: Letters, others: Letters) -> Numbers:
    """For each word the place of one that is equal, the same for all of them.

    A hash table as an array: each word writes its place into its slot, and reads who has written
    last. If that is another word, all that are equal to the loser try again with other slots.
    """
    like = np.empty(len(first), np.int32)
    left = np.arange(len(first), dtype=np.int32)
    slots = np.empty(1 << SLOT_BITS, np.int32)
    mixed = first ^ (others * _STEP)
    for factor in _FACTORS:
        slot = ((mixed[left] * factor) >> np.uint64(64 - SLOT_BITS)).astype(np.int64)
        slots[slot] = left
        found = slots[slot]
        like[left] = found
        left = left[(first[found] != first[left]) | (others[found] != others[left])]
        if not len(left):
            return like
    pairs = zip(first[left].tolist(), others[left].tolist(), strict=True)
    known: dict[tuple[int, int], int] = {}
    like[left] = [known.setdefault(p, n) for p, n in zip(pairs, left.tolist(), strict=True)]
    return like
