"""INDEX over a whole collection: everything that is not indexed yet, or not as it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gossamer.batch.compact import compact
from gossamer.batch.near_duplicates import clusters_of
from gossamer.bolts.index import BATCH, Batch, analyzer_of, index, words_of
from gossamer.bolts.manifest import sweep
from gossamer.core.crawl.removal import is_no_document
from gossamer.core.ids import page_of
from gossamer.core.index.segments.identities import as_ids, document_id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.collection import Weights
    from gossamer.core.ids import DocumentId, UrlId
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.ports.documents import Version
    from gossamer.ports.home import Home

    Tell = Callable[[int], None]

STAMPS = 10_000  # compared with the index at a time


def index_batch(
    versions: Sequence[Version],
    home: Home,
    writer: IndexWriter,
    analyzer: Analyzer,
    weights: Weights,
    gone: Mapping[DocumentId, float] = {},
) -> int:
    """Index some documents as one segment; returns how many postings they have."""
    versions = sorted(versions, key=lambda version: version.id)
    words = words_of(versions, analyzer)
    clusters = clusters_of(versions, words, home.contents, home.documents)
    batch = Batch(versions, words, clusters, levels_of(versions, home), gone)
    return index(writer, batch, analyzer, weights)


def levels_of(versions: Sequence[Version], home: Home) -> dict[UrlId, int]:
    """The PageRank of the pages of some documents, as it was found last."""
    pages = list({page_of(version.id) for version in versions})
    return {page: links.level for page, links in home.edges.inlinks(pages).items()}


def index_pending(home: Home, writer: IndexWriter, tell: Tell = lambda _: None) -> int:
    """Index every document whose present version is not in the index; returns how many."""
    analyzer, weights = analyzer_of(home), home.settings.get().weights
    if gone := vanished(home, writer):
        index(writer, Batch([], words_of([], analyzer), gone=gone), analyzer, weights)
        home.commit()
    pending, done = unindexed(home, writer), 0
    for begin in range(0, len(pending), BATCH):
        versions = home.documents.read(pending[begin : begin + BATCH])
        index_batch(versions, home, writer, analyzer, weights)
        home.commit()
        done += len(versions)
        tell(done)
    if done or gone:
        compact(writer)
        sweep(writer, grace=0.0)
        home.commit()
    return done


def unindexed(home: Home, writer: IndexWriter) -> list[DocumentId]:
    """Documents that are not in the index as they are now, by id.

    The present version is not there, or it was indexed with other anchors.
    """
    closed = as_ids(sorted({record.id for record in home.urls.closed()}))
    segments = writer.store.manifest().segments
    found: list[DocumentId] = []
    for stamps in _lots(home.documents.stamps()):
        ids = as_ids([id for id, _, _ in stamps])
        versions = np.array([at for _, at, _ in stamps])
        anchors = np.array([digest for _, _, digest in stamps], "S16")
        missing = ~_are_in(closed, as_ids([page_of(id) for id, _, _ in stamps]))
        for info in segments:
            missing &= ~_are_current(writer, info, ids, versions, anchors)
        found += [stamps[place][0] for place in np.flatnonzero(missing).tolist()]
    return sorted(found)


def _are_current(
    writer: IndexWriter,
    info: SegmentInfo,
    ids: np.ndarray,
    versions: np.ndarray,
    anchors: np.ndarray,
) -> np.ndarray:
    known, live = writer.opened.segment(info).identities, writer.opened.live(info)
    places = known.find(ids)
    there = (places >= 0) & live[places]
    newer = known.versions[places] > versions
    same = (known.versions[places] == versions) & (known.anchors[places] == anchors)
    current: np.ndarray = there & (newer | same)
    return current


def _are_in(known: np.ndarray, ids: np.ndarray) -> np.ndarray:
    if not len(known):
        return np.zeros(len(ids), np.bool_)
    places = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    found: np.ndarray = known[places] == ids
    return found


def _lots(
    stamps: Iterator[tuple[DocumentId, float, bytes]],
) -> Iterator[list[tuple[DocumentId, float, bytes]]]:
    lot = []
    for stamp in stamps:
        lot.append(stamp)
        if len(lot) == STAMPS:
            yield lot
            lot = []
    if lot:
        yield lot


def vanished(home: Home, writer: IndexWriter) -> dict[DocumentId, float]:
    """Live documents whose page a later crawl found gone, moved, repeated or closed to search.

    With the versions that are in the index: a newer one may come back.
    """
    gone = [r.id for r in home.urls.closed() if is_no_document(r.state, r.reason, r.history)]
    pages = as_ids(sorted(gone))
    found: dict[DocumentId, float] = {}
    for info in writer.store.manifest().segments:
        known, live = writer.opened.segment(info).identities, writer.opened.live(info)
        own = as_ids([bytes(id)[:16] for id in known.ids.tolist()])
        for place in np.flatnonzero(live & _are_in(pages, own)).tolist():
            found[document_id_of(known.ids[place])] = float(known.versions[place])
    return found
