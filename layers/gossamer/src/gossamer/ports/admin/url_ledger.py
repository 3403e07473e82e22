"""The URLs of a collection for people, exports and batch jobs, which look at many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gossamer.core.crawl.url_record import UrlEntry
from gossamer.ports.portable import Portable
from gossamer.ports.urls import UrlStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gossamer.core.crawl.url_record import UrlRecord


class UrlLedger(UrlStore, Portable[UrlEntry], Protocol):
    """A URL store that can also be read as a whole, and judged anew job by job."""

    def all(self, segments: int = 1) -> Iterator[UrlRecord]:
        """Every URL, in no order; a store may read so many segments of itself at once."""

    def closed(self) -> Iterator[UrlRecord]:
        """URLs that are no documents of their own, in no order.

        They are gone, moved, a copy of another page, or closed to search (`core.crawl.removal`).
        """

    def addresses(self, ids: Iterable[bytes]) -> dict[bytes, str]:
        """The URLs of those ids that are known."""

    def hosts(self) -> dict[str, int]:
        """How many URLs each host has."""

    def visited(self, job: str) -> Iterator[UrlRecord]:
        """What a job has asked for, what it could not ask for because of the host, what waits."""

    def revise(self, job: str, judge: Callable[[UrlRecord], str]) -> list[UrlRecord]:
        """Judge again what waits and what rules or limits excluded; returns what waits again."""

    def revisit(self, job: str) -> list[UrlRecord]:
        """Let everything a job has asked for wait once more; returns it."""

    def without_reason(self) -> int:
        """How many URLs have ended without a reason: a bug if any has."""
