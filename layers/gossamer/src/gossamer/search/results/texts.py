"""What results show: from the table of documents where that is quicker, else from the segments.

In the cloud a text lies in both. Ten items of a table come by one call, in a sixth of the time and
at a sixth of the price of ten ranges of segments (docs/decisions/0056-texts-of-results.md). A page
may have been fetched again since it was indexed: then its segment has the text that was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.bolts.index import stored
from gossamer.core.ids import DocumentId, document_id, page_of, part_of
from gossamer.core.page.parts import PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.index.segments.stored import Stored
    from gossamer.ports.documents import DocumentStore
    from gossamer.search.segment_view import SegmentView
    from gossamer.search.snapshot import Snapshots

    Place = tuple[SegmentView, int]  # a segment, and the number of a document in it

# Bytes of the block that a text is stored in. An item as large as that takes one read unit; a much
# larger one costs more than a GET.
MOST_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Texts:
    """Reads what is stored of documents."""

    opened: Snapshots
    documents: DocumentStore | None = None  # if a text is nearer there than in its segment

    def prepare(self, wanted: Sequence[Place]) -> set[Place]:
        """Have at hand what comes from the table; returns those that take a read each."""
        missing = {place for place in wanted if place[0].known_document(place[1]) is None}
        return missing - self._learn(missing)

    def fetch(self, wanted: Sequence[Place]) -> list[Stored]:
        """What is stored of some documents, in this order: as it is at hand, or in segments."""
        known = {(view, number): view.known_document(number) for view, number in wanted}
        missing = [place for place, document in known.items() if document is None]
        blocks = [view.segment.stored_range(number) for view, number in missing]
        for (view, number), data in zip(missing, self.opened.read(blocks), strict=True):
            known[view, number] = view.learn_document(number, data)
        return [document for place in wanted if (document := known[place]) is not None]

    def _learn(self, wanted: Iterable[Place]) -> set[Place]:
        """Take those that are in the table as they were indexed; returns which these are."""
        ids = {_id(place): place for place in wanted if self._is_near(place)}
        versions = self.documents.peek(list(ids)) if self.documents and ids else ()
        learned = set()
        for version in versions:
            view, number = ids[version.id]
            if version.fetched_at == view.version(number):
                view.keep_document(number, stored(version))
                learned.add((view, number))
        return learned

    def _is_near(self, place: Place) -> bool:
        """Whether a text may come from the table.

        Not what is in memory, nor what is long, nor an item of a page: it shares a row with others.
        """
        view, number = place
        if self.documents is None:
            return False
        block = view.segment.stored_range(number)
        return (
            block.size <= MOST_BYTES
            and not self.opened.holds(block)
            and part_of(_id(place)) == PAGE
        )


def _id(place: Place) -> DocumentId:
    id = DocumentId(place[0].id(place[1]))  # as segments have it, of one length for all
    return document_id(page_of(id), part_of(id))
