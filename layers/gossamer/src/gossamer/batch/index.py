"""INDEX: documents become segments of the index, with their near-duplicates known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.batch.compact import compact, compact_if_many
from gossamer.batch.near_duplicates import clusters_of
from gossamer.batch.rank import follow
from gossamer.bolts.index import BATCH, analyzer_of, index, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.core.collection import Weights
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.ports.documents import Version
    from gossamer.ports.home import Home

    Tell = Callable[[int], None]

# A first indexing merges once, at its end: merging on the way would cost as much again.
BULK_DELTAS = 256


def index_batch(
    versions: Sequence[Version], home: Home, analyzer: Analyzer, weights: Weights, now: float
) -> int:
    """Index some documents as one segment; returns how many postings they have."""
    words = words_of(versions, analyzer)
    clusters = clusters_of(versions, words, home.contents, home.documents)
    return index(versions, home.index, analyzer, weights, now, clusters, words)


def index_pending(home: Home, tell: Tell = lambda _: None) -> int:
    """Index every document whose present version is not in the index; returns how many."""
    analyzer, weights = analyzer_of(home), home.settings.get().weights
    if vanished := home.vanished():
        home.index.remove(vanished)
        home.commit()
    pending, done = home.unindexed(), 0
    for begin in range(0, len(pending), BATCH):
        versions = home.documents.read(pending[begin : begin + BATCH])
        index_batch(versions, home, analyzer, weights, now=0.0)
        home.commit()
        compact_if_many(home.index, BULK_DELTAS)
        home.commit()
        done += len(versions)
        tell(done)
    if done:
        compact(home.index)
        follow(home.index, home.edges)
        home.commit()
    return done
