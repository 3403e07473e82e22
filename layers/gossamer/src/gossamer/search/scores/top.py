"""The best documents of one segment, exactly, without looking at more of its lists than needed.

Every list lies in layers of falling impact. Layers are taken from the heaviest down, and their
documents are looked up in the other lists. Of each it is then known what it has at least (what was
found) and at most (that, and the bound of the next layer of each list that is not looked up in to
its end and in which it was not found); of all others at most the sum of the next bounds. As soon as
no document outside of the best `count` can have as much as the last of them, and these are known
completely, nothing below can change the result. The proof is in docs/index.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.arrays import distinct
from gossamer.search.budget import UNLIMITED
from gossamer.search.scores.candidates import best_of, kth
from gossamer.search.scores.every_score import best_of_all
from gossamer.search.scores.scored_list import impacts_in, impacts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.index.segments.dictionary import Impacts
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.search.budget import Budget
    from gossamer.search.scores.candidates import Candidates
    from gossamer.search.scores.scored_list import ScoredList

    Mask = npt.NDArray[np.bool_]

WORTHWHILE = 4_000  # postings; fewer are read at once
# Postings of several lists up to which all documents in them are counted, so all lists are read.
WORTHWHILE_TOGETHER = 1_000_000
# After so many layers it is looked whether that is enough. They have 640, 2,688 and 10,880
# postings: of 250,000 documents, the best for two frequent words are among the first 2,688 of
# each list in most cases.
DEPTHS_OF_ONE, DEPTHS = (1, 3, 4), (2, 3, 4)
# Lists with layers below the last depth. What a document may have in so many of them is always more
# than the best are known to have: of a million documents, eight words took 40 ms instead of 21.
MAX_LONG_LISTS = 5
FEW = 2_000  # documents that are looked up in all lists, rather than read from the top
NONE = np.zeros(0, np.int64)


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
    """The `count` best documents; with `all_of_them` the total is exact. Raises OverBudget.

    Where something without a bound is added to scores, all documents that match are looked at.
    """
    all_of_them = all_of_them or among.boost is not None
    postings = sum([each.layers.df for each in lists])
    if among.allowed is None and postings <= WORTHWHILE and not _is_begun(lists):
        return _top_of(_in_any(lists, among), lists, among, count, budget)
    matching = _matching(lists, among, postings, all_of_them, budget)
    total = int(np.count_nonzero(matching)) if matching is not None else -1
    if matching is not None and total <= FEW:
        return _top_of(np.flatnonzero(matching), lists, among, count, budget)
    best = None if among.boost else _best_of_heaviest(lists, among, count, budget)
    if best is None:
        if matching is None:
            matching = _union(lists, among, budget)
            total = int(np.count_nonzero(matching))
        best = best_of_all(lists, among, matching, count, budget)
    if matching is None:
        return Top(*best, *_total(lists, len(best[0])))
    return Top(*best, total, True, np.flatnonzero(matching) if all_of_them else None)


def _is_begun(lists: Sequence[ScoredList]) -> bool:
    """Whether there is one list, of which the heaviest postings were read and others were not."""
    counting = [each.layers for each in _counting(lists)]
    begun = [layers for layers in counting if layers.df and layers.known(0) is not None]
    return len(counting) == 1 and bool(begun) and not begun[0].is_known()


def _top_of(
    found: Ints, lists: Sequence[ScoredList], among: Candidates, count: int, budget: Budget
) -> Top:
    """The best of all documents that match, each looked up in all lists."""
    words = np.zeros(len(found), np.int64)
    for each in lists:
        budget.check()
        words += each.adds().take(impacts_of(each.layers, found))
    scores = among.whole_scores(found, words)
    return Top(*best_of(found, scores, count), len(found), True, found)


def _in_any(lists: Sequence[ScoredList], among: Candidates) -> Ints:
    """The documents of short lists."""
    layers = [e.layers.layer(n) for e in _counting(lists) for n in range(len(e.layers.bounds))]
    documents = np.concatenate([NONE, *[layer.documents for layer in layers]])
    return among.among(documents if len(layers) == 1 else distinct(documents, in_runs=True))


def _counting(lists: Sequence[ScoredList]) -> list[ScoredList]:
    """The lists that have all documents of the others."""
    return [each for each in lists if not each.is_among_others] or list(lists)


def _matching(
    lists: Sequence[ScoredList],
    among: Candidates,
    postings: int,
    all_of_them: bool,
    budget: Budget,
) -> Mask | None:
    """All documents that match; None if it would take too long to find out which."""
    if among.allowed is not None:
        return among.allowed if among.live is None else among.allowed & among.live
    is_counted = len(_counting(lists)) == 1 or postings > WORTHWHILE_TOGETHER
    return None if is_counted and not all_of_them else _union(lists, among, budget)


def _union(lists: Sequence[ScoredList], among: Candidates, budget: Budget) -> Mask:
    """The documents that are in any list."""
    there = np.zeros(len(among.levels), np.uint8)
    for each in _counting(lists):
        budget.check()
        impacts = each.layers.by_document()
        if impacts is not None:
            there |= impacts
            continue
        for number in range(len(each.layers.bounds)):
            there[each.layers.layer(number).documents] = 1
    found: Mask = there != 0
    return found if among.live is None else found & among.live


def _total(lists: Sequence[ScoredList], found: int) -> tuple[int, bool]:
    """How many match at least, and whether that is exact, if not all were looked at."""
    counting = [each.live_df for each in _counting(lists)]
    return max([found, *counting]), len(counting) == 1


def _best_of_heaviest(
    lists: Sequence[ScoredList], among: Candidates, count: int, budget: Budget
) -> tuple[Ints, Ints] | None:
    """The best documents, if they are among the heaviest of the lists."""
    long_lists = sum([len(each.layers.bounds) > DEPTHS[-1] for each in lists])
    if long_lists > MAX_LONG_LISTS or not any([each.layers.df for each in lists]):
        return None
    is_one_word = len(_counting(lists)) == 1
    heaviest = Heaviest(lists, among, count, budget)
    for depth in DEPTHS_OF_ONE if is_one_word else DEPTHS:
        found = heaviest.best(depth)
        if found is not None:
            return found
    return None


class Known:
    """A list as far as it is known."""

    def __init__(self, scored: ScoredList) -> None:
        self.layers = scored.layers
        self.adds = scored.adds()
        self.bounds = self.layers.bounds
        self.depth = 0  # layers whose documents were taken
        self._whole: Impacts | None = None
        self.is_whole = self.layers.is_known()

    def next_bound(self) -> int:
        """The most that a document has by this list which is in no layer that was taken."""
        return int(self.adds[self.bounds[self.depth]]) if self.depth < len(self.bounds) else 0

    def heaviest(self) -> tuple[Ints, Impacts]:
        """The documents of the layers that are taken, and their impacts."""
        layers = [self.layers.layer(number) for number in range(min(self.depth, len(self.bounds)))]
        if len(layers) == 1:
            return layers[0]
        documents, impacts = zip(*layers, strict=True)
        return np.concatenate(documents), np.concatenate(impacts)

    def look_up(self, documents: Ints) -> tuple[Ints, Ints | int]:
        """What some documents have by this list, and what they may have beyond it."""
        if self.is_whole or self.depth >= len(self.bounds):
            return self.adds.take(impacts_of(self.layers, documents)), 0
        impacts = impacts_in(self.layers, documents, self.depth)
        return self.adds.take(impacts), np.where(impacts == 0, self.next_bound(), 0)


class Heaviest:
    """The documents of the heaviest layers of some lists, and what they have by all lists."""

    def __init__(
        self, lists: Sequence[ScoredList], among: Candidates, count: int, budget: Budget
    ) -> None:
        self._lists = [Known(each) for each in lists if each.layers.df]
        self._among, self._count, self._budget = among, count, budget
        self._most_by_rank = among.most_by_rank
        # In one list, a document that was not taken and has the same impact has a higher number,
        # and loses. Where words add nothing, a document in no list may have a lower one.
        is_alone = len(self._lists) == 1 and not self._most_by_rank
        self._wins_ties = is_alone and bool(self._lists[0].adds[1])

    def best(self, depth: int) -> tuple[Ints, Ints] | None:
        """The best documents, if nothing below so many layers can change them."""
        for each in self._lists:
            each.depth = depth
        found, least, missing = self._met()
        if len(found) < self._count:
            return None
        threshold = kth(least, self._count)
        unmet = sum([each.next_bound() for each in self._lists]) + self._most_by_rank
        if unmet > threshold or (unmet == threshold and not self._wins_ties):
            return None
        if bool((missing[least + missing >= threshold] > 0).any()):
            return None
        return best_of(found, least, self._count)

    def _met(self) -> tuple[Ints, Ints, Ints]:
        """Documents, each once, what they have at least, and what they may have beyond it.

        Those that cannot be among the best are left out.
        """
        met = [self._met_in(each) for each in self._lists]
        enough = [kth(least, self._count) for found, least, _ in met if len(found) >= self._count]
        threshold = max(enough, default=0)
        rows = []
        for found, least, missing in met:
            chosen = np.flatnonzero(least + missing >= threshold)
            rows.append((found[chosen], least[chosen], missing[chosen]))
        found, least, missing = map(np.concatenate, zip(*rows, strict=True))
        if len(rows) == 1:
            return found, least, missing
        found, first = np.unique(found, return_index=True)
        return found, least[first], missing[first]

    def _met_in(self, one: Known) -> tuple[Ints, Ints, Ints]:
        """The heaviest documents of a list."""
        self._budget.check()
        found, impacts = one.heaviest()
        for mask in (self._among.live, self._among.allowed):
            if mask is not None:
                chosen = np.flatnonzero(mask[found])
                found, impacts = found[chosen], impacts[chosen]
        least, missing = one.adds.take(impacts), np.zeros(len(found), np.int64)
        if self._most_by_rank:
            least += self._among.by_rank(found)
        for other in self._lists:
            if other is not one:
                added, beyond = other.look_up(found)
                least += added
                missing += beyond
        return found, least, missing
