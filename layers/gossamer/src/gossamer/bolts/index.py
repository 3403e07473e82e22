"""INDEX: a batch of documents becomes a delta segment.

Order of effects: the items first, then the manifest that names them, then the ordinals that make
their documents live. A crash before the last leaves only postings of ordinals that are not live:
invisible, and dropped by the next compaction. A compaction in between drops them too, though they
are about to live: so after making them live we look whether their segment is still there, and if
not, index them once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.ids import document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.anchors import digest
from gossamer.core.index.manifest import times_of
from gossamer.core.index.postings import read
from gossamer.core.index.segment import delta_items
from gossamer.core.urls import url_id
from gossamer.ports.live_documents import Ordinal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.collection import Weights
    from gossamer.core.ids import DocumentId
    from gossamer.core.index.postings import Words
    from gossamer.messages import DocumentParsed
    from gossamer.ports.documents import DocumentStore, Version
    from gossamer.ports.home import Home
    from gossamer.ports.index import IndexStore
    from gossamer.ports.urls import UrlStore

BATCH = 500  # documents in a segment, in the embedded home


def remove(messages: Sequence[DocumentParsed], urls: UrlStore, store: IndexStore) -> int:
    """Remove what some messages say is gone; returns how many pages that were.

    A message may be late: a page that was fetched since has come back, and stays.
    """
    gone = {url_id(message.url): message.fetched_at for message in messages if message.gone}
    records = [(id, urls.get(id)) for id in gone]
    ids = [document_id(id) for id, r in records if r is not None and r.fetched_at <= gone[id]]
    if ids:
        store.remove(ids)
    return len(ids)


def index(
    versions: Sequence[Version],
    store: IndexStore,
    analyzer: Analyzer,
    weights: Weights,
    now: float,
    clusters: Mapping[DocumentId, int] = {},
    words: Words | None = None,
) -> int:
    """Index documents; returns how many postings they have.

    `clusters` tells by id which pages are similar (`batch.near_duplicates`); `words` are those of
    the documents, if they were read already.
    """
    if not versions:
        return 0
    words = words or words_of(versions, analyzer)
    while True:
        first = store.lease_ordinals(len(versions))
        table = words.postings(first, analyzer, weights)
        store.put(delta_items(table, first))  # the segment's number: no other writer has it
        _announce(store, first, analyzer, now)
        store.set_live(
            [
                Ordinal(
                    first + number,
                    v.id,
                    v.fetched_at,
                    v.document.url,
                    v.document.language,
                    anchors=digest(v.anchors),
                    cluster=clusters.get(v.id, 0),
                )
                for number, v in enumerate(versions)
            ]
        )
        if first in store.manifest().deltas:
            return len(table)


def analyzer_of(home: Home) -> Analyzer:
    """The analyzer that a collection was indexed with; of a new one, that of its settings."""
    described = home.index.manifest().analyzer
    if described:
        return Analyzer.from_description(described)
    return Analyzer(**msgspec.structs.asdict(home.settings.get().analyzer))


def words_of(versions: Sequence[Version], analyzer: Analyzer) -> Words:
    """The words of some documents, read once for all that is done with them."""
    return read([v.document for v in versions], analyzer, [v.anchors for v in versions])


def _announce(store: IndexStore, segment: int, analyzer: Analyzer, now: float) -> None:
    """Name a segment in the manifest."""
    while True:
        before = store.manifest()
        after = msgspec.structs.replace(
            before,
            version=before.version + 1,
            deltas=[*before.deltas, segment],
            delta_times=[*times_of(before), now],
            analyzer=before.analyzer or analyzer.describe(),
        )
        if store.publish(after):
            break


def due(messages: Sequence[DocumentParsed], documents: DocumentStore) -> list[Version]:
    """The documents that some messages announce, each once, as they are by now."""
    ids = dict.fromkeys(document_id(url_id(message.url)) for message in messages)
    return documents.read(list(ids))
