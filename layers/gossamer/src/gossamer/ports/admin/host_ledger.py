"""The hosts of a collection for people: all of them, how many, and which are waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gossamer.core.crawl.host_record import HostRecord
from gossamer.ports.hosts import HostStore
from gossamer.ports.portable import Portable

if TYPE_CHECKING:
    from collections.abc import Iterable


class HostLedger(HostStore, Portable[HostRecord], Protocol):
    """A host store that can also be read as a whole."""

    def all(self) -> Iterable[HostRecord]:
        """Every host that was ever asked for anything."""

    def count(self) -> int:
        """How many hosts were ever asked for anything."""

    def troubled(self) -> Iterable[HostRecord]:
        """Hosts that cannot be asked, as far as this process has met them."""

    def waits(self, now: float) -> dict[str, float]:
        """Hosts whose slots are booked beyond `now`, and for how many seconds."""
