"""Counters in DynamoDB, in shards, with few writes."""

from __future__ import annotations

import random
import time
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import StatItem
from gossamer.adapters.aws.dynamodb.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.dynamodb.table import Raw

SHARDS = 16
KEPT = 90 * 86_400  # seconds
STATES, TOTAL = "states", "total"
HOSTS = "hosts"
MOVES = "moves"  # how many moves of URLs were added
LATE = 600.0  # seconds after an hour in which its counts may still arrive
MILLIONTHS = 1_000_000  # a part of a dollar or of a gigabyte-second is counted as a whole number


class DynamoCounters:
    """Counters of a collection by hour, and those of its URLs' states."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, StatItem)
        self._collection = collection

    def add(self, counts: Mapping[str, float], now: float) -> None:
        self._add(_hour(now), counts, ttl=int(now) + KEPT)

    def read(self, since: float, until: float | None = None) -> Counter[str]:
        end = time.time() if until is None else until
        return _plain(self._sum_of(_hours(since, end)))

    def read_hours(self, starts: Iterable[float]) -> list[Counter[str]]:
        """Return the sums of each hour that begins at one of these moments, read side by side."""
        return self._table.clients.each(lambda start: self.read(start, start), starts)

    def totals(self, now: float) -> Counter[str]:
        """The sums of all hours since the beginning; a reader writes nothing."""
        past, upto = self._folded()
        return _plain(past + self._sum_of(self._hours_since(upto, now)))

    def fold(self, now: float) -> int:
        """Add hours that are over to one item, where readers begin; returns how many."""
        past, upto = self._folded()
        over = [hour for hour in self._hours_since(upto, now) if hour < _hour(now - LATE)]
        if over:
            self._keep(past + self._sum_of(over), upto, now - LATE)
        return len(over)

    def _folded(self) -> tuple[Counter[str], float]:
        """What was added up, and until when: one item, so that both are of one moment."""
        found = self._table.query_raw(StatItem.key == self._key(TOTAL), newest=True)
        raw = next(iter(found), None)
        if raw is None:
            return Counter(), 0.0
        return Counter(_counted(raw)), float(raw[StatItem.upto.attr_name]["N"])

    def kept(self, now: float) -> tuple[float, Counter[str]]:
        """The sums of past hours, and up to when they go; nothing is written."""
        past, upto = self._folded()
        if not upto:  # they were never added up: only hours are read that there are
            recent = _hour(now - LATE)
            past = self._sum_of([hour for hour in self._all_hours() if hour < recent])
            upto = _moment(recent)
        return upto, _plain(past)

    def _hours_since(self, upto: float, now: float) -> list[str]:
        return _hours(upto, now) if upto else self._all_hours()

    def _keep(self, past: Counter[str], before: float, upto: float) -> None:
        same = StatItem.upto == before if before else StatItem.key.does_not_exist()
        start = datetime.fromtimestamp(upto, UTC).replace(minute=0, second=0, microsecond=0)
        item = StatItem(key=self._key(TOTAL), shard=0, upto=start.timestamp())
        self._table.put(item, same, **{name: {"N": str(n)} for name, n in past.items()})

    def _all_hours(self) -> list[str]:
        found = self._table.scan(
            StatItem.key.startswith(f"{self._collection}#"), (StatItem.key, StatItem.shard)
        )
        names = {keys.name_in(self._collection, item.key) for item in found}
        return sorted(name for name in names if name.isdecimal())

    def _sum_of(self, hours: Iterable[str]) -> Counter[str]:
        total: Counter[str] = Counter()
        for numbers in self._table.clients.each(self._numbers, hours):
            total.update(numbers)
        return total

    def add_states(
        self, states: Mapping[str, int], reasons: Mapping[str, int], hosts: int = 0
    ) -> None:
        """Add moves of URLs to the counts of states and reasons, and hosts that are new."""
        named = {f"s:{name}": n for name, n in states.items()}
        named |= {f"r:{name}": n for name, n in reasons.items()}
        moved = sum(abs(n) for n in named.values())
        self._add(STATES, {**named, HOSTS: hosts, MOVES: moved})

    def correct(self, missing: Mapping[str, int]) -> None:
        """Add what a count of all URLs found more, or less, than the sums."""
        self._add(STATES, missing)

    def state_sums(self) -> Counter[str]:
        """All sums of states as they were added: they may be wrong after a kill."""
        return Counter({name: int(n) for name, n in _plain(self._numbers(STATES)).items()})

    def states(self) -> tuple[Counter[str], Counter[str]]:
        # The moves of a killed process are missing until the next count: never below nothing.
        total = self.state_sums()
        return +_named(total, "s:"), +_named(total, "r:")

    def hosts(self) -> int:
        return int(_plain(self._numbers(STATES))[HOSTS])

    def set_states(
        self, states: Mapping[str, int], reasons: Mapping[str, int], hosts: int = 0
    ) -> None:
        """Replace the counts of states by a recount."""
        self._table.write_many(deletes=[(self._key(STATES), n) for n in range(SHARDS)])
        self.add_states(states, reasons, hosts)

    def _key(self, name: str) -> str:
        return keys.textual(self._collection, name)

    def _add(self, name: str, counts: Mapping[str, float], ttl: int = 0) -> None:
        """One update of one shard: two who count at once rarely meet. Written by hand, because

        the names of the counters are data, not attributes of a model.
        """
        given = {k: round(v * MILLIONTHS) for k, v in counts.items() if v}
        if not given:
            return
        adds = ", ".join(f"#{i} :{i}" for i in range(len(given)))
        names = {f"#{i}": name for i, name in enumerate(given)}
        values = {f":{i}": {"N": str(n)} for i, n in enumerate(given.values())}
        expression = f"ADD {adds}"
        if ttl:
            expression += " SET #t = :t"
            names["#t"], values[":t"] = StatItem.ttl.attr_name, {"N": str(ttl)}
        self._table.call(
            "UpdateItem",
            Key=self._table.key((self._key(name), random.randrange(SHARDS))),  # noqa: S311 shard
            UpdateExpression=expression,
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
        )

    def _numbers(self, name: str) -> Counter[str]:
        """The counters of a key, in millionths."""
        total: Counter[str] = Counter()
        for raw in self._table.query_raw(StatItem.key == self._key(name), newest=True):
            total.update(_counted(raw))
        return total


def _plain(millionths: Counter[str]) -> Counter[str]:
    """Counters as they were given: a whole number stays one."""
    total: Counter[str] = Counter()
    for name, n in millionths.items():
        if n:
            total[name] = n // MILLIONTHS if not n % MILLIONTHS else n / MILLIONTHS  # type: ignore[assignment]
    return total


def _counted(raw: Raw) -> dict[str, int]:
    own = {attribute.attr_name for attribute in StatItem.get_attributes().values()}
    return {name: int(value["N"]) for name, value in raw.items() if name not in own}


def _named(total: Counter[str], prefix: str) -> Counter[str]:
    names: Iterable[tuple[str, int]] = total.items()
    return Counter({k[len(prefix) :]: int(v) for k, v in names if k.startswith(prefix)})


def _hours(since: float, until: float) -> list[str]:
    """The hours that touch a span of time."""
    first, last = int(since // 3600), int(until // 3600)
    return [_hour(number * 3600) for number in range(first, last + 1)]


def _moment(hour: str) -> float:
    return datetime.strptime(hour, "%Y%m%d%H").replace(tzinfo=UTC).timestamp()


def _hour(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y%m%d%H")
