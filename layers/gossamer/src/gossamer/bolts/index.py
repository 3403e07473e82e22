"""INDEX: a batch of documents becomes a delta segment.

Order of effects: the items first, then the manifest that names them, then the ordinals that make
their documents live. A crash before the last leaves only postings of ordinals that are not live:
invisible, and dropped by the next compaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.index.postings import invert
from gossamer.core.index.segment import delta_items
from gossamer.ports.index import Ordinal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.document import Document
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.weights import Weights
    from gossamer.ports.index import IndexStore

BATCH = 500  # documents in a segment, in the embedded home


def index(
    documents: Sequence[tuple[bytes, float, Document]],
    store: IndexStore,
    analyzer: Analyzer,
    weights: Weights,
) -> None:
    """Index documents (id of the URL, when it was fetched, what it says)."""
    if not documents:
        return
    first = store.lease_ordinals(len(documents))
    table = invert([document for _, _, document in documents], first, analyzer, weights)
    store.put(delta_items(table, first))  # the segment's number: nobody else has it
    while True:
        before = store.manifest()
        after = msgspec.structs.replace(
            before,
            version=before.version + 1,
            deltas=[*before.deltas, first],
            analyzer=before.analyzer or analyzer.describe(),
        )
        if store.publish(after):
            break
    store.flip(
        [
            Ordinal(first + number, id, fetched_at, document.url, document.language)
            for number, (id, fetched_at, document) in enumerate(documents)
        ]
    )
