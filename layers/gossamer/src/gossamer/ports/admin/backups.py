"""What a stack keeps of its past: its tables at a point in time, and objects that were deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """A table that can be restored."""

    table: str
    earliest: float  # the times to which it can be restored
    latest: float
    items: int  # about; what AWS counted in the last hours
    size: int  # bytes, likewise


class Lot(NamedTuple):
    """Some items of a table that were compared with what they were."""

    mark: bytes  # behind which a later run goes on
    read: int
    written: int = 0
    deleted: int = 0


class Backups(Protocol):
    """The past of one collection in a stack. What it is compared with are the stack's own tables.

    Promises: only items of the collection are written or deleted; an item that is as it was is not
    written; doing a lot again changes nothing. A host keeps the later of its slots, so that it is
    not asked sooner than it was promised; a job that was running is paused; leases stay.
    """

    def tables(self) -> list[Backup]:
        """The tables that can be restored; ConfigurationError if one of them is not backed up."""

    def begin(self, at: float) -> list[str]:
        """Let AWS make the tables as they were, unless it does already; returns their names.

        ConfigurationError if a table cannot be restored to this time.
        """

    def unready(self, at: float) -> list[str]:
        """The tables that AWS has not made yet."""

    def sizes(self, at: float) -> dict[str, int]:
        """About how many items each table has that `begin` has made; 0 = not known."""

    def put_back(self, table: str, at: float, mark: bytes = b"") -> Iterator[Lot]:
        """Write the items that are not as they were."""

    def drop_newer(self, table: str, at: float, mark: bytes = b"") -> Iterator[Lot]:
        """Delete the items that were not there."""

    def end(self, at: float) -> None:
        """Delete the tables that `begin` has made."""

    def has_versions(self) -> bool:
        """Whether objects that were deleted are kept for a while."""

    def deleted_objects(self, at: float) -> Iterator[list[tuple[str, str]]]:
        """Pages and documents deleted since, in lots: the object, and what hides it."""

    def undelete(self, lot: list[tuple[str, str]]) -> None:
        """Bring objects back."""
