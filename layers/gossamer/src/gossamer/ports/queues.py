"""Queues between the bolts: at-least-once delivery, delays, visibility and dead letters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.messages import Emission, Stream


# A message that is timed may come this many seconds before its delay is over; its function waits.
EARLY = 10.0


class Delivery(msgspec.Struct, frozen=True):
    """A message in the hands of one receiver until it is acknowledged or its time is over."""

    # Of SQS: the queue and the handle, with a space between. Empty: Lambda acknowledges by itself.
    receipt: int | str
    body: bytes
    received: int  # how often it was handed out, this time included


class Queues(Protocol):
    """At-least-once queues with delays.

    Promises: what was sent is handed out again and again until acknowledged, never before its
    delay is over (a timed message never more than EARLY before), to one receiver at a time while
    its visibility lasts; after too many tries it becomes a dead letter with a reason.
    """

    def send(self, emissions: Iterable[Emission], now: float) -> None:
        """Put messages into their streams."""

    def receive(self, stream: Stream, limit: int, now: float) -> list[Delivery]:
        """Take up to `limit` messages that are due."""

    def peek(self, stream: Stream, limit: int, now: float) -> list[Delivery]:
        """Take messages for a receiver that acknowledges them in the same unit of work.

        Hiding them from others meanwhile would be a write in vain: a store need not.
        """

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        """Forget messages that were dealt with."""

    def retry(self, delivery: Delivery, visible_at: float) -> None:
        """Hand a message out again, not before `visible_at`."""

    def bury(self, stream: Stream, delivery: Delivery, reason: str, now: float) -> None:
        """Move a message to the dead letters."""

    def lost(self) -> list[Delivery]:
        """Take some messages that the queues gave up by themselves, of any stream.

        They come back unless they are buried.
        """

    def is_hopeless(self, delivery: Delivery) -> bool:
        """Whether a message was handed out too often to be tried again."""

    def depth(self) -> Mapping[str, int]:
        """How many messages each stream has: due, delayed, and taken but not acknowledged."""

    def backlog(self, stream: Stream, now: float) -> int:
        """How many messages of a stream are due, or taken but not acknowledged."""

    def due_at(self, stream: Stream) -> float:
        """The earliest time at which a stream may have something due; never too late."""

    def room(self, stream: Stream, now: float) -> float:
        """How many more messages the reader of a stream can deal with in time."""

    def poll(self, stream: Stream, *, wanted: bool) -> None:
        """Let the reader of a stream look for messages, or rest, where looking costs money.

        What is sent to a stream whose reader rests waits until it is wanted again.
        """

    def dead_letters(self) -> list[tuple[str, str, bytes]]:
        """Stream, reason and body of every dead letter; they stay."""
