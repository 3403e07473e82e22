"""HostStore over SQLite: records live in memory and are written with the next commit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.crawl.host_record import ASKED_BY, HostChange, HostRecord
from gossamer.core.crawl.host_trouble import trouble
from gossamer.core.crawl.politeness import Booking, Pace, book

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.adapters.local.database import Store

MAX_CACHED = 20_000
# A robots.txt in flight at a kill may have asked for more than our own delay; it was not read.
UNKNOWN_DELAY = 1.0

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(HostRecord)
# Reads no robots.txt: hosts are counted every other second while a page watches a crawl.
_ASKED = msgspec.msgpack.Decoder(
    msgspec.defstruct("_Asked", [(name, float, 0.0) for name in ASKED_BY])
)

TABLES = """
CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
"""


class SqliteHostStore:
    """Hosts and their slots."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._records: dict[str, HostRecord] = {}
        self._dirty: set[str] = set()
        store.before_commit.append(self._flush)

    def get(self, host: str) -> HostRecord:
        record = self._records.get(host)
        if record is None:
            row = self._store.row("SELECT body FROM hosts WHERE host = ?", (host,))
            record = _DECODER.decode(row[0]) if row else HostRecord(host=host)
            self._records[host] = record
        return record

    def book(self, host: str, wanted: int, now: float, pace: Pace, window: float) -> Booking:
        record = self.get(host)
        # A delay that grew counts from the last slot, which was booked at the old pace.
        start = max(record.next_slot, record.not_before, record.last_slot + pace.spacing)
        booking = book(start, wanted, now, pace.spacing, window)
        last = booking.next_slot - pace.spacing if booking.count else record.last_slot
        self._write(
            msgspec.structs.replace(
                record, next_slot=booking.next_slot, last_slot=max(last, record.last_slot)
            )
        )
        return booking

    def void_slots(self, host: HostRecord, latest: float, now: float) -> HostRecord:
        record = self.get(host.host)
        if record.era == host.era:
            record = record.with_void_slots(latest, now)
            self._write(record)
        return record

    def lease_robots(self, host: str, now: float, until: float) -> bool:
        record = self.get(host)
        if record.robots_lease > now:
            return False
        self._write(msgspec.structs.replace(record, robots_lease=until))
        return True

    async def claim_service(self, host: str, slot: float) -> bool:
        record = self.get(host)
        if record.service_slot >= slot:
            return False
        self._write(msgspec.structs.replace(record, service_slot=slot))
        await self._store.committed()
        return True

    def change(self, host: str, change: HostChange) -> HostRecord:
        record = self.get(host).changed(change)
        self._write(record)
        return record

    async def change_durably(self, host: str, change: HostChange) -> HostRecord:
        record = self.change(host, change)
        await self._store.committed()
        return record

    def waits(self, now: float) -> dict[str, float]:
        return {
            host: record.next_slot - now
            for host, record in self._records.items()
            if record.next_slot > now
        }

    def troubled(self) -> list[HostRecord]:
        return [record for record in self._records.values() if trouble(record)]

    def release_leases(self) -> None:
        """End the leases of a process that was killed."""
        for record in self.all():
            if record.robots_lease:
                asked_again = record.service_slot + UNKNOWN_DELAY if record.service_slot else 0.0
                # The slot was used and its holder is dead, so later messages must not wait for it.
                spent = math.nextafter(record.service_slot, math.inf)
                change = HostChange(robots_lease=0.0, service_slot=spent, next_slot=asked_again)
                self.change(record.host, change)

    def all(self) -> list[HostRecord]:
        self._flush_if_dirty()
        rows = self._store.rows("SELECT body FROM hosts")
        return [record for row in rows if (record := _DECODER.decode(row[0])).was_asked]

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, HostRecord]]:
        self._flush_if_dirty()
        query = "SELECT host, body FROM hosts WHERE host > ? ORDER BY host"
        for host, body in self._store.iterate(query, (after.decode(),)):
            yield host.encode(), _DECODER.decode(body)

    def load(self, entries: Sequence[HostRecord]) -> None:
        for record in entries:
            self._write(record)

    def count(self) -> int:
        self._flush_if_dirty()
        rows = self._store.iterate("SELECT body FROM hosts")
        return sum(any(msgspec.structs.astuple(_ASKED.decode(body))) for (body,) in rows)

    def _write(self, record: HostRecord) -> None:
        self._records[record.host] = record
        self._dirty.add(record.host)
        self._store.touch()

    def _flush_if_dirty(self) -> None:
        if self._dirty:
            self._flush()

    def _flush(self) -> None:
        rows = [(host, _ENCODER.encode(self._records[host])) for host in self._dirty]
        self._dirty.clear()
        self._store.write_all("INSERT OR REPLACE INTO hosts VALUES (?, ?)", rows)
        if len(self._records) > MAX_CACHED:
            self._records.clear()
