"""Which documents of a segment may be found, and which of some are the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.index.segments.numbers import Ints

    Mask = npt.NDArray[np.bool_]


class Scratch:
    """Room for the scores of a segment's documents, used again and again: it is large."""

    def __init__(self, documents: int) -> None:
        self.scores = np.zeros(documents, np.int64)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Which documents may be found, and what each has besides its words."""

    live: Mask | None  # None: all of them
    allowed: Mask | None  # None: whatever is in a list
    levels: npt.NDArray[np.uint8]
    rank_parts: Ints  # what each level adds to a score
    scratch: Scratch
    # What documents get besides, by what they have by their words; no bound of it is known.
    boost: Callable[[Ints, Ints], Ints] | None = None

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

    def by_rank(self, documents: Ints) -> Ints:
        """What some documents have by their ranks."""
        return self.rank_parts.take(self.levels[documents])

    def whole_scores(self, documents: Ints, words: Ints) -> Ints:
        """What documents have in all, by what they have by their words."""
        scores = words + self.by_rank(documents)
        return scores if self.boost is None else scores + self.boost(documents, words)


def kth(scores: Ints, count: int) -> int:
    """The score that so many have at least."""
    place = len(scores) - count
    return int(np.partition(scores, place)[place])


def best_of(found: Ints, scores: Ints, count: int) -> tuple[Ints, Ints]:
    """The best of some documents, best first; of equals the one with the lower number."""
    if count < len(found):
        chosen = np.flatnonzero(scores >= kth(scores, count))
        found, scores = found[chosen], scores[chosen]
    order = np.lexsort((found, -scores))[:count]
    return found[order], scores[order]
