"""Count the values of columns among the documents that match."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.index.segments.columns import KeywordColumn, KeywordsColumn, NumberColumn
from gossamer.core.search.result import FacetValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.core.index.segments.columns import Column
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.search.snapshot import Snapshot

MOST_VALUES = 20  # of a facet, that are shown: the most frequent


def facets(
    columns: Mapping[str, str], snapshot: Snapshot, matching: Mapping[int, Ints]
) -> dict[str, list[FacetValue]]:
    """The most frequent values of columns, by the names they are asked for by.

    `matching` are the documents that match, by part.
    """
    return {name: _facet(column, snapshot, matching) for name, column in columns.items()}


def _facet(name: str, snapshot: Snapshot, matching: Mapping[int, Ints]) -> list[FacetValue]:
    counts: Counter[str] = Counter()
    for part, documents in matching.items():
        counts.update(_counts(snapshot.parts[part].view.column(name), documents))
    frequent = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [FacetValue(value, count) for value, count in frequent[:MOST_VALUES]]


def _counts(column: Column | None, documents: Ints) -> dict[str, int]:
    """How many of some documents have each value; days are counted by year."""
    if isinstance(column, KeywordColumn | KeywordsColumn):
        found = column.counts(documents)
        codes = np.flatnonzero(found[1:])
        names = [column.keywords[code] for code in codes.tolist()]
        return dict(zip(names, found[codes + 1].tolist(), strict=True))
    if isinstance(column, NumberColumn):
        return _by_year(column.values[documents[column.present[documents]]])
    return {}


def _by_year(days: npt.NDArray[np.int64] | npt.NDArray[np.float64]) -> dict[str, int]:
    years = days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
    first = int(years.min(initial=9999))
    found = np.bincount(years - first)
    return {f"{first + year:04}": int(found[year]) for year in np.flatnonzero(found).tolist()}
