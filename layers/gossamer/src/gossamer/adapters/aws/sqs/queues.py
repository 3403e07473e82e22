"""Queues over SQS. Lambda receives and acknowledges by itself; here this is for tools and tests."""

from __future__ import annotations

import math
import time
from collections import Counter
from typing import TYPE_CHECKING, get_args

from gossamer.adapters.aws.clients import retrying
from gossamer.adapters.aws.sqs.gathering import Ahead, held_back, is_gathered
from gossamer.core.errors import PermanentError
from gossamer.messages import CrawlRequest, Stream, encode
from gossamer.ports.queues import Delivery
from gossamer.topology import LOST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gossamer.adapters.aws.clients import Clients, Json
    from gossamer.adapters.aws.frontier import DynamoFrontier
    from gossamer.messages import AnyMessage, Emission

MAX_ENTRIES = 10
MAX_BATCH_BYTES = 250_000  # SQS takes four times that, and bills every 64 KB
MAX_DELAY = 900  # seconds
MAX_HIDDEN = 43_200
MAX_RECEIVES = 4
REASON = "reason"  # the message attribute that says why a letter is dead
_DEPTHS = {
    "due": "ApproximateNumberOfMessages",
    "held": "ApproximateNumberOfMessagesNotVisible",
    "delayed": "ApproximateNumberOfMessagesDelayed",
}


class SqsQueues:
    """All streams of a stack, and a queue of dead letters beside each."""

    def __init__(
        self,
        clients: Clients,
        stack: str,
        frontier: DynamoFrontier,
        urls: Mapping[str, str] | None = None,
        readers: Mapping[str, str] | None = None,
        fetchers: int = 0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._clients, self._stack, self._frontier, self._clock = clients, stack, frontier, clock
        self._urls, self._readers = dict(urls or {}), readers or {}
        self._ahead = Ahead(lambda: self.counts("fetch"), fetchers)

    def url(self, name: str) -> str:
        """Where a queue is: as the settings say, or by its name."""
        known = self._urls.get(name)
        if known is None:
            full = f"{self._stack}-{name}"
            found = self._clients.call("sqs", "GetQueueUrl", f"queue {full}", QueueName=full)
            known = self._urls[name] = str(found["QueueUrl"])
        return known

    def _call(self, operation: str, name: str, **parameters: object) -> Json:
        resource = f"queue {self._stack}-{name}"
        return self._clients.call("sqs", operation, resource, QueueUrl=self.url(name), **parameters)

    def send(self, emissions: Iterable[Emission], now: float) -> None:
        entries: dict[str, list[Json]] = {}
        emissions = list(emissions)
        stretch = self._ahead.stretch(now) if any(map(is_gathered, emissions)) else 0.0
        for emission in emissions:
            message = emission.message
            if emission.delay > MAX_DELAY and isinstance(message, CrawlRequest):
                self._frontier.hold(message, now + emission.delay)
            else:
                entries.setdefault(emission.stream, []).append(self._entry(emission, now, stretch))
        batches = [(s, batch) for s, given in entries.items() for batch in _batches(given)]
        self._clients.each(lambda work: self._send_batch(*work), batches)

    def _entry(self, emission: Emission, now: float, stretch: float) -> Json:
        entry: Json = {"MessageBody": body_of(emission.message)}
        delay = min(MAX_DELAY, math.floor(held_back(emission, now, stretch)))
        if delay > 0:
            entry["DelaySeconds"] = delay
        if is_gathered(emission):
            self._ahead.note(delay)
        return entry

    def _send_batch(self, name: str, entries: list[Json]) -> None:
        """Send a batch; those of it that SQS could not take are sent again."""
        for _ in retrying(f"sending to queue {self._stack}-{name}"):
            numbered = [{**entry, "Id": str(i)} for i, entry in enumerate(entries)]
            answer = self._call("SendMessageBatch", name, Entries=numbered)
            failed = answer.get("Failed", [])
            faults = [entry for entry in failed if entry.get("SenderFault")]
            if faults:
                said = f"{faults[0].get('Code')}: {faults[0].get('Message', '')}"
                raise PermanentError(f"queue {self._stack}-{name} refuses a message: {said}")
            entries = [entries[int(entry["Id"])] for entry in failed]
            if not entries:
                break

    def receive(self, stream: Stream, limit: int, now: float) -> list[Delivery]:
        del now
        found: list[Delivery] = []
        while len(found) < limit:
            some = self._receive(stream, min(MAX_ENTRIES, limit - len(found)))
            if not some:
                break
            found += [self._delivery(stream, message) for message in some]
        return found

    def _receive(self, name: str, limit: int, **more: object) -> list[Json]:
        answer = self._call(
            "ReceiveMessage",
            name,
            MaxNumberOfMessages=limit,
            AttributeNames=["ApproximateReceiveCount"],
            MessageAttributeNames=["All"],
            **more,
        )
        messages: list[Json] = answer.get("Messages", [])
        return messages

    def _delivery(self, name: str, message: Json) -> Delivery:
        received = int(message.get("Attributes", {}).get("ApproximateReceiveCount", 1))
        receipt = f"{name} {message['ReceiptHandle']}"
        return Delivery(receipt, message["Body"].encode(), received)

    def peek(self, stream: Stream, limit: int, now: float) -> list[Delivery]:
        return self.receive(stream, limit, now)

    def due_at(self, stream: Stream) -> float:
        return 0.0

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        by_queue: dict[str, list[str]] = {}
        for delivery in deliveries:
            name, handle = _held(delivery)
            if handle:
                by_queue.setdefault(name, []).append(handle)
        for name, handles in by_queue.items():
            for start in range(0, len(handles), MAX_ENTRIES):
                self._delete(name, handles[start : start + MAX_ENTRIES])

    def _delete(self, name: str, handles: list[str]) -> None:
        for _ in retrying(f"deleting from queue {self._stack}-{name}"):
            entries = [{"Id": str(i), "ReceiptHandle": h} for i, h in enumerate(handles)]
            failed = self._call("DeleteMessageBatch", name, Entries=entries).get("Failed", [])
            # An expired handle: another receiver holds the message.
            handles = [handles[int(f["Id"])] for f in failed if not f.get("SenderFault")]
            if not handles:
                break

    def retry(self, delivery: Delivery, visible_at: float) -> None:
        name, handle = _held(delivery)
        if handle:
            wait = min(MAX_HIDDEN, max(0, math.ceil(visible_at - self._clock())))
            self._call(
                "ChangeMessageVisibility", name, ReceiptHandle=handle, VisibilityTimeout=wait
            )

    def bury(self, stream: Stream, delivery: Delivery, reason: str, now: float) -> None:
        del now
        why = {REASON: {"DataType": "String", "StringValue": _allowed(reason)[:1000] or "unknown"}}
        body = _allowed(delivery.body.decode(errors="replace")) or "(empty)"
        self._call("SendMessage", _dead(stream), MessageBody=body, MessageAttributes=why)
        self.acknowledge([delivery])

    def lost(self) -> list[Delivery]:
        return [self._delivery(LOST, message) for message in self._receive(LOST, MAX_ENTRIES)]

    def is_hopeless(self, delivery: Delivery) -> bool:
        return delivery.received > MAX_RECEIVES

    def depth(self) -> Counter[str]:
        names = (*get_args(Stream), LOST)
        return Counter({name: sum(self.counts(name).values()) for name in names})

    def backlog(self, stream: Stream, now: float) -> int:
        del now
        counts = self.counts(stream)
        return counts["due"] + counts["held"]

    def room(self, stream: Stream, now: float) -> float:
        return self._ahead.room(now) if stream == "fetch" else math.inf

    def poll(self, stream: Stream, *, wanted: bool) -> None:
        if mapping := self._readers.get(stream):
            from gossamer.adapters.aws.sqs.readers import switch

            switch(self._clients, mapping, wanted=wanted)

    def counts(self, name: str) -> dict[str, int]:
        """How many messages of a queue are due, held and delayed."""
        wanted = list(_DEPTHS.values())
        answer = self._call("GetQueueAttributes", name, AttributeNames=wanted)
        found = answer.get("Attributes", {})
        return {kind: int(found.get(attribute, 0)) for kind, attribute in _DEPTHS.items()}

    def dead_counts(self) -> dict[str, int]:
        """How many dead letters each stream has."""
        return {name: sum(self.counts(_dead(name)).values()) for name in get_args(Stream)}

    def dead_letters(self, limit: int = 1000) -> list[tuple[str, str, bytes]]:
        found = [
            (name, _reason(message), message["Body"].encode())
            for name in get_args(Stream)
            for message in self._peek(_dead(name), limit)
        ]
        return found[:limit]

    def _peek(self, name: str, limit: int) -> Iterator[Json]:
        seen = 0
        while seen < limit:
            some = self._receive(name, MAX_ENTRIES, VisibilityTimeout=10)
            if not some:
                return
            seen += len(some)
            yield from some

    def purge(self, name: str) -> None:
        self._call("PurgeQueue", name)


def _held(delivery: Delivery) -> tuple[str, str]:
    """In which queue a message is held, and by what; nothing if Lambda holds it."""
    name, _, handle = str(delivery.receipt).partition(" ")
    return name, handle


def _dead(name: str) -> str:
    return f"{name}-dead"


def _reason(message: Json) -> str:
    given = message.get("MessageAttributes", {}).get(REASON, {})
    return str(given.get("StringValue", "handed out too often"))


def body_of(message: AnyMessage) -> str:
    """A message as SQS takes it: two characters that it refuses are written as JSON escapes."""
    text = encode(message).decode()
    return text.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def _allowed(text: str) -> str:
    """Text without the characters that SQS refuses."""
    return "".join(c for c in text if (c >= " " or c in "\t\n\r") and c not in "\ufffe\uffff")


def _batches(entries: list[Json]) -> Iterator[list[Json]]:
    """Portions that one call takes."""
    batch: list[Json] = []
    size = 0
    for entry in entries:
        length = len(entry["MessageBody"].encode())
        if batch and (len(batch) == MAX_ENTRIES or size + length > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += length
    if batch:
        yield batch
