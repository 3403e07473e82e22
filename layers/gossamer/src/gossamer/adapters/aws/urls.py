"""UrlStore over DynamoDB, with the ids that this process met in memory.

Most links lead to URLs we know: they are dropped by memory, then by reading (half a unit of reading
each), and only misses are written. A write whose condition fails is billed like one that succeeds,
so none is made on suspicion.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import UrlItem
from gossamer.adapters.aws.dynamodb.table import Table, assign
from gossamer.adapters.aws.memory import Memory
from gossamer.core.crawl import reopening
from gossamer.core.crawl.claims import (
    LEASE,
    MAX_CLOCK_SKEW,
    Claim,
    Claimable,
    claim_event,
    judge_claim,
)
from gossamer.core.crawl.rediscovery import (
    Known,
    Rediscovery,
    first_state,
    is_news,
    meet_again,
)
from gossamer.core.crawl.removal import CLOSED_TO_SEARCH, NEVER_DOCUMENTS
from gossamer.core.crawl.url_record import (
    NOTHING_LEARNED,
    Admission,
    Discovery,
    UrlChange,
    UrlEntry,
    UrlRecord,
)
from gossamer.core.crawl.url_state import END_STATES, UNASKED_REASONS, WAY_REASONS, Event, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pynamodb.expressions.condition import Condition
    from pynamodb.expressions.update import Action

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.dynamodb.table import Written

MAX_KNOWN = 100_000  # about 200 bytes each
_TO_DEDUPE = (
    *(UrlItem.key, UrlItem.depth, UrlItem.state, UrlItem.reason, UrlItem.via, UrlItem.slot),
    UrlItem.nearer_via,
)
# What a record is made of has the same names in both.
_FACTS = tuple(name for name in UrlRecord.__struct_fields__ if name != "id")
_TO_HINT = (UrlItem.key, UrlItem.job, UrlItem.state, UrlItem.slot, UrlItem.hinted_at)


class _Way(NamedTuple):
    depth: int  # of an admitted URL; it never grows
    via: bytes
    nearer_via: bytes | None = None


class _Met(NamedTuple):
    """What became of one discovery."""

    fresh: Discovery | None = None
    shallower: UrlRecord | None = None
    shift: tuple[str, str, str, str] | None = None  # state and reason before and after
    known: _Way | None = None


class DynamoUrlStore:
    """The URLs of a collection. `by_state` and `by_reason` count what this process moved."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, UrlItem)
        self._collection = collection
        self._known: Memory[bytes, _Way] = Memory(MAX_KNOWN)
        self._there: Memory[bytes, bool] = Memory(MAX_KNOWN)  # worth adding, but not by a put
        self.by_state: Counter[str] = Counter()
        self.pages = 0  # that came in since the counters were written
        self.by_reason: Counter[str] = Counter()
        self._counting = threading.Lock()

    def _key(self, id: bytes) -> bytes:
        return keys.binary(self._collection, id)

    def get(self, id: bytes) -> UrlRecord | None:
        # The newest, because a message that came twice acts on it.
        item = self._table.get(self._key(id), newest=True)
        return self._record(item) if item else None

    def is_waiting(self, id: bytes) -> bool:
        """Whether a URL has still to be asked for, perhaps because its fetcher died."""
        record = self.get(id)
        return record is not None and record.state in (State.DISCOVERED, State.FETCHING)

    def unknown(self, found: Iterable[tuple[bytes, int]], source: bytes) -> set[bytes]:
        # An old answer does no harm: `add` decides by conditions.
        maybe: dict[bytes, int] = {}
        for id, depth in found:
            known = self._known.get(id)
            if known is None or known.depth > depth or source in (known.via, known.nearer_via):
                maybe[id] = depth
        for item in self._table.read_many([(self._key(id),) for id in maybe], _TO_DEDUPE):
            id = keys.id_in(self._collection, item.key)
            if _known(item).is_worth_adding(source, maybe[id]):
                self._there.put(id, True)
            else:
                self._known.put(id, _Way(item.depth, item.via or b"", item.nearer_via))
                del maybe[id]
        return set(maybe)

    def add(self, found: Sequence[Discovery], source: bytes, now: float) -> Admission:
        del now
        admission = Admission(fresh=[], shallower=[])
        met = self._table.clients.each(lambda item: self._admit(item, source), found)
        for item, result in zip(found, met, strict=True):
            if result.fresh:
                admission.fresh.append(result.fresh)
            if result.shallower:
                admission.shallower.append(result.shallower)
            if result.shift:
                self._shift(*result.shift)
            if result.known:
                self._known.put(item.id, result.known)
        return admission

    def _admit(self, item: Discovery, source: bytes) -> _Met:
        """Put what is new; what is there already, or came in between, is met again."""
        there = self._table.get(self._key(item.id), newest=True) if item.id in self._there else None
        for _ in range(8):
            if there is None:
                new = self._item(item, source)
                written = self._table.put(new, UrlItem.key.does_not_exist())
                if written.done:
                    return _first_met(item, source)
                there = written.item
            if there is not None:
                met, there = self._meet_again(item, there, source)
                if met is not None:
                    return met
        return _Met()  # others write this URL all the time: they will have found it as well

    def _item(self, found: Discovery, source: bytes) -> UrlItem:
        item = UrlItem(
            key=self._key(found.id),
            url=found.url,
            host=found.host,
            state=first_state(found).value,
            depth=found.depth,
        )
        if found.reason:
            item.reason = found.reason
        if found.hops:
            item.hops = found.hops
        if source:
            item.via = source
        if found.job:
            item.job = found.job
        if found.hinted_at:
            item.hinted_at = found.hinted_at
        return item

    def _meet_again(
        self, item: Discovery, there: UrlItem, source: bytes
    ) -> tuple[_Met | None, UrlItem | None]:
        """What a second way to a URL changes; (None, the item) if it changed in between."""
        met = meet_again(_known(there), item, source)
        if met.way is None:
            return _Met(fresh=met.fresh), None
        way: list[Action] = [UrlItem.depth.set(met.way.depth), UrlItem.hops.set(met.way.hops)]
        way.append(assign(UrlItem.nearer_via, met.nearer_via))
        if met.event is not None:
            return self._readmit(met, met.event, there, [*way, UrlItem.via.set(source)])
        condition = (UrlItem.depth == there.depth) & (UrlItem.state == there.state)
        written = self._table.update((there.key,), way, condition, returns="ALL_NEW")
        if not written.done or written.item is None:
            return None, written.item
        record = self._record(written.item) if _known(written.item).leads_on else None
        return _Met(shallower=record, known=_Way(met.way.depth, met.via, met.nearer_via)), None

    def _readmit(
        self, met: Rediscovery, event: Event, there: UrlItem, way: list[Action]
    ) -> tuple[_Met | None, UrlItem | None]:
        state = event.leads_to.value
        waits = [UrlItem.state.set(state), UrlItem.reason.set("")]
        condition = _allows(event) & (UrlItem.reason == there.reason)
        written = self._table.update((there.key,), [*way, *waits], condition)
        if not written.done or met.fresh is None:
            return None, written.item
        shift = (there.state, there.reason, state, "")
        return _Met(met.fresh, None, shift, _Way(met.fresh.depth, met.via)), None

    async def claim(
        self,
        id: bytes,
        slot: float,
        lease_until: float,
        now: float,
        tries: int = 0,
        after: float = 0.0,
    ) -> Claim:
        written = await asyncio.to_thread(self._claim, id, slot, lease_until, now, tries, after)
        if written.done:
            before = written.item.state if written.item else ""
            self._shift(before, "", State.FETCHING.value, "")
            return Claim.TAKEN
        if written.item is None or not written.item.state:
            return Claim.ENDED
        url = written.item
        found = Claimable(State(url.state), url.slot or 0.0, url.lease or 0.0, url.tries or 0)
        verdict = judge_claim(found, slot, now, tries, after)
        # Taken, if it was free again by the time that it was read: another slot will find it so.
        return Claim.STALE if verdict is Claim.TAKEN else verdict

    def _claim(
        self, id: bytes, slot: float, lease_until: float, now: float, tries: int, after: float
    ) -> Written[UrlItem]:
        """What `judge_claim` says, as a condition: a read before the write would cost as much."""
        ahead = now + MAX_CLOCK_SKEW
        unleased = (UrlItem.lease < now) | (UrlItem.lease > ahead + LEASE)
        over = (UrlItem.state == State.FETCHING.value) & unleased
        free = (UrlItem.state == State.DISCOVERED.value) | over
        later = UrlItem.slot.does_not_exist() | (UrlItem.slot < slot) | (UrlItem.slot > ahead)
        current = UrlItem.tries.does_not_exist() | (UrlItem.tries <= tries)
        condition = free & later & current
        taken = [
            UrlItem.state.set(claim_event(after).leads_to.value),
            UrlItem.slot.set(slot),
            UrlItem.lease.set(lease_until),
        ]
        if after:
            ended = UrlItem.state.is_in(*(state.value for state in END_STATES))
            condition |= ended & (UrlItem.slot == after) & later
            taken.append(UrlItem.tries.set(tries))
        return self._table.update((self._key(id),), taken, condition, returns="UPDATED_OLD")

    def hint(self, dates: Mapping[bytes, float], job: str, before: float = 0.0) -> None:

        def note(item: UrlItem) -> None:
            same = UrlItem.slot == item.slot if item.slot else UrlItem.slot.does_not_exist()
            unvisited = (UrlItem.job == job) & same
            self._table.update((item.key,), [UrlItem.hinted_at.set(said[item.key])], unvisited)

        def is_kept(item: UrlItem) -> bool:
            slot, known, date = item.slot or 0.0, item.hinted_at or 0.0, said[item.key]
            return item.job == job and is_news(State(item.state), slot, known, date, before)

        said = {self._key(id): date for id, date in dates.items()}
        found = self._table.read_many([(key,) for key in said], _TO_HINT)
        self._table.clients.each(note, [item for item in found if is_kept(item)])

    def move(
        self, id: bytes, event: Event, change: UrlChange = NOTHING_LEARNED, slot: float = 0.0
    ) -> bool:
        state = event.leads_to.value
        learned = [assign(getattr(UrlItem, name), value) for name, value in change.given().items()]
        written = self._table.update(
            (self._key(id),),
            [UrlItem.state.set(state), *learned],
            _allows(event) & (UrlItem.slot == slot) if slot else _allows(event),
            returns="UPDATED_OLD",
        )
        if written.done and written.item is not None:
            was = written.item.reason or ""
            reason = was if change.reason is None else change.reason
            self._shift(written.item.state, was, state, reason)
            self.pages += bool(change.md5)
        return written.done

    def _shift(self, state: str, reason: str, state_after: str, reason_after: str) -> None:
        """Count a move; a URL that is new comes from no state."""
        with self._counting:
            if state:
                self.by_state[state] -= 1
            self.by_state[state_after] += 1
            if reason != reason_after:
                self.by_reason[reason] -= bool(reason)
                self.by_reason[reason_after] += bool(reason_after)

    def recount(self) -> None:
        """Count states and reasons from the table: reads all of it."""
        self.by_state.clear()
        self.by_reason.clear()
        wanted = (UrlItem.key, UrlItem.state, UrlItem.reason)
        for item in self._table.scan(None, wanted, beginning=self._key(b"")):
            if item.state:
                self._shift("", "", item.state, item.reason or "")

    def all(self, segments: int = 1) -> Iterator[UrlRecord]:
        found = self._table.scan(beginning=self._key(b""), segments=segments)
        return (self._record(item) for item in found if item.state)

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, UrlEntry]]:
        for mark, item in self._table.scan_after(after, self._key(b"")):
            if item.state:
                yield mark, UrlEntry(self._record(item), item.job or "", item.units or 0)

    def load(self, entries: Sequence[UrlEntry]) -> None:
        self._table.write_many(map(self._loaded, entries))

    def _loaded(self, entry: UrlEntry) -> UrlItem:
        """What is nothing is no attribute: each of them is paid for."""
        facts = {name: getattr(entry.record, name) for name in _FACTS}
        facts |= {"state": entry.record.state.value, "job": entry.job, "units": entry.units}
        given = {name: value for name, value in facts.items() if value or name == "depth"}
        if entry.record.nearer_via is not None:
            given["nearer_via"] = entry.record.nearer_via
        return UrlItem(key=self._key(entry.record.id), **given)

    def closed(self) -> Iterator[UrlRecord]:
        never = UrlItem.state.is_in(*sorted(state.value for state in NEVER_DOCUMENTS))
        closed = never | UrlItem.reason.is_in(*sorted(CLOSED_TO_SEARCH))
        return map(self._record, self._table.scan(closed, beginning=self._key(b"")))

    def without_reason(self) -> int:
        silent = UrlItem.reason.does_not_exist() | (UrlItem.reason == "")
        ended = UrlItem.state.is_in(*(state.value for state in END_STATES))
        found = self._table.scan(silent & ended, (UrlItem.key,), beginning=self._key(b""))
        return sum(1 for _ in found)

    def hosts(self) -> dict[str, int]:
        wanted = (UrlItem.key, UrlItem.host)
        found = self._table.scan(None, wanted, beginning=self._key(b""))
        return dict(Counter(item.host for item in found if item.host))

    def _of_job(self, job: str, only: Condition) -> list[UrlRecord]:
        """Some URLs that a job found first, by host and depth: reads the whole table."""
        found = self._table.scan((UrlItem.job == job) & only, beginning=self._key(b""))
        return sorted(map(self._record, found), key=lambda record: (record.host, record.depth))

    def exclude(self, ids: Iterable[bytes], reason: str) -> int:
        """Exclude URLs that wait, several at a time; returns how many did."""
        change = UrlChange(reason=reason)
        return sum(self._table.clients.each(lambda id: self.move(id, Event.SKIPPED, change), ids))

    def revise(self, job: str, judge: Callable[[UrlRecord], str]) -> list[UrlRecord]:
        judged = UrlItem.state.is_in(*(state.value for state in reopening.JUDGED_AGAIN))
        return reopening.revise(self._of_job(job, judged), judge, self.move)

    def revisit(self, job: str) -> list[UrlRecord]:
        return reopening.revisit(self._of_job(job, UrlItem.slot > 0.0), self.move)

    def visited(self, job: str) -> Iterator[UrlRecord]:
        """What a job may ask for again, in no order: reads the whole table."""
        waits = UrlItem.state == State.DISCOVERED.value
        asked = (UrlItem.slot > 0.0) | UrlItem.reason.is_in(*UNASKED_REASONS) | waits
        found = self._table.scan((UrlItem.job == job) & asked, beginning=self._key(b""))
        ended = (*END_STATES, State.DISCOVERED)
        return (self._record(item) for item in found if item.state in ended)

    def addresses(self, ids: Iterable[bytes]) -> dict[bytes, str]:
        found = self._table.read_many([(self._key(id),) for id in ids], (UrlItem.key, UrlItem.url))
        return {keys.id_in(self._collection, item.key): item.url for item in found}

    def _record(self, item: UrlItem) -> UrlRecord:
        given = {name: getattr(item, name) for name in _FACTS}
        facts = {name: value for name, value in given.items() if value is not None}
        facts["state"] = State(item.state)
        return UrlRecord(id=keys.id_in(self._collection, item.key), **facts)


def _allows(event: Event) -> Condition:
    """That a URL is in a state in which this event can happen."""
    condition: Condition = UrlItem.state.is_in(*sorted(event.before))
    return condition


def _known(item: UrlItem) -> Known:
    way = item.depth or 0, item.via or b"", item.slot or 0.0, item.hops or 0
    state = State(item.state or State.PARSED)  # or only in the index
    return Known(state, item.reason or "", *way, item.nearer_via)


def _first_met(item: Discovery, source: bytes) -> _Met:
    shift = ("", "", first_state(item).value, item.reason)
    known = None if item.reason in WAY_REASONS else _Way(item.depth, source)
    return _Met(fresh=None if item.reason else item, shift=shift, known=known)
