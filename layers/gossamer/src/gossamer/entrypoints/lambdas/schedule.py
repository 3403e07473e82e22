"""Who looks after a crawl in the cloud between two messages?

Once a minute SCHEDULE is called without one: hosts whose parked URLs can go on are woken, jobs that
ran into a limit are ended, and jobs that have nothing left to do are finished.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from gossamer.bolts.schedule import has_budget, sweep
from gossamer.entrypoints.dispatch import forget_packs
from gossamer.entrypoints.lambdas.sqs import Home, sqs_handler

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.entrypoints.lambdas.sqs import Handler
    from gossamer.ports.jobs import JobRecord, JobState

SETTLE = 2.0  # seconds between two looks at the queues: their counts are approximate


class Crawl(Protocol):
    """What looking after jobs needs beside the ports."""

    def job_names(self) -> list[str]:
        """All jobs of the collection."""
        ...

    def set_state(self, job: str, state: JobState, reason: str = "") -> None:
        """Say how a job stands."""
        ...

    def is_busy(self) -> bool:
        """Whether any message waits or is in somebody's hands."""
        ...

    def has_parked(self) -> bool:
        """Whether URLs are parked in the frontier."""
        ...

    def parked_jobs(self) -> set[str]:
        """Whose URLs are parked."""
        ...

    def free_waiting(self, job: str, now: float) -> int:
        """Take back what parked URLs hold of the budgets; returns of how many URLs."""
        ...

    def close_waiting(self, job: str, reason: str) -> int:
        """Exclude what is parked for a job; returns how many URLs that were."""
        ...


def schedule_handler(home: Callable[[], Home], crawl: Callable[[], Crawl]) -> Handler:
    """A Lambda handler for SCHEDULE: batches of messages, and a call every minute."""
    with_messages = sqs_handler("frontier", home)

    def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
        if "Records" in event:
            return with_messages(event, context)
        opened = home()
        with opened.telemetry.invocation("schedule", context):
            tended = tend(opened, crawl())
            opened.settle()
        return tended

    return handler


def tend(home: Home, crawl: Crawl, wait: Callable[[float], None] = time.sleep) -> dict[str, Any]:
    """Look after every job; returns how each stands."""
    states: dict[str, Any] = {}
    for name in crawl.job_names():
        record = home.ports.jobs.get(name)
        if record is not None:
            states[name] = _tend_job(record, home, crawl, wait)
    if "running" not in states.values():
        states |= _take_back(states, crawl)
    return states


def _take_back(states: dict[str, Any], crawl: Crawl) -> dict[str, Any]:
    """Counts of messages may be old: a job that seemed finished may have parked URLs since."""
    early = [name for name in crawl.parked_jobs() if states.get(name) == "finished"]
    for name in early:
        crawl.set_state(name, "running")
    return dict.fromkeys(early, "running")


def _tend_job(record: JobRecord, home: Home, crawl: Crawl, wait: Callable[[float], None]) -> str:
    now = home.clock()
    if record.state == "stopped":
        crawl.close_waiting(record.job, "stopped")
    elif record.state == "running":
        if _is_late(record, now):
            crawl.set_state(record.job, "stopped", "max-seconds")
            crawl.close_waiting(record.job, "max-seconds")
            return "stopped"
        _wake(record.job, home, now)
        quiet = _when_quiet(record.job, home, crawl, wait)
        if quiet is not None:
            return _finish(quiet, crawl, now)
    return record.state


def _wake(job: str, home: Home, now: float) -> None:
    emissions = sweep(job, home.ports, now)
    home.queues.send(emissions, now)
    forget_packs(emissions, home.ports.frontier)


def _is_late(record: JobRecord, now: float) -> bool:
    limit = record.config.max_seconds
    return limit is not None and now - record.started_at >= limit


def _when_quiet(
    job: str, home: Home, crawl: Crawl, wait: Callable[[float], None]
) -> JobRecord | None:
    """The job if, twice, no queue holds anything and nothing is parked that its budget allows."""
    record: JobRecord | None = None
    for pause in (0.0, SETTLE):
        wait(pause)
        record = home.ports.jobs.get(job)
        if record is None or record.state != "running" or crawl.is_busy():
            return None
        if has_budget(record) and crawl.has_parked():
            return None
    return record


def _finish(record: JobRecord, crawl: Crawl, now: float) -> str:
    reason = ""
    if not has_budget(record):
        # A function that failed between a unit and its slot may have left the unit with a URL that
        # was parked since: then the job is not over.
        if crawl.free_waiting(record.job, now):
            return record.state
        limit = "max-pages" if record.pages_left == 0 else "max-documents"
        reason = limit if crawl.close_waiting(record.job, limit) else ""
    crawl.set_state(record.job, "finished", reason)
    return "finished"
