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

from gossamer.core.arrays import distinct
from gossamer.search.budget import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.index.segments.dictionary import Layer
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.search.budget import Budget

    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

# Scores are added as whole numbers of this unit: a sum is the same in whichever order its parts
# were read, and equal scores are equal.
UNIT = 1 << 40
MOST_LISTS = 16  # bits that say in which lists a document was met; with more, all is read
WORTHWHILE = 4_000  # postings; fewer are read at once
# Postings of several lists. Of 250,000 documents, the best for two frequent words were known after
# ten thousand postings each in 6 of 134 cases, and to note in which lists a document was met takes
# as long as reading twice as many.
WORTHWHILE_TOGETHER = 1_000_000
# Postings that are read in the time in which one document is looked up in a list.
LOOK_UP = 100
SOME = 128  # documents of each list that say how much the best have at least


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

    def known(self, number: int) -> Layer | None:
        """A layer, if it was read."""


@dataclass(frozen=True, slots=True)
class ScoredList:
    """A list, and what an impact of 1 adds to a score."""

    layers: Layers
    scale: float
    live_df: int  # live documents in the list
    is_among_others: bool = False  # all its documents are in another list too that is not so
    extra: float = 0.0  # what being in it adds, whatever the impact

    def adds(self) -> Ints:
        """What each of 256 impacts adds to a score, in units."""
        adds: Ints = np.rint(_IMPACTS * (self.scale * UNIT)).astype(np.int64)
        adds[1:] += round(self.extra * UNIT)
        return adds


def rank_parts(levels_add: Floats) -> Ints:
    """What each of 256 levels adds to a score, in units."""
    return np.rint(levels_add * UNIT).astype(np.int64)


class Scratch:
    """Room for the scores of a segment's documents, used again and again.

    A segment may have a million documents of which a query meets some thousands.
    """

    def __init__(self, documents: int) -> None:
        self.scores = np.zeros(documents, np.int64)
        self.met = np.zeros(documents, np.uint16)

    def clear(self, touched: Sequence[Ints]) -> None:
        """Forget what was noted of some documents."""
        if is_much(sum(map(len, touched)), len(self.scores)):
            self.scores.fill(0)
            self.met.fill(0)
            return
        for documents in touched:
            self.scores[documents] = 0
            self.met[documents] = 0


def is_much(postings: int, documents: int) -> bool:
    """Whether it takes less to look at all documents than at those of so many postings."""
    return postings > documents // 8


@dataclass(frozen=True, slots=True)
class Candidates:
    """Which documents may be found, and what each has besides its words."""

    live: Mask | None  # None: all of them
    allowed: Mask | None  # None: whatever is in a list
    levels: npt.NDArray[np.uint8]
    rank_parts: Ints  # what each level adds to a score
    scratch: Scratch

    @property
    def most_by_rank(self) -> int:
        """The most that any document has by its rank."""
        return int(self.rank_parts[int(self.levels.max(initial=0))])

    def among(self, documents: Ints) -> Ints:
        """Those of some documents that may be found."""
        for mask in (self.live, self.allowed):
            if mask is not None:
                documents = documents[mask[documents]]
        return documents

    def matching(self) -> Mask | Ints:
        """Not 0 for documents that match, when all lists were read: allowed, or with a score."""
        if self.allowed is None:
            return (
                self.scratch.scores if self.live is None else (self.scratch.scores != 0) & self.live
            )
        return self.allowed if self.live is None else self.allowed & self.live


@dataclass(frozen=True, slots=True)
class Top:
    """The best documents, best first; of equals the one with the lower number."""

    documents: Ints
    scores: Ints  # in units
    total: int  # how many match, or at least how many
    is_exact: bool
    matching: Ints | None = None  # all that match, if they were asked for


def top(
    lists: Sequence[ScoredList],
    among: Candidates,
    count: int,
    *,
    all_of_them: bool,
    budget: Budget = UNLIMITED,
) -> Top:
    """The `count` best documents; with `all_of_them` the total is exact. Raises OverBudget."""
    few = _few(lists, among)
    if few is not None:
        return _top_of(few, lists, among, count, budget)
    reader = _Reader(lists, among, all_of_them, budget)
    try:
        for depth in () if all_of_them else _depths(lists):
            reader.read_to(depth)
            if reader.is_certain(count):
                return reader.result(count)
        reader.read_rest()
        return reader.result(count)
    finally:
        reader.clear()


def _few(lists: Sequence[ScoredList], among: Candidates) -> Ints | None:
    """All documents that match, if it takes less to look them up than to read the lists."""
    if among.allowed is None:
        return None
    most = sum(each.layers.df for each in lists) // LOOK_UP
    matching = among.matching()
    return np.flatnonzero(matching) if np.count_nonzero(matching) < most else None


def _top_of(
    found: Ints, lists: Sequence[ScoredList], among: Candidates, count: int, budget: Budget
) -> Top:
    """The best of some documents, each looked up in all lists."""
    scores = among.rank_parts.take(among.levels[found])
    for each in lists:
        budget.check()
        scores += each.adds().take(impacts_of(each.layers, found))
    return Top(*_best(found, scores, count), len(found), True, found)


def impacts_of(layers: Layers, wanted: Ints) -> Ints:
    """How heavy a list is in some documents, 0 where it is not; all its layers are read."""
    weights = np.zeros(len(wanted), np.int64)
    for number in range(len(layers.bounds)):
        documents, impacts = layers.layer(number)
        places = documents.searchsorted(wanted)
        there = documents.take(places, mode="clip") == wanted
        weights[there] = impacts[places[there]]
    return weights


def _depths(lists: Sequence[ScoredList]) -> Sequence[int]:
    """After how many layers to look whether that is enough; none, if all is read at once."""
    postings = sum(each.layers.df for each in lists)
    is_one_word = sum(not each.is_among_others for each in lists) == 1
    if len(lists) > MOST_LISTS or postings <= (WORTHWHILE if is_one_word else WORTHWHILE_TOGETHER):
        return ()
    return (1, 3, 4) if is_one_word else (3, 4)


class _Reader:
    """What was read of the lists so far."""

    def __init__(
        self, lists: Sequence[ScoredList], among: Candidates, all_of_them: bool, budget: Budget
    ) -> None:
        self._lists, self._among, self._all_of_them = lists, among, all_of_them
        self._budget = budget
        self._scores, self._met = among.scratch.scores, among.scratch.met
        self._adds = [each.adds() for each in lists]
        self._bounds = [each.layers.bounds for each in lists]
        self._read = [0] * len(lists)
        self._most_by_rank = among.most_by_rank
        self._alone = len(lists) == 1 and not self._most_by_rank
        self._touched: list[Ints] = []
        self._found: list[Ints] = []
        self._has_scores = False  # of every document that matches

    def clear(self) -> None:
        """Leave the room as it was."""
        self._among.scratch.clear(self._touched)

    def _next_bound(self, number: int) -> int:
        """The most that a document can still have by a list in which it was not met."""
        bounds, read = self._bounds[number], self._read[number]
        return int(self._adds[number][bounds[read]]) if read < len(bounds) else 0

    def _next_bounds(self) -> list[int]:
        return [self._next_bound(number) for number in range(len(self._lists))]

    def read_to(self, depth: int) -> None:
        """Read so many layers of each list."""
        for number, bounds in enumerate(self._bounds):
            while self._read[number] < min(depth, len(bounds)):
                self._read_layer(number)

    def read_rest(self) -> None:
        """Read every layer."""
        if not all(adds[1] for adds in self._adds):
            # Where words do not count, who was met is not seen by the scores.
            self.read_to(max(map(len, self._bounds), default=0))
            return
        for number, bounds in enumerate(self._bounds):
            for layer in range(self._read[number], len(bounds)):
                self._budget.check()
                documents, impacts = self._lists[number].layers.layer(layer)
                self._touched.append(documents)
                # Half of what `scores[documents] += …` takes.
                np.add.at(self._scores, documents, self._adds[number].take(impacts))
            self._read[number] = len(bounds)
        self._has_scores = True

    def _is_unread(self, number: int) -> bool:
        return self._read[number] < len(self._bounds[number])

    def _is_any_unread(self) -> bool:
        """Whether a layer is left; it may add nothing, where words do not count."""
        return any(map(self._is_unread, range(len(self._lists))))

    def _read_layer(self, number: int) -> None:
        self._budget.check()
        documents, impacts = self._lists[number].layers.layer(self._read[number])
        self._touched.append(documents)
        self._found.append(self._among.among(documents[self._met[documents] == 0]))
        np.add.at(self._scores, documents, self._adds[number].take(impacts))
        self._met[documents] |= np.uint16(1 << number % MOST_LISTS)
        self._read[number] += 1

    def is_certain(self, count: int) -> bool:
        """Whether nothing unread can change the best `count` documents."""
        if not self._is_any_unread():
            return True
        bounds = self._next_bounds()
        if sum(map(len, self._found)) < count:
            return False
        found, least = self._scored(np.concatenate(self._found))
        threshold = int(np.partition(least, len(least) - count)[len(least) - count])
        unmet = sum(bounds) + self._most_by_rank
        # Alone in one list, an unmet document with the same impact has a higher number, and loses.
        if unmet > threshold or (unmet == threshold and not self._alone):
            return False
        missing = _missing(bounds)[self._met[found]]
        rivals = least + missing >= threshold
        return not bool(missing[rivals].any())

    def _scored(self, found: Ints) -> tuple[Ints, Ints]:
        """Documents, and what they have at least."""
        scores = self._scores[found]
        if self._most_by_rank:
            scores += self._among.rank_parts[self._among.levels[found]]
        return found, scores

    def result(self, count: int) -> Top:
        """The best documents by what was read."""
        if self._has_scores and self._among.allowed is None and not self._is_much():
            touched: Ints = distinct(np.concatenate([_NONE, *self._touched]), in_runs=True)
            self._found = [self._among.among(touched)]
        elif self._has_scores or self._among.allowed is not None:
            return self._among_all(count)
        unread = self._is_any_unread()
        met = np.concatenate([_NONE, *self._found])
        total, is_exact = self._total(len(met), unread)
        return Top(*_best(*self._scored(met), count), total, is_exact, None if unread else met)

    def _is_much(self) -> bool:
        return is_much(sum(map(len, self._touched)), len(self._scores))

    def _among_all(self, count: int) -> Top:
        """The best of all documents that match, read or not: what was not met counts by its rank.

        Most have a score that is too low to be looked at.
        """
        matching = self._among.matching()
        if self._is_any_unread():
            found = np.concatenate([_NONE, *self._found])
        else:
            found = self._good_enough(matching, self._least(count))
        everything = np.flatnonzero(matching) if self._all_of_them else None
        total = int(np.count_nonzero(matching))
        return Top(*_best(*self._scored(found), count), total, True, everything)

    def _good_enough(self, matching: Mask | Ints, least: int) -> Ints:
        """Those that match and have so much by their words."""
        if matching is self._scores:
            return np.flatnonzero(self._scores >= max(1, least))
        return np.flatnonzero(matching & (self._scores >= least))

    def _least(self, count: int) -> int:
        """What the best `count` documents have at least by their words: some have that much."""
        heavy = [each.layers.layer(0).documents[:SOME] for each in self._lists if each.layers.df]
        known = self._among.among(distinct(np.concatenate([_NONE, *heavy]), in_runs=True))
        if len(known) < count:
            return 0
        _, scores = self._scored(known)
        return int(np.partition(scores, len(scores) - count)[-count]) - self._most_by_rank

    def _total(self, found: int, unread: bool) -> tuple[int, bool]:
        if not unread:
            return found, True
        counting = [each.live_df for each in self._lists if not each.is_among_others]
        return max([found, *counting]), len(counting) == 1


_IMPACTS = np.arange(256)
_NONE = np.zeros(0, np.int64)


def _missing(bounds: Sequence[int]) -> Ints:
    """By the lists in which a document was met (a bit each), what it can have by the others."""
    sums = np.zeros(1, np.int64)
    for bound in bounds:
        sums = np.concatenate((sums + bound, sums))
    return sums


def _best(found: Ints, scores: Ints, count: int) -> tuple[Ints, Ints]:
    if count < len(found):
        threshold = np.partition(scores, len(scores) - count)[len(scores) - count]
        chosen = np.flatnonzero(scores >= threshold)
        found, scores = found[chosen], scores[chosen]
    order = np.lexsort((found, -scores))[:count]
    return found[order], scores[order]
