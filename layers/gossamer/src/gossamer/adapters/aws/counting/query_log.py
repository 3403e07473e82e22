"""QueryLog in the table `stats`: an item for each query of a day, which expires by itself.

A day has a fixed number of places. A query has the place of its hash; if another one has it, the
query is dropped, so that strangers cannot fill the table.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.attributes import Count
from gossamer.adapters.aws.dynamodb.models import StatItem
from gossamer.adapters.aws.dynamodb.table import Table, assign
from gossamer.core.search.query_log import DAY, QueryCount

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.dynamodb.table import Raw
    from gossamer.core.search.query_log import Noted

PLACES = 20_000  # of a day: of 1,000 queries one in forty finds its place taken
ASKED, CLICKS, HITS = (Count(attr_name=name) for name in ("asked", "clicks", "hits"))


class DynamoQueryLog:
    """Counts of queries by day: one write unit for each query that is noted."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, StatItem)
        self._collection = collection

    def add(self, noted: Iterable[Noted], day: int, days: int) -> None:
        ttl = (day + days) * DAY
        self._table.clients.each(lambda each: self._add(each, day, ttl), noted)

    def _add(self, each: Noted, day: int, ttl: int) -> None:
        text = each.query.encode()
        actions = [assign(StatItem.body, text), assign(StatItem.ttl, ttl)]
        actions += [ASKED.add(each.asked), CLICKS.add(each.clicks)]
        if each.hits is not None:
            actions.append(assign(HITS, each.hits))
        is_free = StatItem.body.does_not_exist() | (StatItem.body == text)
        self._table.update((self._key(day), _place(text)), actions, is_free)

    def read(self, first: int, last: int) -> list[QueryCount]:
        found = self._table.clients.each(self._of_day, range(first, last + 1))
        return [each for counts in found for each in counts]

    def _of_day(self, day: int) -> list[QueryCount]:
        rows = self._table.query_raw(StatItem.key == self._key(day), newest=False)
        return sorted(map(_count, rows), key=lambda each: each.query)

    def forget(self) -> None:
        mine = f"{self._collection}#queries#"
        found = self._table.scan(StatItem.key.startswith(mine), (StatItem.key, StatItem.shard))
        self._table.write_many(deletes=[(item.key, item.shard) for item in found])

    def _key(self, day: int) -> str:
        return keys.textual(self._collection, f"queries#{day}")


def _place(text: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) % PLACES


def _count(raw: Raw) -> QueryCount:
    body = raw[StatItem.body.attr_name]["B"]
    return QueryCount(
        query=bytes(body).decode(errors="replace"),
        asked=int(raw[ASKED.attr_name]["N"]),
        clicks=int(raw[CLICKS.attr_name]["N"]),
        hits=int(raw.get(HITS.attr_name, {"N": "0"})["N"]),
    )
