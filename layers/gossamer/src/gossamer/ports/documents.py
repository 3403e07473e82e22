"""Where are documents kept?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.core.page.document import Document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Version(msgspec.Struct, frozen=True):
    """What a page said when it was fetched."""

    id: bytes  # of the URL
    fetched_at: float
    document: Document
    anchors: tuple[str, ...] = ()  # what other pages call it, as `put_anchors` keeps them


class DocumentStore(Protocol):
    """What was understood of each page. Putting a document again replaces an older version.

    Anchors stay beside a document when a new version of it is put.
    """

    def put(self, id: bytes, document: Document, fetched_at: float) -> None:
        """Keep the document of a URL unless a newer version is there."""
        ...

    def put_anchors(self, called: Mapping[bytes, Sequence[str]]) -> int:
        """Keep what other pages call some documents, in place of what they called them before.

        Of many equal texts a few are kept (`core.index.anchors`). Returns of how many documents
        what is kept has changed; a URL without a document has no anchors.
        """
        ...

    def get(self, id: bytes) -> Document | None:
        """The document of a URL."""
        ...

    def read(self, ids: Sequence[bytes], *, newest: bool = True) -> list[Version]:
        """The documents of some URLs, in their order; those that have none are left out.

        Without `newest` a document may be a moment old; none is left out by that.
        """
        ...
