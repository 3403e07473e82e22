"""Hosts: their robots.txt, their pace, their slots and how they have behaved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gossamer.core.crawl.host_record import HostChange, HostRecord
    from gossamer.core.crawl.politeness import Booking, Pace


class HostStore(Protocol):
    """Hosts and their slots.

    Promise of `book`: all bookings of a host are serial, and each starts at or after the end of
    the one before and a spacing of its own pace after its last slot; `next_slot` never goes back
    within an era.
    """

    def get(self, host: str) -> HostRecord:
        """The record of a host; a fresh one if it was never met."""

    def book(self, host: str, wanted: int, now: float, pace: Pace, window: float) -> Booking:
        """Book up to `wanted` slots, none beyond `now + window`."""

    def void_slots(self, host: HostRecord, latest: float, now: float) -> HostRecord:
        """Begin an era in which no slot counts that was booked before: the next one is `latest`.

        Returns the record as it is then; nothing is written if its slots are not those of `host`.
        """

    def lease_robots(self, host: str, now: float, until: float) -> bool:
        """Become the one who fetches robots.txt; False if another fetcher is at it."""

    async def claim_service(self, host: str, slot: float) -> bool:
        """Claim a slot for robots.txt or a sitemap, which have no URL record; durable at return."""

    def change(self, host: str, change: HostChange) -> HostRecord:
        """Write what was learned; returns the record as it is then."""

    async def change_durably(self, host: str, change: HostChange) -> HostRecord:
        """The same, durable once it returns."""
