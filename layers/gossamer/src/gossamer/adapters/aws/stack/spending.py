"""Dollars from the counters of the hours. An hour that is over is read once by each process."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gossamer.adapters.aws.counters import LATE

if TYPE_CHECKING:
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
        return float(self.sums_since(since, now)[name])

    def sums_since(self, since: float, now: float) -> Counter[str]:
        """Add up all counters over the hours that touch a span of time."""
        hours = range(int(since // HOUR), int(now // HOUR) + 1)
        unread = [number for number in hours if number not in self._over]
        sums = self._counters.read_hours(number * HOUR for number in unread)
        recent = dict(zip(unread, sums, strict=True))
        self._over |= {n: found for n, found in recent.items() if now > (n + 1) * HOUR + LATE}
        total: Counter[str] = Counter()
        for number in hours:
            total.update(recent[number] if number in recent else self._over[number])
        return total

    def in_all(self, name: str, now: float) -> float:
        """A counter since the beginning."""
        before = self._kept(now)
        return float(before.sums[name]) + self.since(name, min(before.upto, now), now)

    def _kept(self, now: float) -> _Before:
        hour = int(now // HOUR)
        if self._before is None or self._before.read_in != hour:
            self._before = _Before(hour, *self._counters.kept(now))
        return self._before
