"""HostLanguages in the table `stats`: an item for each host.

A batch of messages reads the item of a host at most once and writes it at most once. Hosts of which
enough pages are counted are neither read nor written again by the same process.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.attributes import Count
from gossamer.adapters.aws.dynamodb.models import StatItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.memory import Memory
from gossamer.core.page.host_language import MAX_COUNTED_PAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.adapters.aws.clients import Clients

MAX_REMEMBERED_HOSTS = 20_000
_PREFIX = "in:"  # of the attribute of a language: its name is data, as "x" is


class DynamoHostLanguages:
    """Counts that are gathered in memory until the batch is done."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, StatItem)
        self._collection = collection
        self._complete: Memory[str, Counter[str]] = Memory(MAX_REMEMBERED_HOSTS)
        self._read: dict[str, Counter[str]] = {}  # in this batch
        self._gathered: dict[str, Counter[str]] = {}

    def add(self, host: str, pages: Mapping[str, int]) -> None:
        if sum(self.pages(host).values()) < MAX_COUNTED_PAGES:
            self._gathered.setdefault(host, Counter()).update(pages)

    def pages(self, host: str) -> Mapping[str, int]:
        return self._stored(host) + self._gathered.get(host, Counter())

    def flush(self) -> None:
        """Write what was gathered."""
        gathered, self._gathered = self._gathered, {}
        self._read.clear()
        for host, pages in gathered.items():
            actions = [Count(attr_name=_PREFIX + name).add(count) for name, count in pages.items()]
            self._table.update((self._key(host), 0), actions)

    def _stored(self, host: str) -> Counter[str]:
        counts = self._complete.get(host) or self._read.get(host)
        if counts is None:
            counts = self._fetch(host)
            if counts.total() >= MAX_COUNTED_PAGES:
                self._complete.put(host, counts)
            else:
                self._read[host] = counts
        return counts

    def _fetch(self, host: str) -> Counter[str]:
        rows = self._table.query_raw(StatItem.key == self._key(host))
        return Counter(
            {
                name.removeprefix(_PREFIX): int(value["N"])
                for raw in rows
                for name, value in raw.items()
                if name.startswith(_PREFIX)
            }
        )

    def _key(self, host: str) -> str:
        return keys.textual(self._collection, f"languages#{host}")
