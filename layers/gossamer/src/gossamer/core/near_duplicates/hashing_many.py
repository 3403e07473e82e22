"""SimHash and keys of many texts at once: what `hashing` has for each, in a third of the time.

Texts are short: one by one, most of the time goes into calling numpy.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from gossamer.core.arrays import is_first
from gossamer.core.near_duplicates.hashing import (
    KEYS,
    MIN_SHINGLES,
    MINIMA,
    ORDERS,
    WIDTH,
    key_of,
    shingles_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from gossamer.core.near_duplicates.hashing import Hashes, Shingles

    Ints = npt.NDArray[np.int64]

Hashed: TypeAlias = "tuple[int | None, tuple[bytes, ...]]"  # the SimHash of a text, and its keys

AT_ONCE: Final = 1 << 16  # shingles; their arrays fit into the cache
_BITS: Final = 8  # of an octet


def hashed(words: Hashes, starts: Ints) -> Iterator[Hashed]:
    """Simhash and keys of each text; the hashes of its words begin and end at `starts`."""
    first = 0
    while first < len(starts) - 1:
        last = int(np.searchsorted(starts, starts[first] + AT_ONCE, side="right")) - 1
        last = max(first + 1, last)
        some = starts[first : last + 1]
        yield from _hashed(words[some[0] : some[-1]], some - some[0])
        first = last


def _hashed(words: Hashes, starts: Ints) -> Iterator[Hashed]:
    found, edges = _shingles(words, starts)
    sizes = np.diff(edges)
    judged = sizes >= MIN_SHINGLES
    found, sizes = found[np.repeat(judged, sizes)], sizes[judged]
    begins = np.cumsum(sizes) - sizes
    values = iter(_simhashes(found, sizes))
    minima = iter(_minima(found, begins))
    for is_judged in judged.tolist():
        if is_judged:
            rows = next(minima).reshape(KEYS, MINIMA)
            yield next(values), tuple([key_of(row, number) for number, row in enumerate(rows)])
        else:
            yield None, ()


def _shingles(words: Hashes, starts: Ints) -> tuple[Shingles, Ints]:
    """The distinct shingles of each text, in order, and where those of each begin."""
    sizes = np.maximum(np.diff(starts) - WIDTH + 1, 0)
    edges = np.concatenate(([0], np.cumsum(sizes)))
    inside = np.arange(edges[-1]) + np.repeat(starts[:-1] - edges[:-1], sizes)
    found = shingles_of(words)[inside]
    for begin, end in pairwise(edges.tolist()):
        found[begin:end].sort()
    is_new = is_first(found)
    is_new[edges[:-1][sizes > 0]] = True
    counted = np.concatenate(([0], np.cumsum(is_new)))
    return found[is_new], counted[edges]


def _simhashes(found: Shingles, sizes: Ints) -> list[int]:
    """Each bit is the majority over the shingles of a text, counted octet by octet."""
    owners = np.repeat(np.arange(len(sizes)) << 8, sizes)
    octets = found.astype(">u8").view(np.uint8).reshape(-1, 8)
    votes: list[Ints] = []
    for place in range(8):
        counts = np.bincount(owners + octets[:, place], minlength=len(sizes) << 8)
        votes += _votes(counts.reshape(-1, 256).astype(np.int32))
    wins = np.stack(votes, axis=1) * 2 > sizes[:, np.newaxis]
    values: list[int] = np.packbits(wins, axis=1).view(">u8").reshape(-1).tolist()
    return values


def _votes(counts: npt.NDArray[np.int32]) -> Iterator[Ints]:
    """How many octets have each bit set, the highest bit first, by how often each octet is there.

    Octets with the highest bit are the upper half; folded upon the lower one, the next bit is the
    highest. A product of matrices would take less time of one core, but numpy starts a thread for
    every other core, which waits in a busy loop: 23 us of CPU for a text instead of 3.
    """
    for _ in range(_BITS):
        half = counts.shape[1] // 2
        yield counts[:, half:].sum(axis=1)
        counts = counts[:, :half] + counts[:, half:]


def _minima(found: Shingles, begins: Ints) -> Shingles:
    """The smallest shingle of each text in each permutation: a row per text."""
    if not len(begins):
        return np.zeros((0, len(ORDERS)), np.uint64)
    return np.stack([np.minimum.reduceat(found * order, begins) for order in ORDERS], axis=1)
