"""Storage of documents: what was read in each page, and what other pages call it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.core.ids import DocumentId
from gossamer.core.page.document import Document
from gossamer.ports.portable import Portable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Version(msgspec.Struct, frozen=True):
    """A document as it was when its page was fetched."""

    id: DocumentId
    fetched_at: float
    document: Document
    anchors: tuple[str, ...] = ()  # what other pages call it, as `put_anchors` keeps them


class DocumentStore(Portable[Version], Protocol):
    """What was understood of each page. Putting a document again replaces an older version.

    Anchors stay beside a document when a new version of it is put.
    """

    def put(self, id: DocumentId, document: Document, fetched_at: float) -> None:
        """Keep a document unless a newer version is there."""

    def put_anchors(self, called: Mapping[DocumentId, Sequence[str]]) -> int:
        """Keep what other pages call some documents, in place of what they called them before.

        Of many equal texts a few are kept (`core.index.anchors`). Returns of how many documents
        what is kept has changed; what is no document has no anchors.
        """

    def get(self, id: DocumentId) -> Document | None:
        """A document."""

    def read(self, ids: Sequence[DocumentId], *, newest: bool = True) -> list[Version]:
        """Some documents, in this order; those that are not there are left out.

        Without `newest` a document may be a moment old; none is left out by that.
        """

    def all(self, segments: int = 1) -> Iterator[tuple[Document, float]]:
        """Every document and when its page was fetched; a store may read segments at once."""

    def stamps(self) -> Iterator[tuple[DocumentId, float, bytes]]:
        """Every document's id, when its page was fetched, and the digest of its anchors.

        In no order, and without reading texts: tells which documents the index lacks.
        """

    def count(self) -> int:
        """How many documents there are."""
