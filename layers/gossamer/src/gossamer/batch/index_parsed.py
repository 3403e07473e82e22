"""INDEX of what was parsed just now: the messages of the stream `index` become a segment.

Or several, if their pages have very many documents: memory is bounded.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from gossamer.batch.index import index_batch
from gossamer.bolts.index import analyzer_of, due, gone_of, without
from gossamer.core.ids import page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.messages import DocumentParsed
    from gossamer.ports.documents import Version
    from gossamer.ports.home import Home

LOT = 10_000  # documents; a batch of messages has as many only if its pages hold long lists


class Indexed(NamedTuple):
    """How much was indexed, and how many pages left the index."""

    documents: int
    postings: int
    removed: int


def index_parsed(messages: Sequence[DocumentParsed], home: Home, writer: IndexWriter) -> Indexed:
    """Index what was parsed and remove what is gone."""
    gone = gone_of(messages, home.urls)
    versions = without(due([m for m in messages if not m.gone], home.documents), gone)
    schema = home.settings.get().schema  # each time: after a change all documents are sent again
    postings = 0
    for number, lot in enumerate(_lots(versions) or [[]]):
        # The analyzer is asked for each time: the first batch of a collection decides it.
        postings += index_batch(
            lot, home, writer, analyzer_of(home), schema, {} if number else gone
        )
    return Indexed(len(versions), postings, len(gone))


def _lots(versions: Sequence[Version]) -> list[list[Version]]:
    """Documents in lots that fit into memory, each with all documents of its pages."""
    lots: list[list[Version]] = []
    for _, page in groupby(versions, lambda version: page_of(version.id)):
        if not lots or len(lots[-1]) >= LOT:
            lots.append([])
        lots[-1] += page
    return lots
