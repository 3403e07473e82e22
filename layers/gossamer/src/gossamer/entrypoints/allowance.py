"""Whether a job may go on with the money that it has, and whether searches are answered."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

from gossamer.core.cost.following import kept_back
from gossamer.core.cost.limits import DAY, MAX_USD, Limits, midnight
from gossamer.core.errors import ConfigurationError, GossamerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.ports.admin.stack import StackHome
    from gossamer.ports.jobs import JobRecord

LOOK_EVERY = 10.0  # seconds between two looks of a process at what searches cost: two read units


def reached(home: StackHome, record: JobRecord, daily: float, now: float) -> str:
    """Which limit a job or its stack has reached; empty if none. Reads only what is limited."""
    limits = Limits(record.config.max_usd, daily)
    spent = _bound(home, record.job, limits.job, now) if limits.job is not None else 0.0
    today = home.spent_since(midnight(now), now).crawl if limits.day else 0.0
    return limits.reached(spent, today)


def _bound(home: StackHome, job: str, limit: float, now: float) -> float:
    """What a job has cost, and what is under way will cost it."""
    return home.spent(job, now) + kept_back(limit, home.to_come(job, now))


def check_money(home: StackHome, record: JobRecord, daily: float, now: float) -> None:
    """Raise ConfigurationError if a job would be paused again at once."""
    reason = reached(home, record, daily, now)
    if reason == MAX_USD:
        raise ConfigurationError(
            f"job {record.job!r} has cost ${home.spent(record.job, now):,.4f} of its max_usd ="
            f" {record.config.max_usd:g}, with what is under way; give it more: --max-usd, or"
            " max_usd in its configuration"
        )
    if reason:
        raise ConfigurationError(
            f"crawls have cost ${home.spent_since(midnight(now), now).crawl:,.4f} today, and the"
            f" DailyBudget is {daily:g}; jobs go on after midnight UTC, or when the"
            " stack is deployed with a higher one"
        )


class SearchAllowance:
    """The budget of a day for searches, as one process sees it."""

    def __init__(self, home: StackHome, daily: float, clock: Callable[[], float]) -> None:
        """`daily`: US dollars; 0 is no limit."""
        self._home, self._daily, self._clock = home, daily, clock
        self._looked = -math.inf
        self._is_spent = False

    def closed_for(self) -> float:
        """Return the seconds until searches are answered again; 0 if they are answered now."""
        now = self._clock()
        if not self._daily:
            return 0.0
        if now - self._looked >= LOOK_EVERY:
            self._looked = now
            with suppress(GossamerError):  # what was seen last still counts
                self._is_spent = self._home.spent_since(midnight(now), now).search >= self._daily
        return midnight(now) + DAY - now if self._is_spent else 0.0
