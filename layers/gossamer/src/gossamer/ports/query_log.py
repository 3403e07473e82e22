"""The store of what people ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.search.query_log import Noted, QueryCount


class QueryLog(Protocol):
    """Counts of queries by day. Raises TransientError where it cannot be written or read.

    A day has a bounded number of queries; more are dropped. Writers may be many processes.
    """

    def add(self, noted: Iterable[Noted], day: int, days: int) -> None:
        """Add to the counts of a day; what is older than so many days may be deleted."""

    def read(self, first: int, last: int) -> list[QueryCount]:
        """The counts of the days from one to another, day by day."""

    def forget(self) -> None:
        """Delete all counts."""
