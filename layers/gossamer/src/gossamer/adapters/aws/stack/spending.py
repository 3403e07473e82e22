"""Dollars from the counters of the hours. An hour that is over is read once by each process."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gossamer.adapters.aws.counters import LATE

if TYPE_CHECKING:
    from collections import Counter

    from gossamer.adapters.aws.counters import DynamoCounters

HOUR = 3600


class _Before(NamedTuple):
    """The sums of all hours before a moment, as they were kept when an hour began."""

    read_in: int
    upto: float
    sums: Counter[str]


class Spending:
    """Reads what was spent; nothing is written."""

    def __init__(self, counters: DynamoCounters) -> None:
        self._counters = counters
        self._over: dict[int, Counter[str]] = {}
        self._before: _Before | None = None

    def since(self, name: str, since: float, now: float) -> float:
        """A counter over the hours that touch a span of time."""
        hours = range(int(since // HOUR), int(now // HOUR) + 1)
        return float(sum(self._hour(number, now)[name] for number in hours))

    def in_all(self, name: str, now: float) -> float:
        """A counter since the beginning."""
        before = self._kept(now)
        return float(before.sums[name]) + self.since(name, min(before.upto, now), now)

    def _hour(self, number: int, now: float) -> Counter[str]:
        found = self._over.get(number)
        if found is None:
            found = self._counters.read(number * HOUR, number * HOUR)
            if now > (number + 1) * HOUR + LATE:
                self._over[number] = found
        return found

    def _kept(self, now: float) -> _Before:
        hour = int(now // HOUR)
        if self._before is None or self._before.read_in != hour:
            self._before = _Before(hour, *self._counters.kept(now))
        return self._before
