"""Periodic housekeeping of a crawl in the cloud: wake parked hosts, enforce limits, finish jobs.

SCHEDULE is called once a minute without a message. It wakes hosts whose parked URLs can go on, ends
jobs that ran into a limit, and finishes jobs that have nothing left to do. What SQS itself gave up
becomes a dead letter with a reason.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.schedule import has_budget, packs_of
from gossamer.core.crawl.host_pace import latest_wake
from gossamer.core.errors import UndecodableMessage
from gossamer.entrypoints.dispatch import ACCEPTS, end_dead_letter, forget_packs
from gossamer.entrypoints.lambdas.sqs import sqs_handler
from gossamer.entrypoints.lambdas.template_watch import watch_templates
from gossamer.messages import MAX_PACK, decode
from gossamer.ports.frontier import SLEEP
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
CHUNK = 500  # hosts that are woken together
# Messages for SCHEDULE beyond which no host is woken: about a minute's work of five processes.
FULL = 6000
SWEEP_SECONDS = 12.0  # of the 20 that a call may take
PROBE = 20  # packs that are looked at when all jobs seem to be finished
FREE, CLOSE = b"free", b"close"  # the two passes at the end of a budget
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
    """Look after the jobs that need it; returns how each stands."""
    end_lost(worker)
    return Housekeeping(worker, wait).tend()


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


def wake(
    ports: Ports,
    now: float,
    asleep: frozenset[str] = frozenset(),
    goes_on: Callable[[], bool] = lambda: True,
) -> int:
    """Let parked hosts go on whose time has come, as many as the queue can take; how many did."""
    seen: set[str] = set()
    queues = ports.home.queues
    ahead = queues.room("fetch", now) / MAX_PACK  # hosts that have more would miss their slots
    woken, room = 0, int(min(FULL - queues.backlog("frontier", now), ahead))
    while room > woken and goes_on():
        some = ports.frontier.waiting(now, min(CHUNK, room - woken))
        hosts = [host for host in some if host not in seen]
        if not hosts:
            break
        emissions = packs_of(hosts, ports, now, asleep)
        _reopen({emission.message.job for emission in emissions}, ports)
        ports.home.queues.send(emissions, now)
        forget_packs(emissions, ports.frontier)
        seen.update(hosts)
        woken += len(emissions)
    return woken


def _reopen(jobs: set[str], ports: Ports) -> list[str]:
    """Counts of messages may be old: a job that seemed finished may have parked URLs since."""
    records = [record for name in jobs if (record := ports.jobs.get(name)) is not None]
    early = [record.job for record in records if record.state == "finished"]
    for name in early:
        ports.home.jobs.set_state(name, "running")
    return early


@dataclass
class Housekeeping:
    """One call of SCHEDULE without a message: what is not done in its time, the next one does."""

    worker: Worker
    wait: Callable[[float], None]
    states: Json = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.now = self.worker.clock()
        self.home = self.worker.home

    def tend(self) -> Json:
        """Wake, end and finish; returns how each job stands that is not at rest."""
        jobs = self.home.jobs
        self._guard_money()
        found = [record for name in jobs.to_tend() if (record := jobs.get(name)) is not None]
        running = [self._in_time(record) for record in found if record.state == "running"]
        awake = {record.job for record in running if has_budget(record)}
        asleep = frozenset(jobs.asleep()) | {r.job for r in running if r.job not in awake}
        if not running and not asleep:
            self._take_back()
        self.states |= dict.fromkeys(asleep, "paused") | {r.job: r.state for r in found + running}
        # Of a job that has ended something may be parked still: it is ended when it is due.
        woken = wake(self.worker.ports, self.now, asleep, self._lasts) if awake or not asleep else 0
        self._end(
            {record.job: record for record in [*found, *running] if record.state == "stopped"}
        )
        if running and not woken:
            self._wake_after_wrong_clock(running)
            self._finish_all([record for record in running if record.state == "running"])
        if running:
            watch_templates(self.worker, self.now, "finished" in self.states.values())
        self.home.recount_part(self.now, lambda: not _is_busy(self.home), self._lasts)
        return self.states

    def _wake_after_wrong_clock(self, running: list[JobRecord]) -> None:
        """Wake hosts that a clock that was ahead has put to sleep for longer than any may be."""
        ports = self.worker.ports
        latest = max(
            latest_wake(record.config, ports.grace, ports.window, self.now) for record in running
        )
        self.home.wake_later_than(max(latest, self.now + SLEEP), self.now)

    def _guard_money(self) -> None:
        """Pause jobs whose money is spent; those that wait for another day may go on."""
        jobs, guard = self.home.jobs, self.worker.guard
        for name in [*jobs.to_tend(), *jobs.asleep()] if guard is not None else ():
            if guard is not None and (record := jobs.get(name)) is not None:
                guard.tend(record, self.now)

    def _take_back(self) -> None:
        """All seems done: a look at some packs, if there are any, tells whether it is."""
        if self.home.frontier.next_at() is not None:
            some = islice(self.home.frontier.entries(), PROBE)
            early = _reopen({pack.request.job for _, _, pack in some}, self.worker.ports)
            self.states |= dict.fromkeys(early, "running")

    def _lasts(self) -> bool:
        return self.worker.clock() < self.now + SWEEP_SECONDS

    def _in_time(self, record: JobRecord) -> JobRecord:
        """A job that runs; stopped, if its time is over."""
        limit = record.config.max_seconds
        if limit is None or self.now - record.started_at < limit:
            return record
        self.home.jobs.set_state(record.job, "stopped", "max-seconds")
        return msgspec.structs.replace(record, state="stopped", reason="max-seconds")

    def _end(self, stopped: dict[str, JobRecord]) -> None:
        """Exclude what waits for stopped jobs, all in one pass if they were stopped together."""
        jobs, passes = self.home.jobs, dict[bytes, dict[str, str]]()
        for name, record in stopped.items():
            reason = record.reason or "stopped"
            passes.setdefault(jobs.progress(name), {})[name] = reason
        for mark, reasons in passes.items():
            part = self.home.close_part(reasons, mark, self._lasts)
            for name in reasons:
                if part.mark:
                    jobs.set_progress(name, part.mark)
                else:
                    jobs.end_done(name)
            if not part.mark:
                self.home.distrust_counts()

    def _finish_all(self, running: list[JobRecord]) -> None:
        """Finish jobs that have nothing left to do, if twice no queue holds anything."""
        can_go_on = all(map(has_budget, running))
        for pause in (0.0, SETTLE):
            self.wait(pause)
            if _is_busy(self.home) or (can_go_on and self.home.frontier.has_packs()):
                return
        for name in [record.job for record in running]:
            record = self.home.jobs.get(name)
            if record is None or record.state != "running":
                continue
            if not has_budget(record):
                self.states[name] = self._spent(record)
            elif not self.home.frontier.has_packs():
                self.states[name] = self._finished(name, "")

    def _spent(self, record: JobRecord) -> str:
        """Finish a job without a budget, in two passes over what is parked.

        A function that failed between a unit and its slot may have left the unit with a URL that
        was parked since: if the first pass takes one back, the job is not over.
        """
        jobs, name = self.home.jobs, record.job
        kind, _, mark = (jobs.progress(name) or FREE + b" ").partition(b" ")
        if kind == FREE:
            part = self.home.free_part(name, self.worker.clock(), mark, self._lasts)
            if part.count or part.mark:
                jobs.set_progress(name, FREE + b" " + part.mark if not part.count else b"")
                return record.state
            mark = b""
        limit = "max-pages" if record.pages_left == 0 else "max-documents"
        part = self.home.close_part({name: limit}, mark, self._lasts)
        reason = limit if part.count else record.reason
        if part.mark:
            jobs.set_state(name, "running", reason)
            jobs.set_progress(name, CLOSE + b" " + part.mark)
            return record.state
        return self._finished(name, reason)

    def _finished(self, name: str, reason: str) -> str:
        self.home.jobs.set_state(name, "finished", reason)
        self.home.distrust_counts()
        return "finished"


def _is_busy(home: Home) -> bool:
    """Whether any message of the crawl is due, delayed, or held by a function."""
    depth = home.queues.depth()
    return any(depth[name] for name in (*CRAWL_STREAMS, LOST))
