"""When money is spent: the limit of a job, and that of a stack for a day."""

from __future__ import annotations

from typing import NamedTuple

DAY = 86_400.0
MAX_USD, DAILY_USD = "max-usd", "daily-usd"  # why a job is paused
PAUSES = (MAX_USD, DAILY_USD)


class Limits(NamedTuple):
    """US dollars; None and 0 are no limit."""

    job: float | None = None
    day: float = 0.0

    def __bool__(self) -> bool:
        """Whether there is any."""
        return self.job is not None or self.day > 0

    def reached(self, spent: float, today: float) -> str:
        """Why a job that has cost so much must pause, in a stack that has cost so much today."""
        if self.job is not None and spent >= self.job:
            return MAX_USD
        return DAILY_USD if 0 < self.day <= today else ""


def midnight(now: float) -> float:
    """When the day began, in UTC."""
    return now - now % DAY
