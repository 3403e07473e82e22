"""Which bolt deals with a message, and what becomes of one that nobody can deal with?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.bolts.fetch import fetch
from gossamer.bolts.links import links
from gossamer.bolts.parse import give_up, parse
from gossamer.bolts.schedule import end_all, schedule
from gossamer.core.errors import UndecodableMessage
from gossamer.core.status import State
from gossamer.core.urls import url_id
from gossamer.messages import (
    AnyMessage,
    CrawlRequest,
    Emission,
    FetchRequest,
    LinksFound,
    PageFetched,
)

if TYPE_CHECKING:
    from gossamer.messages import Stream
    from gossamer.ports import Ports

ACCEPTS: dict[Stream, type[AnyMessage]] = {
    "frontier": CrawlRequest,
    "fetch": FetchRequest,
    "parse": PageFetched,
    "links": LinksFound,
}


async def deal_with(
    stream: Stream, message: AnyMessage, ports: Ports, now: float
) -> list[Emission]:
    """Run the bolt that reads this stream."""
    if not isinstance(message, ACCEPTS[stream]):
        kind = type(message).__name__
        raise UndecodableMessage(f"a {kind} does not belong into the stream {stream!r}")
    match message:
        case CrawlRequest():
            return schedule(message, ports, now)
        case FetchRequest():
            return await fetch(message, ports, now)
        case PageFetched():
            return await parse(message, ports, now)
        case LinksFound():
            return links(message, ports, now)


def mourn(message: AnyMessage, ports: Ports) -> None:
    """A message became a dead letter: the URLs that depended on it end with that reason."""
    match message:
        case CrawlRequest():
            end_all(message, ports, State.FAILED, "dead-letter")
        case FetchRequest() if message.purpose == "page":
            id = url_id(message.candidate.url)
            pending = (State.DISCOVERED, State.FETCHING)
            if ports.urls.move(id, pending, State.FAILED, reason="dead-letter"):
                ports.jobs.refund(message.job, 1, 1)
        case PageFetched():
            give_up(message, ports, "dead-letter")
        case _:
            pass
