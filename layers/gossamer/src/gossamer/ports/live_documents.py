"""Which documents of the index are live, by ordinal, and what each is ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.core.ids import DocumentId

if TYPE_CHECKING:
    from collections.abc import Sequence


class Ordinal(msgspec.Struct, frozen=True):
    """One version of one document, as the index numbers it."""

    ordinal: int
    id: DocumentId
    fetched_at: float
    url: str
    language: str = ""
    anchors: bytes = b""  # the digest of those that were indexed with it
    cluster: int = 0  # 64 bits, equal for similar pages; 0 = like no other


class LiveDocuments(Protocol):
    """The ordinals that are live.

    Promises: a document is live exactly while its ordinal is here, and a page has at most one.
    Whatever changes an answer changes the manifest's version.
    """

    def lease_ordinals(self, count: int) -> int:
        """The first of `count` numbers for this caller alone; with 0, the next number."""

    def set_live(self, ordinals: Sequence[Ordinal]) -> None:
        """Make these versions the live ones of their pages, unless newer ones are."""

    def remove(self, ids: Sequence[DocumentId]) -> None:
        """Let pages be live no more; what is not live stays so."""

    def put_ranks(self, ranks: bytes) -> None:
        """Keep the PageRank of every ordinal, a byte each, 255 for the highest."""

    def ranks(self) -> bytes:
        """The PageRank by ordinal; ordinals beyond its end have none."""

    def live(self) -> list[int]:
        """All live ordinals, ascending."""

    def look_up(self, ordinals: Sequence[int]) -> dict[int, Ordinal]:
        """Live ordinals by number."""

    def all_live(self) -> list[Ordinal]:
        """Every live ordinal with its page."""
