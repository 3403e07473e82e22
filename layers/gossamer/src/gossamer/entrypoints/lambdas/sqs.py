"""Run a bolt for the records of an SQS event.

Records are decoded and dealt with at the same time, each on its own. What the bolts emit is sent at
the end, ten messages to a request, and only records that failed are reported back, so one bad
message never repeats its neighbours. What cannot be read, or failed too often, goes to the dead
letters with the reason, and the URLs that depended on it end with that reason too.
"""

from __future__ import annotations

import asyncio
import atexit
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict
from zlib import crc32

from gossamer.core.errors import (
    GossamerError,
    NewerMessage,
    PermanentError,
    TransientError,
    UndecodableMessage,
)
from gossamer.entrypoints.dispatch import ACCEPTS, deal_with, end_dead_letter, forget_packs, joined
from gossamer.entrypoints.lambdas.telemetry import Telemetry
from gossamer.homes import index_writer
from gossamer.messages import FetchRequest, decode
from gossamer.ports.queues import EARLY, Delivery
from gossamer.topology import SQS_RECEIVES, STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.entrypoints.lambdas.money import Guard
    from gossamer.messages import AnyMessage, Emission, Stream
    from gossamer.ports import Ports
    from gossamer.ports.home import Home

    Json = dict[str, Any]  # an event of Lambda's, or an answer to it
    Handler = Callable[[Json, object], Json]

# A message that failed comes back after some seconds, then later and later: a store that throttles
# is not asked at once by all that it turned away. In all, SQS_RECEIVES take more than three hours.
FIRST_WAIT, LONGEST_WAIT = 15.0, 900.0
# Messages come some seconds before their slots, many together: until then each waits here.
MAX_WAIT = EARLY + 1.0


class Record(TypedDict):
    """The part of an SQS record that we read."""

    messageId: str
    body: str
    receiptHandle: NotRequired[str]
    attributes: NotRequired[dict[str, str]]


@dataclass
class Worker:
    """What a handler works with."""

    ports: Ports
    clock: Callable[[], float]
    ports_for: Callable[[str], Ports] | None = None  # a job's own: requests in its own name
    telemetry: Telemetry = field(default_factory=Telemetry)
    guard: Guard | None = None  # where work costs money

    @property
    def home(self) -> Home:
        """The home that the ports belong to."""
        return self.ports.home

    @cached_property
    def writer(self) -> IndexWriter:
        """What changes the index; it keeps the segments that it has opened."""
        return index_writer(self.home, self.clock)

    def ports_of(self, message: AnyMessage) -> Ports:
        """The ports for the job that a message belongs to."""
        return self.ports_for(message.job) if self.ports_for else self.ports

    def guard_money(self, bolt: str, cases: Sequence[Case]) -> None:
        """Pause jobs that have reached a limit; if that fails, housekeeping does it."""
        if self.guard is not None:
            jobs = dict.fromkeys(case.message.job for case in cases if case.message is not None)
            with suppress(GossamerError):
                self.guard.after(bolt, jobs, self.clock())


@dataclass
class Case:
    """One record, and what came of it."""

    record: Record
    message: AnyMessage | None = None
    emissions: list[Emission] = field(default_factory=list)
    error: Exception | None = None
    seconds: float = 0.0

    @property
    def received(self) -> int:
        """How often it was handed out, this time included."""
        return int(self.record.get("attributes", {}).get("ApproximateReceiveCount", "1"))


def sqs_handler(stream: Stream, worker: Callable[[], Worker]) -> Handler:
    """A Lambda handler for the bolt that reads `stream`; its home is opened at the first event."""

    def handler(event: Json, context: object) -> Json:
        opened, bolt = worker(), STREAMS[stream].bolt
        cases = [Case(record) for record in event["Records"]]
        with opened.telemetry.invocation(bolt, context):
            answered = _runner().run(_deal_with_all(stream, cases, opened))
        opened.guard_money(bolt, cases)
        return answered

    return handler


@lru_cache(maxsize=1)
def _runner() -> asyncio.Runner:
    """One loop for the life of the process: kept connections of the fetcher live in it."""
    runner = asyncio.Runner()
    atexit.register(runner.close)
    return runner


async def _deal_with_all(stream: Stream, cases: list[Case], worker: Worker) -> Json:
    await asyncio.gather(*(_deal_with(stream, case, worker) for case in cases))
    worker.home.commit()  # before others hear of it: they may book the next slots of these hosts
    return answer(stream, cases, worker)


async def _deal_with(stream: Stream, case: Case, worker: Worker) -> None:
    began = worker.clock()
    try:
        case.message = read(stream, case.record["body"])
        with worker.home.pages.task() if stream == "fetch" else nullcontext():
            await _await_slot(case.message, worker)
            ports = worker.ports_of(case.message)
            case.emissions = await deal_with(stream, case.message, ports, worker.clock())
    except Exception as error:  # noqa: BLE001 — the outermost frame of a message
        case.error = error
    case.seconds = worker.clock() - began


def read(stream: Stream, body: str) -> AnyMessage:
    """The message in a record, if it belongs into the stream."""
    message = decode(body)
    if not isinstance(message, ACCEPTS[stream]):
        kind = type(message).__name__
        raise UndecodableMessage(f"a {kind} does not belong into the stream {stream!r}")
    return message


async def _await_slot(message: AnyMessage, worker: Worker) -> None:
    if not isinstance(message, FetchRequest) or message.delay <= 0:
        return
    wait = message.slot - worker.clock()
    if 0 < wait <= MAX_WAIT:
        await asyncio.sleep(wait)
    if wait < -message.grace:
        worker.telemetry.count("MissedSlots")


def answer(stream: Stream, cases: Sequence[Case], worker: Worker) -> Json:
    """Send what was emitted, bury what is hopeless, and name what must come back."""
    _send(cases, worker)
    for case in cases:
        if case.error is not None and _is_hopeless(stream, case):
            _bury(stream, case, worker)
        worker.telemetry.message(stream, case)
    _hold_back(stream, [case for case in cases if case.error is not None], worker)
    worker.home.commit()
    failed = (case.record["messageId"] for case in cases if case.error is not None)
    return {"batchItemFailures": [{"itemIdentifier": id} for id in failed]}


def _send(cases: Iterable[Case], worker: Worker) -> None:
    """All at once; if that fails, nothing is acknowledged and everything comes back."""
    done = [case for case in cases if case.error is None]
    emissions = joined(emission for case in done for emission in case.emissions)
    try:
        worker.home.queues.send(emissions, worker.clock())
        forget_packs(emissions, worker.ports.frontier)
    except TransientError as error:
        for case in done:
            case.error = case.error or (error if case.emissions else None)


def _hold_back(stream: Stream, failed: Sequence[Case], worker: Worker) -> None:
    """Let what failed wait longer each time."""
    now = worker.clock()
    for case in failed:
        if handle := case.record.get("receiptHandle"):
            held = Delivery(f"{stream} {handle}", b"", case.received)
            with suppress(TransientError, PermanentError):  # then it waits as long as others do
                worker.home.queues.retry(held, now + retry_wait(case.received, handle))


def retry_wait(received: int, salt: str) -> float:
    """Seconds until a message that was handed out so often comes back; others wait differently."""
    longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(received - 1, 16))
    return longest * (1 + crc32(salt.encode()) / 2.0**32) / 2


def _is_hopeless(stream: Stream, case: Case) -> bool:
    """Whether trying again is in vain. A throttled store is not the message's fault.

    What a newer function has sent waits for another of its version; SQS would take it away from its
    stream after the last receive.
    """
    if isinstance(case.error, NewerMessage):
        return case.received >= SQS_RECEIVES - 1
    if isinstance(case.error, UndecodableMessage):
        return True
    return case.received >= STREAMS[stream].max_receives and not isinstance(
        case.error, TransientError
    )


def _bury(stream: Stream, case: Case, worker: Worker) -> None:
    """To the dead letters, with the reason; if even that fails, SQS takes it there by itself."""
    error, now = case.error, worker.clock()
    reason = f"{type(error).__name__}: {error}"[:500]
    delivery = Delivery("", case.record["body"].encode(errors="replace"), case.received)
    try:
        if case.message is not None:
            end_dead_letter(case.message, worker.ports, now)
        worker.home.queues.bury(stream, delivery, reason, now)
    except TransientError as failure:
        case.error = failure
    else:
        worker.telemetry.buried(stream, case, reason)
        case.error = None
