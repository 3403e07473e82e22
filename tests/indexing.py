"""Index documents and look at what is live, for tests that are about something else."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.batch.index import index_pending
from gossamer.bolts.index import Batch, index, words_of
from gossamer.bolts.manifest import IndexWriter
from gossamer.core.collection import IndexSchema, Weights
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.segments.opened import OpenSegments
from gossamer.ports.segments import HEADS_FROM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.core.ids import DocumentId, UrlId
    from gossamer.core.index.segments.identities import Identities
    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.ports.documents import Version
    from gossamer.ports.home import Home
    from gossamer.ports.segments import SegmentStore

_tokens = itertools.count()


def writer_of(
    store: SegmentStore, clock: Callable[[], float] = lambda: 0.0, heads_from: int = HEADS_FROM
) -> IndexWriter:
    """A writer as another process would have it, which knows nothing yet."""
    opened = OpenSegments(store.read)
    return IndexWriter(store, opened, clock, lambda: f"{next(_tokens):08x}", heads_from)


def index_all(
    writer: IndexWriter,
    versions: Sequence[Version] = (),
    gone: Mapping[UrlId, float] = {},
    *,
    analyzer: Analyzer | None = None,
    weights: Weights | None = None,
    schema: IndexSchema | None = None,
    clusters: Mapping[DocumentId, int] = {},
    levels: Mapping[UrlId, int] = {},
) -> int:
    """Index documents as one segment."""
    analyzer = analyzer or Analyzer()
    schema = schema or IndexSchema(weights=weights or Weights())
    versions = sorted(versions, key=lambda version: version.id)
    words = words_of(versions, analyzer, schema.fields)
    return index(writer, Batch(versions, words, clusters, levels, gone), analyzer, schema)


def index_home(home: Home) -> int:
    """Index what a collection has and the index has not; returns how many documents."""
    return index_pending(home, homes.index_writer(home))


def remove(writer: IndexWriter, *pages: UrlId, at: float = 1.0) -> None:
    """Say that pages are gone since a version."""
    index_all(writer, gone={page: at for page in pages})


def live_ids(store: SegmentStore) -> list[DocumentId]:
    """The ids of all documents that can be found, in order; one that is there twice comes twice."""
    writer = writer_of(store)
    found = []
    for info, known in _known(writer):
        live = writer.opened.live(info)
        assert info.live == int(live.sum())
        found += [known.id(number) for number in range(info.documents) if live[number]]
    return sorted(found)


def live_versions(store: SegmentStore) -> dict[DocumentId, float]:
    """The version of each document that can be found."""
    writer = writer_of(store)
    return {
        known.id(number): float(known.versions[number])
        for info, known in _known(writer)
        for number in range(info.documents)
        if writer.opened.live(info)[number]
    }


def _known(writer: IndexWriter) -> list[tuple[SegmentInfo, Identities]]:
    segments = writer.store.manifest().segments
    return [(info, writer.opened.segment(info).identities) for info in segments]
