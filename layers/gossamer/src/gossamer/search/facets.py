"""Count the values of columns among the documents that match."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.segments.columns import KeywordColumn, KeywordsColumn
from gossamer.core.search.result import FacetValue

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        column = snapshot.parts[part].view.column(name)
        if isinstance(column, KeywordColumn | KeywordsColumn):
            found = column.counts(documents)
            for code in np.flatnonzero(found[1:]).tolist():
                counts[column.keywords[code]] += int(found[code + 1])
    frequent = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [FacetValue(value, count) for value, count in frequent[:MOST_VALUES]]
