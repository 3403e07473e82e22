"""The best documents of one segment, exactly, without reading more of its lists than needed.

Every list lies in layers of falling impact. Layers are read from the heaviest down. After each
round it is known of every document met so far what it has at least (what was read) and at most
(that, and the bound of the next unread layer of each list in which it was not met), and of the
others at most the sum of these bounds. As soon as no document outside of the best `count` can have
as much as the last of them, and these are known completely, nothing below can change the result.
The proof is in docs/index.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.index.segments.dictionary import Layer
    from gossamer.core.index.segments.numbers import Ints

    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

# Scores are added as whole numbers of this unit: a sum is the same in whichever order its parts
# were read, and equal scores are equal.
UNIT = 1 << 32
MOST_LISTS = 16  # bits that say in which lists a document was met; with more, all is read
WORTHWHILE = 4_000  # postings; fewer are read at once


class Layers(Protocol):
    """Postings in layers of falling impact."""

    @property
    def df(self) -> int:
        """How many postings there are."""

    @property
    def bounds(self) -> list[int]:
        """The highest impact in each layer."""

    def layer(self, number: int) -> Layer:
        """A layer."""


@dataclass(frozen=True, slots=True)
class ScoredList:
    """A list, and what an impact of 1 adds to a score."""

    layers: Layers
    scale: float
    live_df: int  # live documents in the list


def rank_parts(levels_add: Floats) -> Ints:
    """What each of 256 levels adds to a score, in units."""
    return np.rint(levels_add * UNIT).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Which documents may be found, and what each has besides its words."""

    live: Mask
    allowed: Mask | None  # None: whatever is in a list
    levels: npt.NDArray[np.uint8]
    rank_parts: Ints  # what each level adds to a score

    @property
    def most_by_rank(self) -> int:
        """The most that any document has by its rank."""
        return int(self.rank_parts[int(self.levels.max(initial=0))])


@dataclass(frozen=True, slots=True)
class Top:
    """The best documents, best first; of equals the one with the lower number."""

    documents: Ints
    scores: Ints  # in units
    total: int  # how many match, or at least how many
    is_exact: bool


def top(lists: Sequence[ScoredList], among: Candidates, count: int, *, all_of_them: bool) -> Top:
    """The `count` best documents; with `all_of_them` the total is exact."""
    reader = _Reader(lists, among)
    postings = sum(each.layers.df for each in lists)
    # Where words add nothing to scores, no bound says what is still to be met.
    is_weightless = any(each.scale * UNIT < 1 for each in lists)
    if all_of_them or postings <= WORTHWHILE or len(lists) > MOST_LISTS or is_weightless:
        reader.read_all()
        return reader.result(count)
    while not reader.is_certain(count):
        reader.read_more()
    return reader.result(count)


class _Reader:
    """What was read of the lists so far."""

    def __init__(self, lists: Sequence[ScoredList], among: Candidates) -> None:
        self._lists, self._among = lists, among
        size = len(among.live)
        self._scores = np.zeros(size, np.int64)
        self._met = np.zeros(size, np.uint16)
        self._adds = [np.rint(_IMPACTS * (each.scale * UNIT)).astype(np.int64) for each in lists]
        self._bounds = [each.layers.bounds for each in lists]
        self._read = [0] * len(lists)
        self._alone = len(lists) == 1 and not among.most_by_rank

    def _next_bound(self, number: int) -> int:
        """The most that a document can still have by a list in which it was not met."""
        bounds, read = self._bounds[number], self._read[number]
        return int(self._adds[number][bounds[read]]) if read < len(bounds) else 0

    def _next_bounds(self) -> list[int]:
        return [self._next_bound(number) for number in range(len(self._lists))]

    def read_all(self) -> None:
        """Read every layer."""
        for number, bounds in enumerate(self._bounds):
            while self._read[number] < len(bounds):
                self._read_layer(number)

    def read_more(self) -> None:
        """Read the next layer of the lists that can add the most."""
        bounds = self._next_bounds()
        for number, bound in enumerate(bounds):
            if bound and 2 * bound >= max(bounds):
                self._read_layer(number)

    def _read_layer(self, number: int) -> None:
        documents, impacts = self._lists[number].layers.layer(self._read[number])
        self._scores[documents] += self._adds[number][impacts]
        self._met[documents] |= np.uint16(1 << number % MOST_LISTS)
        self._read[number] += 1

    def is_certain(self, count: int) -> bool:
        """Whether nothing unread can change the best `count` documents."""
        bounds = self._next_bounds()
        if not any(bounds):
            return True
        found, least = self._found()
        if len(found) < count:
            return False
        threshold = int(np.partition(least, len(least) - count)[len(least) - count])
        unmet = sum(bounds) + self._among.most_by_rank
        # Alone in one list, an unmet document with the same impact has a higher number, and loses.
        if unmet > threshold or (unmet == threshold and not self._alone):
            return False
        missing = _missing(bounds)[self._met[found]]
        rivals = least + missing >= threshold
        return not bool(missing[rivals].any())

    def _found(self) -> tuple[Ints, Ints]:
        """The documents that were met, and what they have at least."""
        met = self._met != 0
        met &= self._among.live
        if self._among.allowed is not None:
            met &= self._among.allowed
        return self._scored(np.flatnonzero(met))

    def _scored(self, found: Ints) -> tuple[Ints, Ints]:
        among = self._among
        return found, self._scores[found] + among.rank_parts[among.levels[found]]

    def result(self, count: int) -> Top:
        """The best documents by what was read."""
        allowed, unread = self._among.allowed, any(self._next_bounds())
        if allowed is None:
            found, scores = self._found()
            total, is_exact = self._total(len(found), unread)
            return _best(found, scores, count, total, is_exact)
        matching = allowed & self._among.live
        total = int(np.count_nonzero(matching))
        # What was not met has a score by its rank alone, and counts where all was read.
        found, scores = self._found() if unread else self._scored(np.flatnonzero(matching))
        return _best(found, scores, count, total, is_exact=True)

    def _total(self, found: int, unread: bool) -> tuple[int, bool]:
        if not unread:
            return found, True
        most = max(each.live_df for each in self._lists)
        return max(found, most), len(self._lists) == 1


_IMPACTS = np.arange(256)


def _missing(bounds: Sequence[int]) -> Ints:
    """By the lists in which a document was met (a bit each), what it can have by the others."""
    sums = np.zeros(1, np.int64)
    for bound in bounds:
        sums = np.concatenate((sums + bound, sums))
    return sums


def _best(found: Ints, scores: Ints, count: int, total: int, is_exact: bool) -> Top:
    if count < len(found):
        threshold = np.partition(scores, len(scores) - count)[len(scores) - count]
        chosen = np.flatnonzero(scores >= threshold)
        found, scores = found[chosen], scores[chosen]
    order = np.lexsort((found, -scores))[:count]
    return Top(found[order], scores[order], total, is_exact)
