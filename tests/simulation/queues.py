"""Queues that deliver late, twice, out of order, or for a while not at all; but never lose."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.adapters.aws.sqs.gathering import held_back
from gossamer.messages import CrawlRequest, encode
from gossamer.ports.queues import Delivery
from gossamer.topology import LOST, SQS_RECEIVES, STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gossamer.messages import Emission, Stream
    from tests.simulation.kernel import Kernel
    from tests.simulation.spec import Faults

MAX_DELAY = 900.0  # seconds, as SQS has it
STALL = 400.0  # seconds at most that a stream may stand still
TARDY = 20.0  # seconds that one late message in fifty comes later still


@dataclass
class Held:
    """A message as a queue keeps it."""

    id: str
    body: bytes
    stream: Stream
    visible_at: float
    received: int = 0
    setbacks: int = 0  # times that its worker died, or a store failed it
    sent_at: float = 0.0


@dataclass
class Letter:
    """A dead letter."""

    stream: Stream
    body: bytes
    reason: str


@dataclass
class SimulatedQueues:
    """All streams of a world. `on_due` is told when a stream has something to deliver."""

    kernel: Kernel
    faults: Faults
    hold: Callable[[CrawlRequest, float], None]  # for what must wait longer than a queue can
    on_due: Callable[[Stream], None] = lambda _stream: None
    waiting: dict[Stream, dict[str, Held]] = field(
        default_factory=lambda: {stream: {} for stream in STREAMS}
    )
    given_up: dict[str, Held] = field(default_factory=dict)
    letters: list[Letter] = field(default_factory=list)
    sent: Counter[str] = field(default_factory=Counter)
    most_ahead: float = math.inf  # messages of a stream that its reader can deal with in time
    stalled_until: dict[Stream, float] = field(default_factory=dict)
    _number: int = 0
    _changed_at: float = 0.0
    _depth_before: int = 0

    def send(self, emissions: Iterable[Emission], now: float) -> None:
        """Put messages into their streams, each once or twice."""
        for emission in emissions:
            if emission.delay > MAX_DELAY and isinstance(emission.message, CrawlRequest):
                self.hold(emission.message, now + emission.delay)
                continue
            delay = min(MAX_DELAY, math.floor(held_back(emission, now)))
            copies = 1 + (self.kernel.chance.random() < self.faults.duplicates)
            for _ in range(copies):
                self.put(emission.stream, encode(emission.message), delay)
            self.sent[emission.stream] += 1

    def put(self, stream: Stream, body: bytes, delay: float = 0.0) -> None:
        """Any bytes into a stream."""
        self._note_depth()
        self._number += 1
        now = self.kernel.true_now
        held = Held(f"m{self._number}", body, stream, now + delay + self._lateness(), sent_at=now)
        self.waiting[stream][held.id] = held
        self._announce(stream, held.visible_at)

    def _announce(self, stream: Stream, visible_at: float) -> None:
        """Say that something is due, by the clock of the queues, which is right."""
        self.kernel.at(visible_at + self.kernel.ahead, lambda: self.on_due(stream))

    def _lateness(self) -> float:
        chance, mean = self.kernel.chance, self.faults.lateness
        if not mean:
            return 0.0
        tardy = TARDY * chance.random() if chance.random() < 0.02 else 0.0
        return chance.expovariate(1 / mean) + tardy

    def take(self, stream: Stream, limit: int) -> list[Held]:
        """Some of the messages that are due, in any order."""
        now = self.kernel.true_now
        if now < self.stalled_until.get(stream, 0.0):
            self._announce(stream, self.stalled_until[stream])
            return []
        due = [held for held in self.waiting[stream].values() if held.visible_at <= now]
        if len(due) > 1:
            self.kernel.chance.shuffle(due)
        taken = due[:limit]
        edge = STREAMS[stream]
        for held in taken:
            held.received += 1
            held.visible_at = now + edge.visibility
            if held.received > SQS_RECEIVES:
                self.remove(held)
                self.given_up[held.id] = held
            else:
                self._announce(stream, held.visible_at)
        return [held for held in taken if held.received <= SQS_RECEIVES]

    def backlog(self, stream: Stream, now: float) -> int:
        """How many messages are due or held."""
        return sum(
            held.visible_at <= now - self.kernel.ahead or held.received > 0
            for held in self.waiting[stream].values()
        )

    def room(self, stream: Stream, now: float) -> float:
        """How many more messages the reader of a stream can deal with in time."""
        return self.most_ahead - len(self.waiting[stream])

    def poll(self, stream: Stream, *, wanted: bool) -> None:
        """Every stream of a world is always read."""

    def remove(self, held: Held) -> None:
        """It was dealt with. Only the present holder can remove a message."""
        self._note_depth()
        self.waiting[held.stream].pop(held.id, None)

    def bury(self, stream: Stream, delivery: Delivery, reason: str, now: float) -> None:
        """To the dead letters, by a function that gave it up, or found it given up."""
        del now
        self.letters.append(Letter(stream, delivery.body, reason))
        self.given_up.pop(str(delivery.receipt).partition(" ")[2], None)

    def lost(self) -> list[Delivery]:
        """What was handed out too often."""
        return [Delivery(f"{LOST} {h.id}", h.body, h.received) for h in self.given_up.values()]

    def retry(self, delivery: Delivery, visible_at: float) -> None:
        """It comes back at that time."""
        stream, _, id = str(delivery.receipt).partition(" ")
        held = self.waiting[stream].get(id)  # type: ignore[index]
        if held is not None:
            held.visible_at = max(self.kernel.true_now, visible_at - self.kernel.ahead)
            self._announce(held.stream, held.visible_at)

    # What a function never does itself in the cloud.

    def receive(self, stream: Stream, limit: int, now: float) -> list[Delivery]:
        raise NotImplementedError

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        raise NotImplementedError

    def _note_depth(self) -> None:
        """Counts may be old: remember what they said a while ago."""
        if self.kernel.true_now - self._changed_at > self.faults.staleness:
            self._depth_before = self.depth()
            self._changed_at = self.kernel.true_now

    def depth(self, *streams: Stream) -> int:
        """How many messages there are."""
        return sum(len(self.waiting[stream]) for stream in streams or self.waiting)

    def told_depth(self, *streams: Stream) -> int:
        """How many there are by a count that may be a little old."""
        age = self.kernel.true_now - self._changed_at
        if age < self.faults.staleness:
            return min(self._depth_before, self.depth(*streams))
        return self.depth(*streams)

    def stall(self, stream: Stream) -> None:
        """Deliver nothing of a stream for a while."""
        until = self.kernel.true_now + STALL * self.kernel.chance.random()
        self.stalled_until[stream] = max(until, self.stalled_until.get(stream, 0.0))
