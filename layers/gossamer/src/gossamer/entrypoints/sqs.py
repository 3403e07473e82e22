"""How does an SQS event reach a bolt?

Each record is decoded, dealt with and answered on its own: what a bolt emits is sent, and only
records that failed are reported back, so one bad message never repeats its neighbours.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypedDict

from gossamer.core.errors import UndecodableMessage
from gossamer.entrypoints.dispatch import deal_with
from gossamer.messages import decode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gossamer.messages import Emission, Stream
    from gossamer.ports import Ports
    from gossamer.ports.queues import Queues

log = logging.getLogger(__name__)


class Record(TypedDict):
    """The part of an SQS record that we read."""

    messageId: str
    body: str


class Home:
    """What a handler needs of its home: ports, queues to send to, a clock, a way to commit."""

    def __init__(
        self,
        ports: Ports,
        queues: Queues,
        clock: Callable[[], float],
        settle: Callable[[], Awaitable[None]],
    ) -> None:
        self.ports = ports
        self.queues = queues
        self.clock = clock
        self.settle = settle


def sqs_handler(
    stream: Stream, home: Callable[[], Home]
) -> Callable[[dict[str, Any], object], dict[str, Any]]:
    """A Lambda handler for the bolt that reads `stream`; the home is opened at the first event."""

    def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
        return _runner().run(_deal_with_all(stream, event["Records"], home()))

    return handler


@lru_cache(maxsize=1)
def _runner() -> asyncio.Runner:
    """One loop for the life of the process: kept connections of the fetcher live in it."""
    runner = asyncio.Runner()
    atexit.register(runner.close)
    return runner


async def _deal_with_all(stream: Stream, records: list[Record], home: Home) -> dict[str, Any]:
    results = await asyncio.gather(*(_deal_with(stream, record, home) for record in records))
    await home.settle()
    failed = [id for id in results if id]
    return {"batchItemFailures": [{"itemIdentifier": id} for id in failed]}


async def _deal_with(stream: Stream, record: Record, home: Home) -> str:
    """The record's id if it must come back, else an empty string."""
    try:
        message = decode(record["body"])
        emissions: list[Emission] = await deal_with(stream, message, home.ports, home.clock())
    except UndecodableMessage as error:
        # Reported as failed, it goes to the dead-letter queue after its last receive.
        log.error("%s: %s", record["messageId"], error)
        return record["messageId"]
    except Exception:
        log.exception("%s: the bolt of %s failed", record["messageId"], stream)
        return record["messageId"]
    home.queues.send(emissions, home.clock())
    return ""
