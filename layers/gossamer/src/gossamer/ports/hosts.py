"""What is known of a host: its robots.txt, its pace, its next free slot, its record?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gossamer.core.crawl.host_record import HostRecord
    from gossamer.core.crawl.politeness import Booking, Pace


class HostStore(Protocol):
    """Hosts and their slots.

    Promise of `book`: all bookings of a host are serial, and each starts at or after the end of
    the one before and a spacing of its own pace after its last slot; `next_slot` never goes back.
    """

    def get(self, host: str) -> HostRecord:
        """The record of a host; a fresh one if it was never met."""
        ...

    def book(self, host: str, wanted: int, now: float, pace: Pace, window: float) -> Booking:
        """Book up to `wanted` slots, none beyond `now + window`."""
        ...

    def lease_robots(self, host: str, now: float, until: float) -> bool:
        """Become the one who fetches robots.txt; False if somebody else is at it."""
        ...

    async def claim_service(self, host: str, slot: float) -> bool:
        """Claim a slot for robots.txt or a sitemap, which have no URL record; durable at return."""
        ...

    def change(self, host: str, *, push_slot: float = 0.0, **facts: object) -> HostRecord:
        """Write facts; the next slot moves to `push_slot` if that is later."""
        ...
