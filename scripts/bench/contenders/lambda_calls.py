"""Lambda's way of calling functions for the messages of SQS, on a virtual clock.

A batch is handed out when it is full, or when its first message has waited for the batching window,
as soon as one of the functions that may run at once is free. Messages that a function sends come
into their queues when it ends. Queues live in this process, because moto's clock cannot be moved;
what they cost is counted as for SQS.
"""

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

from gossamer.adapters.aws.home import AwsHome
from gossamer.adapters.aws.sqs.queues import SqsQueues
from gossamer.core.cost.aws_units import sqs_requests
from gossamer.messages import Stream
from scripts.bench.machine.virtual_time import Clock

RECEIVED = 10  # messages that one request receives or deletes


@dataclass(frozen=True, slots=True)
class Source:
    """The event source of a function, as template.yaml has it."""

    batch: int
    window: float = 0.0  # seconds
    at_once: int = 2  # functions


class Queued(NamedTuple):
    """A message, and when it can be received."""

    at: float
    number: int
    body: str


class TimedQueues(SqsQueues):
    """The queues of a stack, in this process."""

    def __init__(self, home: AwsHome, clock: Clock) -> None:
        super().__init__(home.clients, home.stack, home.frontier, home.queue_urls, clock=clock)
        self._meter, self._now, self._numbers = home.meter, clock, count()
        self.waiting: dict[str, list[Queued]] = {}

    def _send_batch(self, name: str, entries: list[dict[str, Any]]) -> None:
        bodies = [entry["MessageBody"] for entry in entries]
        self.requested(name, "SendMessage", bodies)
        for entry, body in zip(entries, bodies, strict=True):
            at = self._now() + entry.get("DelaySeconds", 0)
            heap = self.waiting.setdefault(name, [])
            heapq.heappush(heap, Queued(at, next(self._numbers), body))

    def counts(self, name: str) -> dict[str, int]:
        """How many messages are due and delayed."""
        self.requested(name, "GetQueueAttributes", [])
        times = [message.at for message in self.waiting.get(name, [])]
        due = sum(at <= self._now() for at in times)
        return {"due": due, "held": 0, "delayed": len(times) - due}

    def requested(self, name: str, operation: str, bodies: list[str]) -> None:
        """Count one request with these messages."""
        size = sum(len(body.encode()) for body in bodies)
        self._meter.calls[f"sqs:{operation}", f"queue:{name}"] += 1
        self._meter.add("sqs", sqs_requests(size), f"queue:{name}", operation)

    def due_at(self, stream: Stream, source: Source | None = None) -> float:
        """When a batch can be handed out; never, if the queue is empty."""
        heap = self.waiting.get(stream)
        if not heap or source is None:
            return float("inf")
        first = heap[0].at
        if source.window and len(heap) >= source.batch:
            full = heapq.nsmallest(source.batch, heap)[-1].at
            return max(first, min(full, first + source.window))
        return first + source.window

    def take(self, stream: Stream, limit: int) -> list[str]:
        """Receive and delete what is there by now."""
        heap = self.waiting[stream]
        taken: list[str] = []
        while heap and heap[0].at <= self._now() and len(taken) < limit:
            taken.append(heapq.heappop(heap).body)
        for i in range(0, len(taken), RECEIVED):
            self.requested(stream, "ReceiveMessage", taken[i : i + RECEIVED])
            self.requested(stream, "DeleteMessage", [])
        return taken


Call = Callable[[Stream, list[str]], None]  # moves the clock to the end of the invocation


class LambdaCalls:
    """Calls functions until all queues are empty."""

    def __init__(
        self, queues: TimedQueues, clock: Clock, sources: Mapping[Stream, Source], call: Call
    ) -> None:
        self._queues, self._clock, self._sources, self._call = queues, clock, sources, call
        self._free = {stream: [clock()] * s.at_once for stream, s in sources.items()}

    def run(self) -> None:
        """Go on until nothing waits."""
        while (found := min((self._next_at(stream), stream) for stream in self._sources))[
            0
        ] < float("inf"):
            self._clock.now, stream = found
            bodies = self._queues.take(stream, self._sources[stream].batch)
            heapq.heappop(self._free[stream])
            self._call(stream, bodies)
            heapq.heappush(self._free[stream], self._clock())

    def _next_at(self, stream: Stream) -> float:
        due = self._queues.due_at(stream, self._sources[stream])
        return max(due, self._free[stream][0])
