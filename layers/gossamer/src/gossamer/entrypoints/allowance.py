"""Whether a job may go on with the money that it has, for those who resume it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.cost.following import kept_back
from gossamer.core.cost.limits import MAX_USD, Limits, midnight
from gossamer.core.errors import ConfigurationError

if TYPE_CHECKING:
    from gossamer.ports.admin.stack import StackHome
    from gossamer.ports.jobs import JobRecord


def reached(home: StackHome, record: JobRecord, daily: float, now: float) -> str:
    """Which limit a job or its stack has reached; empty if none. Reads only what is limited."""
    limits = Limits(record.config.max_usd, daily)
    spent = _bound(home, record.job, limits.job, now) if limits.job is not None else 0.0
    today = home.spent_since(midnight(now), now) if limits.day else 0.0
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
            f"the stack has cost ${home.spent_since(midnight(now), now):,.4f} today, and its"
            f" DailyBudget is {daily:g}; its jobs go on after midnight UTC, or when it is deployed"
            " with a higher one"
        )
