"""Find nearly equal texts with MinHash keys, SimHash and the Jaccard coefficient.

Two texts are similar if nine tenths of all their shingles (runs of three words) are in both: the
Jaccard coefficient of the two sets, which Broder calls resemblance. One changed word in fifty, or
one paragraph in twenty, lowers it to 0.9. Three steps, the cheapest first:

1. `keys` are four values for looking up candidates. Texts with a resemblance of 0.9 share a key in
   97 of 100 cases, more similar ones nearly always, and unrelated ones never. Four bands of a
   SimHash are not enough: of the texts with a resemblance of 0.90 to 0.92 they find six in ten.
2. `simhash` is 64 bits of a text; similar texts differ in few of them: in 6 on average at a
   resemblance of 0.9, unrelated ones in 32. It only excludes texts that need not be read: of the
   pages of one reference manual within 10 bits, 3 in 100 were similar.
3. `resemblance` is counted from both texts.

Case and punctuation are ignored. Numbers: `python -m scripts.bench duplicates`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from xxhash import xxh3_64_digest, xxh3_64_intdigest

from gossamer.core.arrays import distinct
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.vocabulary import MAX_CACHED, MAX_TERM

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

Hashes: TypeAlias = "npt.NDArray[np.uint64]"
Shingles: TypeAlias = "npt.NDArray[np.uint64]"  # hashes, sorted, each once

BITS: Final = 64
# Words of a shingle. With one or two, pages of one site are similar by their common words alone;
# with four, an edited word costs more and nothing is gained.
WIDTH: Final = 3
# Shorter texts are compared for equality only: one edited word changes too much of them.
MIN_SHINGLES: Final = 16
SIMILAR: Final = 0.9  # resemblance
MAX_DISTANCE: Final = 12  # bits; of 1000 similar pairs, 3 differ in more
KEYS: Final = 4
MINIMA: Final = 5  # MinHash values per key: 1 - (1 - 0.9^5)^4 = 0.97

_WORDS: Final = Analyzer(stem=False, stop_words=False)
_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX: Final = (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))
_HALF: Final = np.uint64(33)
_AT_ONCE: Final = 1 << 16  # shingles unpacked into bits at a time; a byte per bit, so 4 MB
# Odd factors: each permutes the shingles differently, so each has another minimum.
ORDERS: Final = np.array(
    [xxh3_64_intdigest(b"order", seed) | 1 for seed in range(KEYS * MINIMA)], np.uint64
)


class _Hashes(dict[str, int]):
    """A cache of word hashes: the words of a language are in every text."""

    def __missing__(self, word: str) -> int:
        # An analyzer may leave apostrophes around a word; they are punctuation here.
        plain = word.strip("'").lower()
        value = xxh3_64_intdigest(plain.encode("utf-8", "surrogatepass"))
        if len(word) <= MAX_TERM:
            if len(self) >= MAX_CACHED:
                self.clear()
            self[word] = value
        return value


_HASHES: Final = _Hashes()


def hashes(words: Sequence[str]) -> Hashes:
    """A number for each word, regardless of case."""
    return np.fromiter(map(_HASHES.__getitem__, words), np.uint64, len(words))


def shingles(text: str | Sequence[str] | Hashes) -> Shingles:
    """The shingles of a text, given as a string, as words or as hashes of words."""
    words = _WORDS.words(text) if isinstance(text, str) else text
    return distinct(shingles_of(words if isinstance(words, np.ndarray) else hashes(words)))


def shingles_of(words: Hashes) -> Hashes:
    """The shingle that begins with each word but the last ones."""
    count = len(words) - WIDTH + 1
    if count < 1:
        return np.empty(0, np.uint64)
    runs = words[:count].copy()
    for place in range(1, WIDTH):
        runs *= _STEP  # makes the result depend on the order of the words
        runs += words[place : place + count]
    return _mixed(runs)


def simhash(text: Shingles | str | Sequence[str]) -> int | None:
    """64 bits, most of which similar texts share; None for a text that is too short.

    Each bit is the majority over all shingles. A repeated shingle counts once.
    """
    found = _shingles(text)
    if len(found) < MIN_SHINGLES:
        return None
    votes = sum(_votes(found[at : at + _AT_ONCE]) for at in range(0, len(found), _AT_ONCE))
    return int.from_bytes(np.packbits(2 * votes > len(found)).tobytes(), "big")


def distance(a: int, b: int) -> int:
    """The number of bits in which two values differ."""
    return (a ^ b).bit_count()


def bands(value: int, most: int = MAX_DISTANCE) -> tuple[bytes, ...]:
    """Parts of a value, such that two values within the distance `most` share a part.

    There is one part more than bits may differ, so at least one part is equal.
    """
    return tuple([number + (value & mask).to_bytes(8, "big") for number, mask in _masks(most)])


def keys(text: Shingles | str | Sequence[str]) -> tuple[bytes, ...]:
    """Four keys of eight bytes; similar texts nearly always share at least one.

    Empty for a text that is too short. Each key is a hash of five MinHash values, so texts that are
    not similar share none, however many texts there are.
    """
    found = _shingles(text)
    if len(found) < MIN_SHINGLES:
        return ()
    minima = _minima(found).reshape(KEYS, MINIMA)
    return tuple([key_of(row, number) for number, row in enumerate(minima)])


def key_of(minima: Shingles, number: int) -> bytes:
    """One of the keys."""
    return xxh3_64_digest(minima.tobytes(), number)


def _minima(found: Shingles) -> Shingles:
    """The smallest shingle in each permutation; of a long text one permutation at a time."""
    if len(found) <= _AT_ONCE // len(ORDERS):
        together: Shingles = np.multiply.outer(ORDERS, found).min(axis=1)
        return together
    return np.array([(found * order).min() for order in ORDERS])


def resemblance(a: Shingles, b: Shingles) -> float:
    """The share of all shingles of two texts that are in both: 0 to 1."""
    both = np.concatenate([a, b])
    both.sort()
    common = int(np.count_nonzero(both[1:] == both[:-1]))
    return common / (len(both) - common) if len(both) else 1.0


def are_similar(a: Shingles, b: Shingles, least: float = SIMILAR) -> bool:
    """Whether two texts resemble each other enough. Texts that are too short must be equal."""
    if min(len(a), len(b)) < MIN_SHINGLES:
        return np.array_equal(a, b)
    if min(len(a), len(b)) < least * max(len(a), len(b)):  # the result cannot reach `least`
        return False
    return resemblance(a, b) >= least


def _shingles(text: Shingles | str | Sequence[str]) -> Shingles:
    return text if isinstance(text, np.ndarray) else shingles(text)


@lru_cache
def _masks(most: int) -> list[tuple[bytes, int]]:
    """The number of each part, and a mask of its bits."""
    edges = [BITS * number // (most + 1) for number in range(most + 2)]
    ranges = enumerate(pairwise(edges))
    return [(bytes([number]), (1 << high) - (1 << low)) for number, (low, high) in ranges]


def _votes(some: Shingles) -> npt.NDArray[np.uint32]:
    """How many shingles have each bit set, the highest bit first."""
    bits = np.unpackbits(some.astype(">u8").view(np.uint8).reshape(-1, BITS // 8), axis=1)
    votes: npt.NDArray[np.uint32] = bits.sum(axis=0, dtype=np.uint32)
    return votes


def _mixed(values: Shingles) -> Shingles:
    """The finaliser of MurmurHash: every bit of a value changes half of the result's bits."""
    for factor in _MIX:
        values ^= values >> _HALF
        values *= factor
    return values ^ (values >> _HALF)
