"""Where is the index kept, and which parts of it are live?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.core.ids import DocumentId

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.index.manifest import Manifest, Packed


class Ordinal(msgspec.Struct, frozen=True):
    """One version of one document, as the index numbers it."""

    ordinal: int
    id: DocumentId
    fetched_at: float
    url: str
    language: str = ""
    anchors: bytes = b""  # the digest of those that were indexed with it
    cluster: int = 0  # 64 bits, equal for similar pages; 0 = like no other


class IndexStore(Protocol):
    """Packed items, a manifest, and the ordinals that are live.

    Promises: an item that was put is found under its key until it is dropped; `publish` replaces
    the manifest only if nobody else did meanwhile; a document is live exactly while its ordinal is
    here, and a page has at most one. Whatever changes an answer changes the manifest's version.
    """

    def manifest(self) -> Manifest:
        """The live parts of the index."""
        ...

    def publish(self, manifest: Manifest) -> bool:
        """Replace the manifest of the version before; False if it was replaced already."""
        ...

    def put(self, items: Iterable[Packed]) -> None:
        """Keep items."""
        ...

    def get(
        self, key: str, sorts: Sequence[str] | None = None, *, positions: bool = True
    ) -> list[Packed]:
        """The items of a key, in order; of all its sort keys or of some.

        Without positions a store may read less.
        """
        ...

    def dictionary(self, key: str, prefix: str) -> list[Packed]:
        """The dictionary items that may hold terms with this prefix."""
        ...

    def drop(self, key: str, sort: str | None = None) -> None:
        """Forget items that no manifest names any more; a key may end with `*`."""
        ...

    def lease_ordinals(self, count: int) -> int:
        """The first of `count` numbers that nobody else gets; of 0, the one that is next."""
        ...

    def set_live(self, ordinals: Sequence[Ordinal]) -> None:
        """Make these versions the live ones of their pages, unless newer ones are."""
        ...

    def remove(self, ids: Sequence[DocumentId]) -> None:
        """Let pages be live no more; what is not live stays so."""
        ...

    def put_ranks(self, ranks: bytes) -> None:
        """Keep the PageRank of every ordinal, a byte each, 255 for the highest."""
        ...

    def ranks(self) -> bytes:
        """The PageRank by ordinal; ordinals beyond its end have none."""
        ...

    def live(self) -> list[int]:
        """All live ordinals, ascending."""
        ...

    def look_up(self, ordinals: Sequence[int]) -> dict[int, Ordinal]:
        """Live ordinals by number."""
        ...
