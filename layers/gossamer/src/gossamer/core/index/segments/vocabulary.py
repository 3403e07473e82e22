"""The words of a segment as they are written, and which of them have a gram.

A gram is q letters in a row; words have marks before and behind them, so that the first and the
last letter are in q grams, too. Words that differ by few edits have most grams in common: of
`max(len(a), len(b)) + q - 1` an edit changes at most q, a swap of two letters q + 1. So the lists
of a word's grams name every word within some edits of it, and few others.

Words lie by length, so those that may be near enough are neighbours. Grams are told apart by a hash
of 16 bits: one that is taken for another only adds words that are looked at in vain.

A segment keeps the words alone. Its lists follow from them, and making them takes no longer than
unpacking them did: they were 70 to 74 % of the region.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.numbers import Unpacker, decompress, joined, pack, starts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.index.segments.numbers import Buffer, Ints

VOCABULARY = "vocabulary"  # the region
# Of a segment: those in the most documents. A word that one of a million pages has is more often a
# mistake than a word that is meant, and a search has all of them in memory.
MOST_WORDS = 150_000
# Letters. With one mistake more they are longer than what may have mistakes by default.
SHORTEST, LONGEST = 3, 40
_MARK = "\0"
# Some scripts write vowels as marks, which are no letters to Unicode.
_has_only_letters = re.compile(r"[^\s\d\x00-\x40_]+").fullmatch
_BUCKETS = 1 << 16
_FACTOR, _SPREAD = np.uint32(0x01000193), np.uint32(0x9E3779B1)


class Counted(NamedTuple):
    """Words, and in how many documents each is."""

    words: list[str]
    counts: list[int]


def is_listed(word: str) -> bool:
    """Whether a word may be what another was meant to be: numbers and names of fields are not."""
    if not SHORTEST <= len(word) <= LONGEST:
        return False
    if word.isalpha() or word.replace("'", "").isalpha():  # don't
        return True
    return not word.isascii() and bool(_has_only_letters(word))


def most_frequent(known: Counted, most: int = MOST_WORDS) -> Counted:
    """As many words, in the same order; of equally frequent ones the first."""
    if len(known.words) <= most:
        return known
    best = np.argsort(-np.array(known.counts), kind="stable")[:most]
    kept = np.sort(best).tolist()
    return Counted([known.words[at] for at in kept], [known.counts[at] for at in kept])


def pack_vocabulary(known: Counted, q: int) -> bytes:
    """Words as a region; nothing if there are none."""
    if not known.words:
        return b""
    lengths = np.fromiter(map(len, known.words), np.int64, len(known.words))
    order = np.argsort(lengths, kind="stable").tolist()  # of equal length as they came: by letters
    words = [known.words[at] for at in order]
    names = "\n".join(words).encode()
    head = pack(np.array([q, len(words), len(names)]))
    return joined([head, names, pack(np.array(known.counts)[order])])


def _grams(words: Sequence[str], q: int) -> npt.NDArray[np.uint16]:
    """The hashes of all grams, word by word: each has as many as letters, and q - 1 more."""
    marks = _MARK * (q - 1)
    text = "".join([marks, marks.join(words), marks])
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    count = len(codes) - q + 1
    hashes = np.zeros(count, np.uint32)
    for place in range(q):
        hashes = hashes * _FACTOR + codes[place : place + count]
    found: npt.NDArray[np.uint16] = ((hashes * _SPREAD) >> np.uint32(16)).astype(np.uint16)
    return found


def _inner_grams(piece: str, q: int) -> npt.NDArray[np.uint16]:
    """The hashes of the grams that lie in a piece of a word."""
    return _grams([piece], q)[q - 1 : len(piece)]


class Vocabulary:
    """The words of a segment."""

    def __init__(self, data: Buffer, what: str) -> None:
        unpacker = Unpacker(decompress(data, what), what)
        self.q, count, size = unpacker.numbers(3).tolist()
        self.words = bytes(unpacker.raw(size)).decode().split("\n")
        self.counts = unpacker.numbers(count).astype(np.int64)
        if not unpacker.is_at_end:  # the lists, which were kept at first
            unpacker.numbers(int(unpacker.numbers(_BUCKETS).sum()))
        unpacker.end()
        lengths = np.fromiter(map(len, self.words), np.int64, len(self.words))
        if len(self.words) != count or not np.array_equal(np.sort(lengths), lengths):
            raise CorruptRecord(f"{what} is damaged: its parts do not fit together")
        self._lengths = lengths
        keys = _grams(self.words, self.q)
        owners = np.repeat(np.arange(count, dtype=np.uint32), lengths + self.q - 1)
        self._starts = starts_of(np.bincount(keys, minlength=_BUCKETS))
        self._lists = owners[np.argsort(keys, kind="stable")]

    @property
    def nbytes(self) -> int:
        """How much memory it takes, about."""
        return self._lists.nbytes + self._starts.nbytes + 90 * len(self.words)

    @cached_property
    def frequencies(self) -> dict[str, int]:
        """In how many documents each word was when the segment was written."""
        return dict(zip(self.words, self.counts.tolist(), strict=True))

    def like(self, word: str, edits: int, shared: int = 0) -> Ints:
        """The places of all words within so many edits, and of some others.

        With `shared` only of those that have so many grams in common with it.
        """
        low, high = np.searchsorted(self._lengths, [len(word) - edits, len(word) + edits + 1])
        lengths = self._lengths[low:high]
        needed = np.maximum(lengths, len(word)) + self.q - 1 - edits * (self.q + 1)
        needed = np.maximum(needed, shared)
        if not len(lengths) or needed.max() <= 0:
            return np.arange(low, high)
        places: Ints = np.flatnonzero(self._shared(word)[low:high] >= needed) + low
        return places

    def has(self, word: str) -> bool:
        """Whether it is one of the words."""
        low, high = np.searchsorted(self._lengths, [len(word), len(word) + 1]).tolist()
        at = bisect_left(self.words, word, low, high)
        return at < high and self.words[at] == word

    def containing(self, piece: str) -> Ints:
        """The places of all words that have some letters in a row, at least as many as a gram."""
        keys, starts = _inner_grams(piece, self.q), self._starts
        if not len(keys):
            return np.zeros(0, np.int64)
        rarest = min(keys.tolist(), key=lambda key: int(starts[key + 1] - starts[key]))
        places = np.unique(self._lists[starts[rarest] : starts[rarest + 1]]).tolist()
        return np.array([at for at in places if piece in self.words[at]], np.int64)

    def _shared(self, word: str) -> Ints:
        """How many grams each word has in common with a word, at least."""
        keys = _grams([word], self.q).tolist()
        starts = self._starts
        lists = np.concatenate([self._lists[starts[key] : starts[key + 1]] for key in keys])
        found: Ints = np.bincount(lists, minlength=len(self.words))
        return found


def listed(terms: Sequence[str], sizes: Sequence[int], mark: str) -> Counted:
    """Those of some terms, each in so many documents, that are words as written after a mark."""
    pairs = [
        (word, size)
        for term, size in zip(terms, sizes, strict=True)
        if is_listed(word := term.removeprefix(mark))
    ]
    return Counted([word for word, _ in pairs], [size for _, size in pairs])


def together(known: Iterable[Counted]) -> Counted:
    """The words of several, each of which has others."""
    every = list(known)
    words = [word for each in every for word in each.words]
    return Counted(words, [count for each in every for count in each.counts])
