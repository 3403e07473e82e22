"""Read dead letters one by one, and send them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.aws.sqs.queues import MAX_ENTRIES, REASON
from gossamer.ports.admin.stack import Letter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.adapters.aws.clients import Clients, Json
    from gossamer.adapters.aws.sqs.queues import SqsQueues

HIDDEN = 600  # seconds that a letter is ours; who dies with it in hand gives it back after that
# A poll that waits asks all servers of a queue, so that an empty answer means an empty queue.
WAIT = 1  # seconds


class DeadLetters:
    """The dead letters of a stack."""

    def __init__(self, clients: Clients, queues: SqsQueues) -> None:
        self._clients, self._queues = clients, queues

    def take(self, stream: str) -> Iterator[list[Letter]]:
        seen: set[str] = set()
        queue = f"{stream}-dead"
        while some := [letter for letter in self._receive(queue) if letter.id not in seen]:
            seen.update(letter.id for letter in some)
            yield some

    def _receive(self, queue: str) -> list[Letter]:
        answer = self._call(
            "ReceiveMessage",
            queue,
            MaxNumberOfMessages=MAX_ENTRIES,
            VisibilityTimeout=HIDDEN,
            WaitTimeSeconds=WAIT,
            MessageAttributeNames=[REASON],
        )
        return [_letter(queue, message) for message in answer.get("Messages", ())]

    def send_again(self, stream: str, letters: list[Letter]) -> None:
        self._clients.each(lambda letter: self._send_again(stream, letter), letters)

    def _send_again(self, stream: str, letter: Letter) -> None:
        self._call("SendMessage", stream, MessageBody=letter.body)
        self.drop(letter)

    def drop(self, letter: Letter) -> None:
        self._call("DeleteMessage", letter.queue, ReceiptHandle=letter.handle)

    def put_back(self, letter: Letter) -> None:
        self._call(
            "ChangeMessageVisibility",
            letter.queue,
            ReceiptHandle=letter.handle,
            VisibilityTimeout=0,
        )

    def _call(self, operation: str, queue: str, **parameters: object) -> Json:
        url = self._queues.url(queue)
        return self._clients.call("sqs", operation, f"queue {queue}", QueueUrl=url, **parameters)


def _letter(queue: str, message: Json) -> Letter:
    given = message.get("MessageAttributes", {}).get(REASON, {})
    return Letter(
        queue=queue,
        id=str(message["MessageId"]),
        handle=str(message["ReceiptHandle"]),
        body=str(message["Body"]),
        reason=str(given.get("StringValue", "")),
    )
