"""Pause, resume or stop a crawl in a stack, from the command line and over HTTP.

A state in the table of jobs is all that the functions ask: SCHEDULE and FETCH read it before every
request, so a pause holds from the next message on, and what waits is parked, not lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.crawl.job import Rules, checked
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.allowance import check_money
from gossamer.entrypoints.lambdas.context import NoFetcher
from gossamer.entrypoints.lambdas.schedule import wake
from gossamer.entrypoints.seeding import reopen
from gossamer.ports import Ports

if TYPE_CHECKING:
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord, JobState

ENDED: tuple[JobState, ...] = ("finished", "stopped")


class Steered(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What came of a command to a job."""

    job: str
    before: str
    state: str
    woken: int = 0  # hosts whose parked URLs go on
    reopened: int = 0  # URLs that a limit or a stop had excluded, and that wait again
    closed: int = 0  # URLs that were parked and are excluded now


def steer(action: str, home: Home, record: JobRecord, now: float) -> Steered:
    """Do what a person asks: pause, resume or stop."""
    return {"pause": pause, "resume": resume, "stop": stop}[action](home, record, now)


def pause(home: Home, record: JobRecord, now: float) -> Steered:
    """Let a running job wait."""
    del now
    if record.state in ENDED:
        raise ConfigurationError(f"job {record.job!r} is {record.state}: there is nothing to pause")
    home.jobs.set_state(record.job, "paused")
    return Steered(job=record.job, before=record.state, state="paused")


def with_money(stack: Stack, record: JobRecord, max_usd: float | None, now: float) -> JobRecord:
    """The job with another limit of money, if one is given; refused if it is spent already."""
    if max_usd is not None:
        raw = {**msgspec.to_builtins(record.config), "max_usd": max_usd}
        config = checked(raw, "command line")
        record = msgspec.structs.replace(record, rules=Rules(config))
    check_money(stack.home, record, stack.deployment.daily_usd, now)
    if max_usd is not None:
        stack.home.jobs.configure(record.job, record.config, now)
    return record


def resume(home: Home, record: JobRecord, now: float) -> Steered:
    """Let a job go on; one that has ended takes up again what its limits or a stop excluded."""
    home.jobs.set_state(record.job, "running")
    reopened = reopen(home, record, now) if record.state in ENDED else 0
    # At once: SCHEDULE does the same, but once a minute.
    woken = wake(Ports(home, NoFetcher()), now, frozenset(home.jobs.asleep()))
    return Steered(
        job=record.job, before=record.state, state="running", woken=woken, reopened=reopened
    )


def stop(home: Home, record: JobRecord, now: float) -> Steered:
    """End a job: what is parked is excluded now, what is in the queues as it comes along."""
    del now
    home.jobs.set_state(record.job, "stopped", "stopped")
    closed = home.close_waiting(record.job, "stopped")
    return Steered(job=record.job, before=record.state, state="stopped", closed=closed)


def to_text(done: Steered) -> str:
    """The result for a person."""
    told = {
        "paused": "nothing new is fetched from now on; `gossamer resume` goes on where it was",
        "running": f"{done.reopened:,} URLs opened again, {done.woken:,} hosts woken now,"
        " the others within a minute",
        "stopped": f"{done.closed:,} parked URLs excluded; what is in the queues follows",
    }
    return f"{done.job}: {done.before}, now {done.state}: {told[done.state]}"
