"""Frontier over DynamoDB: packs of URLs under their host, and a marker for each host that has some.

A marker says until when its host need not be looked at; the index `by_due` has the markers in that
order, so hosts that are not due are never read. A marker's number grows by a random step with every
pack that is parked. A reader that leaves no pack behind deletes the marker only if its number is
unchanged: a pack parked in between keeps its marker, or brings a new one.

A pack's key is made of what it holds, so the same pack parked twice is one item. Each time it gets
another mark, and only the mark that was taken can be forgotten.
"""

from __future__ import annotations

import random
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import zstandard

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import PackItem
from gossamer.adapters.aws.dynamodb.table import Table, begins
from gossamer.core.fingerprint import fingerprint
from gossamer.messages import CrawlRequest, decode, encode
from gossamer.ports.frontier import PACK_LEASE, SLEEP, Pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.dynamodb.table import Raw

MARKERS = "~hosts"
CURSOR = ("~sweep", "after")  # which due host was handed out last
CHUNK = 500  # markers read at once
LOOK = 4  # packs read at once
STEP = 1 << 31  # the largest step of a marker's number
BY_DUE = PackItem.by_due.Meta.index_name


class _Look(NamedTuple):
    """What was found at a host."""

    taken: PackItem | None
    more: bool  # whether another pack could be taken now
    until: float | None  # when the next one can be taken; None if no pack is left behind


class DynamoFrontier:
    """Packs of URLs per host."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, PackItem)
        self._collection = collection
        self._compressor = zstandard.ZstdCompressor(level=9)
        self._decompressor = zstandard.ZstdDecompressor()

    def _host(self, host: str) -> str:
        return keys.textual(self._collection, host)

    def _marker(self, host: str) -> tuple[str, str]:
        return self._host(MARKERS), keys.short(host)

    def park(self, request: CrawlRequest, until: float = 0.0) -> None:
        self._put(request, 0.0)
        self._table.update(
            self._marker(request.host), [PackItem.until.set(until), PackItem.number.add(_step())]
        )

    def hold(self, request: CrawlRequest, until: float) -> None:
        """Keep a pack that must not be taken before `until`, however soon its host is looked at."""
        self._put(request, until)
        sooner = PackItem.until.does_not_exist() | (PackItem.until > until)
        actions = [PackItem.until.set(until), PackItem.number.add(_step())]
        if not self._table.update(self._marker(request.host), actions, sooner).done:
            # The marker may be deleted between these two: then it comes back with its time.
            keep = PackItem.until.set(PackItem.until | until)
            self._table.update(self._marker(request.host), [keep, PackItem.number.add(_step())])

    def _put(self, request: CrawlRequest, lease: float) -> None:
        body = encode(request)
        depth = min((candidate.depth for candidate in request.urls), default=0)
        item = PackItem(
            host=self._host(request.host),
            place=f"{min(depth, 999):03d}#{fingerprint(body).hex()}",
            body=self._compressor.compress(body),
            number=len(request.urls),
            mark=random.getrandbits(32),
        )
        if lease:
            item.lease = lease
        self._table.put(item)

    def wake(self, host: str) -> None:
        self._table.update(self._marker(host), [PackItem.until.set(0.0)], PackItem.until > 0.0)

    def wake_later_than(self, latest: float) -> None:
        ours = PackItem.host == self._host(MARKERS)
        asleep = PackItem.until > latest
        for raw in list(self._table.query_raw(ours, asleep, index=BY_DUE, limit=CHUNK)):
            marker = self._host(MARKERS), raw["p"]["S"]
            self._table.update(marker, [PackItem.until.set(0.0)], asleep)

    def take(self, host: str, now: float) -> Pack | None:
        # The newest marker and packs: what was parked or woken just now must not be overlooked.
        marker = self._table.get(*self._marker(host), newest=True)
        if marker is None or (marker.until or 0.0) > now:
            return None
        return self._take(marker, now, frozenset())

    def take_many(
        self, hosts: Iterable[str], now: float, asleep: frozenset[str] = frozenset()
    ) -> list[Pack]:
        wanted = [self._marker(host) for host in hosts]
        markers = self._table.read_many(wanted, newest=True)
        due = [marker for marker in markers if (marker.until or 0.0) <= now]
        taken = self._table.clients.each(lambda marker: self._take(marker, now, asleep), due)
        return [pack for pack in taken if pack is not None]

    def _take(self, marker: PackItem, now: float, asleep: frozenset[str]) -> Pack | None:
        look = self._look(marker.place, now, asleep)
        if look.taken is None:
            self._settle(marker, look.until)
            return None
        if look.until is None:
            return self._pack(look.taken, marker.number)  # to forget it is to delete the marker
        if not look.more:
            self._settle(marker, min(look.until, now + PACK_LEASE))
        return self._pack(look.taken)

    def _look(self, host: str, now: float, asleep: frozenset[str]) -> _Look:
        """Lease the best pack of a host, and look whether others remain."""
        taken: PackItem | None = None
        times: list[float] = []
        for item in self._table.query(self._host(host), newest=True, limit=LOOK):
            if (item.lease or 0.0) > now:
                times.append(item.lease)
            elif asleep and self._job(item) in asleep:
                times.append(now + SLEEP)
            elif taken is not None:
                return _Look(taken, more=True, until=now)
            else:
                taken = self._lease(item, now)
                if taken is None:  # another process was faster; should it die, the pack comes back
                    times.append(now + PACK_LEASE)
        return _Look(taken, more=False, until=min(times, default=None))

    def _lease(self, item: PackItem, now: float) -> PackItem | None:
        """The pack if it is ours now; it may have been parked again since it was read."""
        free = PackItem.lease.does_not_exist() | (PackItem.lease <= now)
        there = PackItem.place.exists()
        actions = [PackItem.lease.set(now + PACK_LEASE)]
        key = item.host, item.place
        written = self._table.update(key, actions, there & free, returns="ALL_NEW")
        return written.item if written.done else None

    def _settle(self, marker: PackItem, until: float | None) -> None:
        """Nothing more to take: look again when the first pack is free, or never."""
        still = PackItem.number == marker.number
        if until is None:
            self._table.delete(marker.host, marker.place, condition=still)
        else:
            self._table.update((marker.host, marker.place), [PackItem.until.set(until)], still)

    def _job(self, item: PackItem) -> str:
        pack = self._pack(item)
        return pack.request.job if pack is not None else ""

    def _pack(self, item: PackItem, last: int | None = None) -> Pack | None:
        """`last`: the number of its marker, if no other pack of its host was left."""
        request = decode(self._decompressor.decompress(item.body))
        key = f"{item.place} {item.mark}" + ("" if last is None else f" {last}")
        return Pack(key, request) if isinstance(request, CrawlRequest) else None

    def forget(self, host: str, key: str) -> None:
        place, mark, *last = key.split(" ")
        same = PackItem.mark == int(mark) if mark.isdigit() else None
        gone = self._table.delete(self._host(host), place, condition=same).done
        if gone and last:
            still = PackItem.number == int(last[0])
            self._table.delete(*self._marker(host), condition=still)

    def forget_many(self, packs: Sequence[tuple[str, str]]) -> None:
        self._table.clients.each(lambda pack: self.forget(*pack), packs)

    def _by_due(
        self, limit: int, now: float | None = None, start: Raw | None = None
    ) -> Iterator[Raw]:
        """Markers in the order of their due time, as keys of the index; `limit` read at once."""
        ours = PackItem.host == self._host(MARKERS)
        due = None if now is None else PackItem.until <= now
        return self._table.query_raw(ours, due, index=BY_DUE, start=start, limit=limit)

    def waiting(self, now: float, limit: int = 1000) -> list[str]:
        cursor = self._table.get(self._host(CURSOR[0]), CURSOR[1])
        start = msgspec.msgpack.decode(cursor.body) if cursor and cursor.body else None
        turns = chain(self._by_due(limit, now, start), self._before(limit, now, start))
        found = list(islice(turns, limit))
        if cursor or len(found) == limit:
            self._keep_cursor(found[-1] if len(found) == limit else None)
        return list(dict.fromkeys(raw["p"]["S"] for raw in found))

    def _before(self, limit: int, now: float, start: Raw | None) -> Iterator[Raw]:
        """The due hosts before the cursor, once those behind it had their turn.

        Those that are due at its very moment have no order: some may come a second time.
        """
        if start is not None:
            last = float(start["un"]["N"])
            yield from self._by_due(limit, min(now, last))

    def _keep_cursor(self, raw: Raw | None) -> None:
        key = self._host(CURSOR[0]), CURSOR[1]
        if raw is None:
            self._table.delete(*key)
        else:
            body = msgspec.msgpack.encode({name: raw[name] for name in ("h", "p", "un")})
            self._table.put(PackItem(host=key[0], place=key[1], body=body))

    def next_at(self) -> float | None:
        return next((float(raw["un"]["N"]) for raw in self._by_due(1)), None)

    def has_packs(self) -> bool:
        return any(
            next(iter(self._table.query(self._host(raw["p"]["S"]), newest=True, limit=1)), None)
            for raw in self._by_due(LOOK)
        )

    def count(self) -> int:
        """How many URLs are parked: reads all packs."""
        return sum(item.number for item in self._packs())

    def _packs(self) -> Iterator[PackItem]:
        ours = begins(PackItem.host, f"{self._collection}#")
        return (item for item in self._table.scan(ours) if self._is_pack(item))

    def _is_pack(self, item: PackItem) -> bool:
        return not item.host.startswith(self._host("~"))  # no host begins so

    def all(self) -> Iterator[tuple[str, Pack]]:
        return ((host, pack) for _, host, pack in self.entries())

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, str, Pack]]:
        for mark, item in self._table.scan_after(after, f"{self._collection}#"):
            pack = self._pack(item) if self._is_pack(item) else None
            if pack is not None:
                yield mark, keys.name_in(self._collection, item.host), pack


def _step() -> int:
    """By how much a number grows: one that was deleted and began again is never the same."""
    return 1 + random.randrange(STEP)  # noqa: S311 no secret
