"""Frontier over DynamoDB: packs of URLs under their host, and a marker for each host that has some.

A marker says until when its host need not be looked at, and counts how often a pack was parked. A
reader that finds no pack deletes the marker only if that count is unchanged: a pack parked in
between keeps its marker, or brings a new one.

A pack's key is made of what it holds, so the same pack parked twice is one item. Each time it gets
another mark, and only the mark that was taken can be forgotten.
"""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import zstandard

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import PackItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.fingerprint import fingerprint
from gossamer.messages import CrawlRequest, decode, encode
from gossamer.ports.frontier import PACK_LEASE, Pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pynamodb.expressions.condition import Condition

    from gossamer.adapters.aws.clients import Clients

MARKERS = "~hosts"
LOOK = 4  # packs read at once
SWEEP = 200  # hosts; to take a pack of each needs some seconds


class DynamoFrontier:
    """Packs of URLs per host."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, PackItem)
        self._collection = collection
        self._compressor = zstandard.ZstdCompressor(level=9)
        self._decompressor = zstandard.ZstdDecompressor()
        self._after = ""  # the host that a look at those waiting ended at

    def _host(self, host: str) -> str:
        return keys.textual(self._collection, host)

    def _marker(self, host: str) -> tuple[str, str]:
        return self._host(MARKERS), keys.short(host)

    def park(self, request: CrawlRequest, until: float = 0.0) -> None:
        self._put(request, 0.0)
        self._table.update(
            self._marker(request.host), [PackItem.until.set(until), PackItem.number.add(1)]
        )

    def hold(self, request: CrawlRequest, until: float) -> None:
        """Keep a pack that must not be taken before `until`, however soon its host is looked at."""
        self._put(request, until)
        sooner = PackItem.until.does_not_exist() | (PackItem.until > until)
        actions = [PackItem.until.set(until), PackItem.number.add(1)]
        if not self._table.update(self._marker(request.host), actions, sooner).done:
            # The marker may be deleted between these two: then it comes back with its time.
            keep = PackItem.until.set(PackItem.until | until)
            self._table.update(self._marker(request.host), [keep, PackItem.number.add(1)])

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

    def take(self, host: str, now: float) -> Pack | None:
        # The newest marker and packs: what was parked or woken just now must not be overlooked.
        marker = self._table.get(*self._marker(host), newest=True)
        if marker is None or (marker.until or 0.0) > now:
            return None
        taken: PackItem | None = None
        leases: list[float] = []
        for item in self._table.query(self._host(host), newest=True, limit=LOOK):
            if (item.lease or 0.0) > now:
                leases.append(item.lease)
            elif taken is not None:
                return self._pack(taken)  # there is more to take: the marker stays as it is
            elif (leased := self._lease(item, now)) is not None:
                taken = leased
                leases.append(now + PACK_LEASE)
        self._settle(marker, min(leases, default=None))
        return self._pack(taken) if taken is not None else None

    def _lease(self, item: PackItem, now: float) -> PackItem | None:
        """The pack if it is ours now; it may have been parked again since it was read."""
        free = PackItem.lease.does_not_exist() | (PackItem.lease <= now)
        there = PackItem.place.exists()
        actions = [PackItem.lease.set(now + PACK_LEASE)]
        key = item.host, item.place
        written = self._table.update(key, actions, there & free, returns="ALL_NEW")
        return written.item if written.done else None

    def _settle(self, marker: PackItem, until: float | None) -> None:
        """Nothing more to take: look again when the first lease is over, or never."""
        still: Condition = PackItem.number == marker.number
        if until is None:
            self._table.delete(marker.host, marker.place, condition=still)
        else:
            self._table.update((marker.host, marker.place), [PackItem.until.set(until)], still)

    def _pack(self, item: PackItem) -> Pack | None:
        request = decode(self._decompressor.decompress(item.body))
        key = f"{item.place} {item.mark}"
        return Pack(key, request) if isinstance(request, CrawlRequest) else None

    def forget(self, host: str, key: str) -> None:
        place, _, mark = key.partition(" ")
        same = PackItem.mark == int(mark) if mark.isdigit() else None
        self._table.delete(self._host(host), place, condition=same)

    def _markers(
        self, where: Condition | None = None, only: Condition | None = None
    ) -> Iterator[PackItem]:
        return self._table.query(self._host(MARKERS), where, only=only)

    def waiting(self, now: float, limit: int = SWEEP) -> list[str]:
        due, after = PackItem.until <= now, self._after
        turns = [PackItem.place > after, PackItem.place <= after] if after else [None]
        ready = itertools.chain.from_iterable(self._markers(turn, due) for turn in turns)
        hosts = [item.place for item in itertools.islice(ready, limit)]
        self._after = hosts[-1] if len(hosts) == limit else ""
        return hosts

    def next_at(self) -> float | None:
        return min((item.until or 0.0 for item in self._markers()), default=None)

    def has_packs(self) -> bool:
        return any(
            next(iter(self._table.query(self._host(marker.place), newest=True, limit=1)), None)
            for marker in self._markers()
        )

    def count(self) -> int:
        """How many URLs are parked: reads all packs."""
        return sum(item.number for item in self._packs())

    def _packs(self) -> Iterator[PackItem]:
        ours = PackItem.host.startswith(f"{self._collection}#")
        return (i for i in self._table.scan(ours) if i.host != self._host(MARKERS))

    def all(self) -> Iterator[tuple[str, Pack]]:
        for item in self._packs():
            pack = self._pack(item)
            if pack is not None:
                yield keys.name_in(self._collection, item.host), pack
