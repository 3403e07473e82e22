"""Periodic housekeeping of a crawl in the cloud: wake parked hosts, enforce limits, finish jobs.

SCHEDULE is called once a minute without a message. It wakes hosts whose parked URLs can go on, ends
jobs that ran into a limit, and finishes jobs that have nothing left to do. What SQS itself gave up
becomes a dead letter with a reason.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from gossamer.bolts.schedule import has_budget, sweep
from gossamer.core.errors import UndecodableMessage
from gossamer.entrypoints.dispatch import ACCEPTS, end_dead_letter, forget_packs
from gossamer.entrypoints.lambdas.sqs import sqs_handler
from gossamer.messages import decode
from gossamer.topology import CRAWL_STREAMS, LOST, SQS_RECEIVES

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.entrypoints.lambdas.sqs import Handler, Json, Worker
    from gossamer.messages import Stream
    from gossamer.ports import Ports
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord
    from gossamer.ports.queues import Delivery

LOST_REASON = (
    f"handed out {SQS_RECEIVES} times and never answered: its function died each time (out of"
    " memory, or out of time), or was throttled for hours"
)
MOST_LOST = 500  # messages that one call ends; the next one goes on
_UNREADABLE: Stream = "frontier"  # whose dead letters hold what is of no stream
SETTLE = 2.0  # seconds between two looks at the queues: their counts are approximate


def schedule_handler(worker: Callable[[], Worker]) -> Handler:
    """A Lambda handler for SCHEDULE: batches of messages, and a call every minute."""
    with_messages = sqs_handler("frontier", worker)

    def handler(event: Json, context: object) -> Json:
        if "Records" in event:
            return with_messages(event, context)
        opened = worker()
        with opened.telemetry.invocation("schedule", context):
            tended = tend(opened)
            opened.home.commit()
        return tended

    return handler


def tend(worker: Worker, wait: Callable[[float], None] = time.sleep) -> Json:
    """Look after every job; returns how each stands."""
    end_lost(worker)
    states: Json = {}
    jobs = worker.home.jobs
    for name in jobs.names():
        record = jobs.get(name)
        if record is not None:
            if worker.guard is not None:
                record = worker.guard.housekeep(record, worker.clock())
            states[name] = _tend_job(record, worker, wait)
    if "running" not in states.values():
        states |= _take_back(states, worker.home)
    return states


def end_lost(worker: Worker) -> int:
    """Messages that SQS gave up end their URLs, and become dead letters; returns how many."""
    count = 0
    while count < MOST_LOST and (lost := worker.home.queues.lost()):
        for delivery in lost:
            _end_lost(delivery, worker)
        count += len(lost)
    return count


def _end_lost(delivery: Delivery, worker: Worker) -> None:
    now, stream = worker.clock(), _UNREADABLE
    with suppress(UndecodableMessage):
        message = decode(delivery.body)
        stream = next(name for name, kind in ACCEPTS.items() if isinstance(message, kind))
        end_dead_letter(message, worker.ports, now)
    worker.home.queues.bury(stream, delivery, LOST_REASON, now)
    worker.telemetry.lost(stream, LOST_REASON)


def _take_back(states: Json, home: Home) -> Json:
    """Counts of messages may be old: a job that seemed finished may have parked URLs since."""
    packs = home.frontier.all() if home.frontier.has_packs() else ()
    early = {pack.request.job for _, pack in packs if states.get(pack.request.job) == "finished"}
    for name in early:
        home.jobs.set_state(name, "running")
    return dict.fromkeys(early, "running")


def _tend_job(record: JobRecord, worker: Worker, wait: Callable[[float], None]) -> str:
    home, now = worker.home, worker.clock()
    if record.state == "stopped":
        home.close_waiting(record.job, "stopped")
    elif record.state == "running":
        if _is_late(record, now):
            home.jobs.set_state(record.job, "stopped", "max-seconds")
            home.close_waiting(record.job, "max-seconds")
            return "stopped"
        wake(record.job, worker.ports, now)
        quiet = _when_quiet(record.job, home, wait)
        if quiet is not None:
            return _finish(quiet, home, now)
    return record.state


def wake(job: str, ports: Ports, now: float) -> int:
    """Let parked hosts go on whose time has come; returns how many."""
    emissions = sweep(job, ports, now)
    ports.home.queues.send(emissions, now)
    forget_packs(emissions, ports.frontier)
    return len(emissions)


def _is_late(record: JobRecord, now: float) -> bool:
    limit = record.config.max_seconds
    return limit is not None and now - record.started_at >= limit


def _when_quiet(job: str, home: Home, wait: Callable[[float], None]) -> JobRecord | None:
    """The job if, twice, no queue holds anything and nothing is parked that its budget allows."""
    record: JobRecord | None = None
    for pause in (0.0, SETTLE):
        wait(pause)
        record = home.jobs.get(job)
        if record is None or record.state != "running" or _is_busy(home):
            return None
        if has_budget(record) and home.frontier.has_packs():
            return None
    return record


def _is_busy(home: Home) -> bool:
    """Whether any message of the crawl is due, delayed, or held by a function."""
    depth = home.queues.depth()
    return any(depth[name] for name in (*CRAWL_STREAMS, LOST))


def _finish(record: JobRecord, home: Home, now: float) -> str:
    reason = ""
    if not has_budget(record):
        # A function that failed between a unit and its slot may have left the unit with a URL that
        # was parked since: then the job is not over.
        if home.free_waiting(record.job, now):
            return record.state
        limit = "max-pages" if record.pages_left == 0 else "max-documents"
        reason = limit if home.close_waiting(record.job, limit) else ""
    home.jobs.set_state(record.job, "finished", reason)
    return "finished"
