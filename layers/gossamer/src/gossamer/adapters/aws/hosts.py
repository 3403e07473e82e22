"""HostStore over DynamoDB: bookings by guarded updates of one small item per host.

A booking is computed by the same arithmetic as in the embedded home and written only if the host's
slots are still what it was computed from. A refused write brings the slots as they are, so the
second attempt needs no read. A booking or a change costs one unit; robots.txt has its own item.
Requests that went well are counted when the home commits, all of a host at once.
"""

from __future__ import annotations

import asyncio
import functools
import operator
import threading
from typing import TYPE_CHECKING

import zstandard

from gossamer.adapters.aws.clients import retrying
from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import HostItem
from gossamer.adapters.aws.dynamodb.table import Table, is_nothing
from gossamer.adapters.aws.memory import Memory
from gossamer.core.crawl.host_record import Aside, HostChange, HostRecord
from gossamer.core.crawl.host_trouble import trouble
from gossamer.core.crawl.politeness import Booking, Pace, book

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pynamodb.attributes import Attribute
    from pynamodb.expressions.condition import Condition
    from pynamodb.expressions.update import Action

    from gossamer.adapters.aws.clients import Clients, Json
    from gossamer.adapters.aws.counters import DynamoCounters

RECORD = "h"
NOTHING = HostChange()
MAX_HOSTS = 20_000
MAX_TEXTS = 500  # of half a megabyte at most, a few hundred bytes as a rule
PIECE = 350_000  # bytes of a robots.txt in one item
_YES_OR_NO = ("robots_unavailable", "named")
# Kept in the attribute of `set_aside`, which is written with them.
_ASIDE = ("set_aside_until", "set_aside_for")
_FIELDS = tuple(
    f for f in HostRecord.__struct_fields__ if f not in ("host", "robots_text", *_ASIDE)
)


class DynamoHostStore:
    """Hosts and their slots."""

    def __init__(
        self, clients: Clients, stack: str, collection: str, counters: DynamoCounters
    ) -> None:
        self._table = Table(clients, stack, HostItem)
        self._collection = collection
        self._counters = counters
        self.met = 0  # hosts whose robots.txt was asked for, by this process, for the first time
        # What this process saw last: what a booking is computed from, and a count counted from.
        self._seen: Memory[str, HostRecord] = Memory(MAX_HOSTS)
        self._texts: Memory[str, tuple[float, str]] = Memory(MAX_TEXTS)
        # Counts of this invocation: one write for each host instead of one for each request.
        self._counted: dict[str, HostChange] = {}
        self._counting = threading.Lock()

    def _key(self, host: str) -> tuple[str, str]:
        return keys.textual(self._collection, host), RECORD

    def get(self, host: str) -> HostRecord:
        # The newest, because its rules may have been learned just now.
        item = self._table.get(*self._key(host), newest=True)
        return self._see(host, item).changed(self._counted.get(host, NOTHING))

    def _see(self, host: str, item: HostItem | None) -> HostRecord:
        record = self._record(host, item) if item else HostRecord(host=host)
        self._seen.put(host, record)
        return record

    def _record(self, host: str, item: HostItem) -> HostRecord:
        given = {name: getattr(item, name) for name in _FIELDS}
        facts = {name: value for name, value in given.items() if value is not None}
        facts |= {name: bool(facts.get(name)) for name in _YES_OR_NO}
        facts |= _aside(facts.get("set_aside", ""))
        return HostRecord(host=host, robots_text=self._text(host, item), **facts)

    def _text(self, host: str, item: HostItem) -> str:
        """The text of robots.txt, which stays as it is as long as its rules hold."""
        if not item.robots_parts:
            return ""
        until = item.robots_until or 0.0
        remembered = self._texts.get(host)
        if remembered is not None and remembered[0] == until:
            return remembered[1]
        found = self._table.query(
            keys.textual(self._collection, host), HostItem.part.startswith("r"), newest=True
        )
        packed = b"".join(piece.body for piece in list(found)[: item.robots_parts])
        text = zstandard.ZstdDecompressor().decompress(packed).decode() if packed else ""
        self._texts.put(host, (until, text))
        return text

    def book(self, host: str, wanted: int, now: float, pace: Pace, window: float) -> Booking:
        if host in self._counted:
            self._change_now(host)  # the last request may have started after the last slot
        record = self._seen.get(host) or self.get(host)
        for _ in retrying(f"booking slots of {host}"):
            # A delay that grew counts from the last slot, which was booked at the old pace.
            start = max(record.next_slot, record.not_before, record.last_slot + pace.spacing)
            booking = book(start, wanted, now, pace.spacing, window)
            if not booking.count:
                break  # slots only move forward: an older record cannot know of fewer
            last = booking.next_slot - pace.spacing
            written = self._table.update(
                self._key(host),
                [
                    HostItem.next_slot.set(booking.next_slot),
                    HostItem.last_slot.set(max(last, record.last_slot)),
                ],
                _unchanged(record),
                returns="ALL_NEW",
            )
            record = self._see(host, written.item)
            if written.done:
                break
        return booking

    def void_slots(self, host: HostRecord, latest: float, now: float) -> HostRecord:
        after = host.with_void_slots(latest, now)
        times = ("next_slot", "last_slot", "not_before", "service_slot")
        names = (*times, "robots_lease", "robots_until")
        changed = [name for name in names if getattr(after, name) != getattr(host, name)]
        actions = [_attribute(name).set(getattr(after, name)) for name in ("era", *changed)]
        if after.aside != host.aside:
            actions.append(HostItem.set_aside.set(_packed_aside(*after.aside)))
        condition = _unchanged(host) & _is_still(host, "era")
        key = self._key(host.host)
        written = self._table.update(key, actions, condition, returns="ALL_NEW")
        return self._see(host.host, written.item)

    def lease_robots(self, host: str, now: float, until: float) -> bool:
        free = HostItem.robots_lease.does_not_exist() | (HostItem.robots_lease <= now)
        lease = [HostItem.robots_lease.set(until)]
        written = self._table.update(self._key(host), lease, free, returns="UPDATED_OLD")
        self.met += written.done and written.item is None
        return written.done

    async def claim_service(self, host: str, slot: float) -> bool:
        later = HostItem.service_slot.does_not_exist() | (HostItem.service_slot < slot)
        claim = [HostItem.service_slot.set(slot)]
        written = await asyncio.to_thread(self._table.update, self._key(host), claim, later)
        return written.done

    def change(self, host: str, change: HostChange) -> HostRecord:
        if not change.only_counts():
            return self._change_now(host, change)
        with self._counting:
            change = change.with_counts(self._counted.pop(host, NOTHING))
            self._counted[host] = change
        return (self._seen.get(host) or HostRecord(host=host)).changed(change)

    def _change_now(self, host: str, change: HostChange = NOTHING) -> HostRecord:
        """Write a change and what was counted before it."""
        with self._counting:
            change = change.with_counts(self._counted.pop(host, NOTHING))
        return self._change(host, change)

    def flush(self) -> None:
        """Write what was counted. If that fails, so does the invocation, and messages come back."""
        with self._counting:
            counted, self._counted = self._counted, {}
        self._table.clients.each(lambda one: self._change(*one), counted.items())

    def _change(self, host: str, change: HostChange) -> HostRecord:
        seen = self._seen.get(host)
        rising = change.raised()
        rising = {n: v for n, v in rising.items() if seen is None or v > getattr(seen, n)}
        plain = self._actions(host, change)
        for _ in retrying(f"writing host {host}"):
            raised = [_attribute(name).set(value) for name, value in rising.items()]
            if not plain and not raised:
                return self.get(host)
            condition = _condition(rising, change.was_aside)
            written = self._table.update(
                self._key(host), [*plain, *raised], condition, returns="ALL_NEW"
            )
            record = self._see(host, written.item)
            if written.done or change.was_aside not in (None, record.aside):
                break
            rising = {n: v for n, v in rising.items() if v >= getattr(record, n)}
        return record

    def _actions(self, host: str, change: HostChange) -> list[Action]:
        """What is added to and replaced, which no other writer can come in between of."""
        facts: Json = {**change.given()}
        if change.robots_text is not None:
            text = facts.pop("robots_text")
            facts["robots_parts"] = self._put_text(host, text)
            self._texts.put(host, (change.robots_until or 0.0, text))
        if change.aside is not None:
            facts["set_aside"] = _packed_aside(*change.aside)
        replaced = [_attribute(name).set(value) for name, value in facts.items()]
        return replaced + [_attribute(name).add(more) for name, more in change.added().items()]

    async def change_durably(self, host: str, change: HostChange) -> HostRecord:
        return await asyncio.to_thread(self._change_now, host, change)

    def _put_text(self, host: str, text: str) -> int:
        """Keep a robots.txt, in pieces that fit into items, before the record names it."""
        packed = zstandard.ZstdCompressor(level=9).compress(text.encode()) if text else b""
        pieces = [packed[i : i + PIECE] for i in range(0, len(packed), PIECE)]
        host_key = keys.textual(self._collection, host)
        for number, piece in enumerate(pieces):
            self._table.put(HostItem(host=host_key, part=f"r{number}", body=piece))
        return len(pieces)

    def count(self) -> int:
        return self._counters.hosts() + self.met

    def troubled(self) -> list[HostRecord]:
        return [record for record in self.all() if trouble(record)]

    def waits(self, now: float) -> dict[str, float]:
        return {r.host: r.next_slot - now for r in self.all() if r.next_slot > now}

    def all(self) -> Iterator[HostRecord]:
        ours = HostItem.host.startswith(f"{self._collection}#") & (HostItem.part == RECORD)
        for item in self._table.scan(ours):
            record = self._record(keys.name_in(self._collection, item.host), item)
            if record.was_asked:
                yield record

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, HostRecord]]:
        for mark, item in self._table.scan_after(after, f"{self._collection}#"):
            if item.part == RECORD:
                yield mark, self._record(keys.name_in(self._collection, item.host), item)

    def load(self, entries: Sequence[HostRecord]) -> None:
        self._table.write_many(map(self._loaded, entries))
        for record in entries:
            self._seen.put(record.host, record)

    def _loaded(self, record: HostRecord) -> HostItem:
        host, part = self._key(record.host)
        facts = {name: getattr(record, name) for name in _FIELDS}
        facts |= {name: int(facts[name]) for name in _YES_OR_NO}
        facts["set_aside"] = _packed_aside(*record.aside)
        facts["robots_parts"] = self._put_text(record.host, record.robots_text)
        given = {name: value for name, value in facts.items() if value}
        return HostItem(host=host, part=part, **given)


def _packed_aside(reason: str, until: float, spell: float) -> str:
    return f"{reason} {until!r} {spell!r}" if until or spell else reason


def _aside(text: str) -> Json:
    """Why, until when and for how long a host is set aside. Once there was only the reason."""
    reason, *numbers = text.split(" ")
    return {"set_aside": reason, **dict(zip(_ASIDE, map(float, numbers), strict=False))}


def _attribute(name: str) -> Attribute[float]:
    attribute: Attribute[float] = getattr(HostItem, name)
    return attribute


def _unchanged(record: HostRecord) -> Condition:
    """That the slots of a host are still those of a record."""
    conditions = [_is_still(record, name) for name in ("next_slot", "last_slot", "not_before")]
    return functools.reduce(operator.and_, conditions)


def _is_still(record: HostRecord, name: str) -> Condition:
    """Return the condition that a host has what a record says."""
    value = getattr(record, name)
    return _attribute(name) == value if value else is_nothing(_attribute(name))


def _condition(rising: dict[str, float], was_aside: Aside | None) -> Condition | None:
    """That no time would move back, and that the host is set aside as the writer believes."""
    conditions = [
        _attribute(name).does_not_exist() | (_attribute(name) <= value)
        for name, value in rising.items()
    ]
    if was_aside is not None:
        conditions.append(HostItem.set_aside == _packed_aside(*was_aside))
    return functools.reduce(operator.and_, conditions) if conditions else None
