"""Where are documents kept?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gossamer.core.document import Document


class DocumentStore(Protocol):
    """What was understood of each page. Putting a document again replaces an older version."""

    def put(self, id: bytes, document: Document, fetched_at: float) -> None:
        """Keep the document of a URL unless a newer version is there."""
        ...

    def get(self, id: bytes) -> Document | None:
        """The document of a URL."""
        ...
