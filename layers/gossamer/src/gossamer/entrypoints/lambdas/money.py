"""Pause jobs whose money is spent, and let those go on that a new day allows.

SCHEDULE and FETCH look after their invocations, some seconds apart, and SCHEDULE once a minute.
What is under way then is finished: fetched pages are parsed and indexed, and what waits for a slot
is parked. So a job costs more than its limit by what a few seconds and the messages in flight cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.cost.limits import DAILY_USD
from gossamer.entrypoints.allowance import reached

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.ports.admin.stack import StackHome
    from gossamer.ports.jobs import JobRecord

LOOK_EVERY = 5.0  # seconds between two looks of a process at a job; a look costs four read units
LOOKING = ("schedule", "fetch")  # the functions that look: what they send on is what costs


class Guard:
    """Keeps the jobs of a stack within their money."""

    def __init__(self, home: StackHome, daily: float = 0.0) -> None:
        self._home, self._daily = home, daily
        self._looked: dict[str, float] = {}

    def after(self, bolt: str, jobs: Iterable[str], now: float) -> None:
        """Look at the jobs that an invocation worked for, unless this process did a moment ago."""
        for job in jobs if bolt in LOOKING else ():
            if now - self._looked.get(job, float("-inf")) >= LOOK_EVERY:
                self._looked[job] = now
                record = self._home.jobs.get(job)
                if record is not None:
                    self.tend(record, now)

    def tend(self, record: JobRecord, now: float) -> JobRecord:
        """Pause a job, or let it go on; returns how it stands then."""
        stands_for_today = record.state == "paused" and record.reason == DAILY_USD
        if record.state != "running" and not stands_for_today:
            return record
        reason = reached(self._home, record, self._daily, now)
        if record.state == "running" and reason:
            self._home.jobs.set_state(record.job, "paused", reason, before=record)
        elif stands_for_today and not reason:
            self._home.jobs.set_state(record.job, "running", before=record)
        else:
            return record
        return self._home.jobs.get(record.job) or record
