"""What a test does with the queues of a deployed stack."""

from __future__ import annotations

import json
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

QUEUES = ("frontier", "fetch", "parse", "links", "index", "merge")
T = TypeVar("T")


class Counts(NamedTuple):
    """How many messages a queue holds, about."""

    visible: int
    in_flight: int
    delayed: int


class StackQueues:
    """The queues of a stack."""

    name: str

    def client(self, service: str) -> Any:
        """A client of boto3 for the endpoint of the stack."""
        raise NotImplementedError

    @cached_property
    def _sqs(self) -> Any:
        return self.client("sqs")

    def queue_url(self, queue: str) -> str:
        """`fetch`, or `fetch-dead` for its dead letters."""
        return str(self._sqs.get_queue_url(QueueName=f"{self.name}-{queue}")["QueueUrl"])

    def counts(self, queue: str) -> Counts:
        """Messages to be had, messages being worked on, messages that wait for their time."""
        names = ["", "NotVisible", "Delayed"]
        names = [f"ApproximateNumberOfMessages{name}" for name in names]
        url = self.queue_url(queue)
        found = self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
        return Counts(*(int(found[name]) for name in names))

    def wait_until_drained(self, seconds: float = 180.0) -> None:
        """Return when no queue holds anything, twice: a message may just be passing between two."""
        quiet = 0
        give_up_at = time.monotonic() + seconds
        while quiet < 2:
            counts = {queue: self.counts(queue) for queue in QUEUES}
            quiet = 0 if any(map(any, counts.values())) else quiet + 1
            assert time.monotonic() < give_up_at, f"after {seconds} s: {counts}"
            if quiet < 2:
                time.sleep(0.5)

    def send(self, queue: str, body: str, delay: int = 0) -> None:
        """Put any text into a queue."""
        self._sqs.send_message(QueueUrl=self.queue_url(queue), MessageBody=body, DelaySeconds=delay)

    def take(self, queue: str, hidden_for: int = 0) -> list[str]:
        """The texts of all messages that can be had; they stay, hidden for some seconds."""
        url = self.queue_url(queue)
        texts: dict[str, str] = {}
        while True:
            answer = self._sqs.receive_message(
                QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=20
            )
            if not (messages := answer.get("Messages")):
                break
            texts |= {message["ReceiptHandle"]: message["Body"] for message in messages}
        for handle in texts:
            self._sqs.change_message_visibility(
                QueueUrl=url, ReceiptHandle=handle, VisibilityTimeout=hidden_for
            )
        return list(texts.values())

    def duplicate(self, queue: str) -> int:
        """Send every message that can be had once more; how many? Pause the reader first."""
        texts = self.take(queue)
        for text in texts:
            self.send(queue, text)
        return len(texts)

    def purge(self, queue: str) -> None:
        """Forget all messages of a queue."""
        self._sqs.purge_queue(QueueUrl=self.queue_url(queue))

    def set_visibility(self, queue: str, seconds: int) -> None:
        """How soon a message comes back whose function failed; later messages only."""
        attributes = {"VisibilityTimeout": str(seconds)}
        self._sqs.set_queue_attributes(QueueUrl=self.queue_url(queue), Attributes=attributes)

    def set_receives(self, queue: str, count: int) -> None:
        """How often a message is handed out before the queue gives it up."""
        url = self.queue_url(queue)
        known = self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["RedrivePolicy"])
        policy = json.loads(known["Attributes"]["RedrivePolicy"]) | {"maxReceiveCount": count}
        attributes = {"RedrivePolicy": json.dumps(policy)}
        self._sqs.set_queue_attributes(QueueUrl=url, Attributes=attributes)


def wait_for(check: Callable[[], T], seconds: float, otherwise: str) -> T:
    """Ask until the answer is a yes, and return it."""
    give_up_at = time.monotonic() + seconds
    while not (answer := check()):
        assert time.monotonic() < give_up_at, f"{otherwise} in {seconds:g} s"
        time.sleep(0.1)
    return answer
