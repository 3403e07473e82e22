"""TemplateHealth in the table `stats`: an item for each hour of a template, which expires.

What a batch of messages found is one write for each of its templates.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.attributes import Count
from gossamer.adapters.aws.dynamodb.models import StatItem
from gossamer.adapters.aws.dynamodb.table import Table, assign
from gossamer.core.page.templates.health import DAYS, HOUR, HourOfTemplate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.dynamodb.table import Raw

DAY = 24  # hours
_OWN = ("k", "s", "x", "ttl")


class DynamoTemplateHealth:
    """Counts that are gathered in memory until the batch is done."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, StatItem)
        self._collection = collection
        self._gathered: dict[tuple[str, int], Counter[str]] = {}

    def add(self, template: str, counts: Mapping[str, int], now: float) -> None:
        self._gathered.setdefault((template, int(now // HOUR)), Counter()).update(counts)

    def forget(self, template: str, now: float) -> None:
        hour = int(now // HOUR)
        self._gathered.pop((template, hour), None)
        self._table.delete(self._key(hour // DAY), _place(template, hour))

    def flush(self) -> None:
        """Write what was gathered."""
        gathered, self._gathered = self._gathered, {}
        for (template, hour), counts in gathered.items():
            ttl = (hour + DAYS * DAY) * HOUR
            actions = [assign(StatItem.body, template.encode()), assign(StatItem.ttl, ttl)]
            actions += [Count(attr_name=name).add(count) for name, count in counts.items() if count]
            self._table.update((self._key(hour // DAY), _place(template, hour)), actions)

    def read(self, since: float, until: float) -> list[HourOfTemplate]:
        first, last = int(since // HOUR), int(until // HOUR)
        days = range(first // DAY, last // DAY + 1)
        found = [each for hours in self._table.clients.each(self._of_day, days) for each in hours]
        return [each for each in found if first <= each.hour <= last]

    def _of_day(self, day: int) -> list[HourOfTemplate]:
        rows = self._table.query_raw(StatItem.key == self._key(day), newest=False)
        return sorted((_hour(raw, day) for raw in rows), key=lambda h: (h.hour, h.template))

    def _key(self, day: int) -> str:
        return keys.textual(self._collection, f"health#{day}")


def _place(template: str, hour: int) -> int:
    digest = hashlib.blake2b(template.encode(), digest_size=6).digest()
    return int.from_bytes(digest) * DAY + hour % DAY


def _hour(raw: Raw, day: int) -> HourOfTemplate:
    counts = {name: int(value["N"]) for name, value in raw.items() if name not in _OWN}
    template = bytes(raw[StatItem.body.attr_name]["B"]).decode()
    hour = day * DAY + int(raw[StatItem.shard.attr_name]["N"]) % DAY
    return HourOfTemplate(template, hour, counts)
