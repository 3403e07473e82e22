"""The filters of a query in one part of the index: which documents they let through."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gossamer.core.search.plan import Between, Filter, leaves
from gossamer.search.boolean import column_of, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.search.plan import Match
    from gossamer.search.budget import Budget
    from gossamer.search.segment_view import SegmentView

    Mask = npt.NDArray[np.bool_]


class _Filter(NamedTuple):
    column: str  # that it is about; "" if it is about several, or about words
    passes: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Filters:
    """What each filter lets through."""

    each: Sequence[_Filter]

    @staticmethod
    def of(asked: Iterable[Match | None], view: SegmentView, budget: Budget) -> Filters:
        """The filters of a plan in a segment."""
        return Filters([_Filter(_column(one), matches(view, one, budget)) for one in asked])

    @property
    def columns(self) -> frozenset[str]:
        """Columns that a filter is about, and nothing else is."""
        return frozenset([one.column for one in self.each if one.column])

    def among(self, documents: Mask | None) -> Mask | None:
        """Those of some documents that all filters let through; None stands for all documents."""
        given = [] if documents is None else [documents]
        masks = [*given, *(one.passes for one in self.each)]
        return reduce(np.logical_and, masks) if masks else None

    def among_others(self, column: str, documents: Mask) -> Ints:
        """Those of some documents that all filters but those about a column let through."""
        others = [one.passes for one in self.each if one.column != column]
        return np.flatnonzero(reduce(np.logical_and, [documents, *others]))


def _column(asked: Match | None) -> str:
    found = list(leaves(asked))
    names = {column_of(leaf) if isinstance(leaf, Filter | Between) else "" for leaf in found}
    return names.pop() if len(names) == 1 else ""
