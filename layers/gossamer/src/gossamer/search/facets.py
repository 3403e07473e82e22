"""Count the values of columns among the documents that match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.segments.columns import KeywordColumn, KeywordsColumn, NumberColumn
from gossamer.core.search.result import FacetValue
from gossamer.search.budget import NOT_COUNTED, UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.core.index.segments.columns import Column
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.search.budget import Budget
    from gossamer.search.ranking import Ranked
    from gossamer.search.snapshot import Snapshot

MOST_VALUES = 20  # of a facet, that are shown: the most frequent
NEVER = KeywordColumn([], np.zeros(0, np.uint8))


@dataclass(frozen=True, slots=True, eq=False)
class FacetColumn:
    """A column of all parts, whose values have the same numbers everywhere.

    It is made when it is first counted, and kept with the snapshot.
    """

    values: list[str]  # ascending; number 0 is none of them, number 1 the first
    parts: list[tuple[KeywordColumn | KeywordsColumn, Ints]]  # with the numbers of their codes

    def counts(self, matching: Mapping[int, Ints]) -> Ints:
        """How many documents have each value, by its number."""
        counts = np.zeros(len(self.values) + 1, np.int64)
        for part, documents in matching.items():
            column, numbers = self.parts[part]
            if column.keywords:
                counts[numbers] += column.counts(documents)
        return counts


def facets(
    columns: Mapping[str, str],
    snapshot: Snapshot,
    ranked: Ranked,
    budget: Budget = UNLIMITED,
) -> dict[str, list[FacetValue]]:
    """The most frequent values of columns, by the names they are asked for by.

    A filter on a column does not narrow the counts of its values: those that were not chosen can
    be chosen, too.
    """
    found = {}
    for name, column in columns.items():
        if budget.leaves_out(NOT_COUNTED):
            break
        values, counts = _counts(column, snapshot, ranked)
        found[name] = [FacetValue(values[n], int(counts[n])) for n in _most(counts).tolist()]
    return found


def all_counts(
    columns: Mapping[str, str], snapshot: Snapshot, ranked: Ranked
) -> dict[str, dict[str, int]]:
    """How many documents have each value of each column: for sums over several snapshots."""
    found = {}
    for name, column in columns.items():
        values, counts = _counts(column, snapshot, ranked)
        found[name] = {values[n]: int(counts[n]) for n in np.flatnonzero(counts).tolist()}
    return found


def most_frequent(counts: Mapping[str, int]) -> list[FacetValue]:
    """The most frequent of some values; of equally frequent ones the first."""
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_VALUES]
    return [FacetValue(value, count) for value, count in most]


def _counts(name: str, snapshot: Snapshot, ranked: Ranked) -> tuple[list[str], Ints]:
    """The values of a column, and how many of the documents that match have each."""
    column = snapshot.facets.get(name)
    if column is None:
        column = snapshot.facets[name] = _facet_column(name, snapshot)
    return column.values, column.counts(ranked.unfiltered.get(name, ranked.matching))[1:]


def _most(counts: Ints) -> Ints:
    """The numbers of the highest counts above 0; of equal ones the first, as values ascend."""
    places = np.flatnonzero(counts)
    if len(places) > MOST_VALUES:
        least = np.partition(counts, -MOST_VALUES)[-MOST_VALUES]
        above = np.flatnonzero(counts > least)
        equal = np.flatnonzero(counts == least)[: MOST_VALUES - len(above)]
        places = np.concatenate([above, equal])
    return places[np.argsort(-counts[places], kind="stable")]


def _facet_column(name: str, snapshot: Snapshot) -> FacetColumn:
    columns = [_counted(part.view.column(name)) for part in snapshot.parts]
    values = sorted(set().union(*(column.keywords for column in columns)))
    number = {value: place for place, value in enumerate(values, 1)}
    numbers = [np.array([0, *map(number.__getitem__, c.keywords)], np.int64) for c in columns]
    return FacetColumn(values, list(zip(columns, numbers, strict=True)))


def _counted(column: Column | None) -> KeywordColumn | KeywordsColumn:
    """A column whose values can be counted; days are counted by year."""
    if isinstance(column, KeywordColumn | KeywordsColumn):
        return column
    return _years(column) if isinstance(column, NumberColumn) else NEVER


def _years(column: NumberColumn) -> KeywordColumn:
    days = np.where(column.present, column.values, 0).astype("datetime64[D]")
    years = days.astype("datetime64[Y]").astype(np.int64) + 1970
    known, codes = np.unique(years, return_inverse=True)
    return KeywordColumn(
        [f"{year:04}" for year in known.tolist()], np.where(column.present, codes + 1, 0)
    )
