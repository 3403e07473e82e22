"""The best documents of a segment by the scores of all: every list is read to its end.

Most have a score that is too low to be looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.arrays import distinct
from gossamer.search.scores.candidates import best_of, kth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.index.segments.numbers import Ints
    from gossamer.search.budget import Budget
    from gossamer.search.scores.candidates import Candidates
    from gossamer.search.scores.scored_list import ScoredList

    Mask = npt.NDArray[np.bool_]

NONE = np.zeros(0, np.int64)
SOME = 128  # documents of each list that say how much the best have at least


def best_of_all(
    lists: Sequence[ScoredList], among: Candidates, matching: Mask, count: int, budget: Budget
) -> tuple[Ints, Ints]:
    """The best of all documents that match: who is in no list counts by its rank."""
    scores = among.scratch.scores
    try:
        for each in lists:
            adds = each.adds()
            for number in range(len(each.layers.bounds)):
                budget.check()
                documents, impacts = each.layers.layer(number)
                np.add.at(scores, documents, adds.take(impacts))  # half of what `+=` takes
        least = _least(lists, among, count) if among.boost is None else 0
        found = np.flatnonzero(matching & (scores >= least) if least > 0 else matching)
        budget.check()
        return best_of(found, among.whole_scores(found, scores[found]), count)
    finally:
        scores.fill(0)


def _least(lists: Sequence[ScoredList], among: Candidates, count: int) -> int:
    """What the best `count` documents have at least by their words: some have that much."""
    heavy = [each.layers.layer(0).documents[:SOME] for each in lists if each.layers.df]
    known = among.among(distinct(np.concatenate([NONE, *heavy]), in_runs=True))
    if len(known) < count:
        return 0
    scores = among.scratch.scores[known] + among.by_rank(known)
    return kth(scores, count) - among.most_by_rank
