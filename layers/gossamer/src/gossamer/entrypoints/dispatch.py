"""Runs the bolt that reads a message, and ends the URLs of one that became a dead letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.fetch.claim import fetch
from gossamer.bolts.fetch.emissions import free_units
from gossamer.bolts.links import links
from gossamer.bolts.parse import give_up, parse
from gossamer.bolts.reread import reread
from gossamer.bolts.schedule import end_all, schedule
from gossamer.bolts.templates import require
from gossamer.core.crawl.url_record import UrlChange
from gossamer.core.crawl.url_state import Event
from gossamer.core.errors import UndecodableMessage
from gossamer.messages import (
    MAX_PACK,
    AnyMessage,
    Candidate,
    CrawlRequest,
    DocumentParsed,
    Emission,
    FetchRequest,
    LinksFound,
    MergeTask,
    PageFetched,
    id_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.messages import Stream
    from gossamer.ports import Ports
    from gossamer.ports.frontier import Frontier

ACCEPTS: dict[Stream, type[AnyMessage]] = {
    "frontier": CrawlRequest,
    "fetch": FetchRequest,
    "parse": PageFetched,
    "links": LinksFound,
    "index": DocumentParsed,
    "merge": MergeTask,
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
            return await _parse(message, ports, now)
        case LinksFound():
            return links(message, ports, now)
        case DocumentParsed():
            raise UndecodableMessage("documents are indexed in batches, not one by one")
        case MergeTask():
            raise UndecodableMessage("the index is merged by a function of its own")


async def _parse(message: PageFetched, ports: Ports, now: float) -> list[Emission]:
    """Read a new page, or a stored one again by templates at least as new as is wanted."""
    if message.settings is None:
        return await parse(message, ports, now)
    require(ports.settings, message.settings, now)
    done = await reread(message, ports, now)
    return done.emissions if done else []


def joined(emissions: Iterable[Emission]) -> list[Emission]:
    """Requests for slots at one host and depth as few messages: a paused job gives many back."""
    kept: list[Emission] = []
    together: dict[tuple[str | int, ...], list[Candidate]] = {}
    for emission in emissions:
        asked = emission.message
        if not isinstance(asked, CrawlRequest) or emission.pack or emission.delay:
            kept.append(emission)
            continue
        same = _alike(asked)
        if len(together.get(same, ())) + len(asked.urls) > MAX_PACK or same not in together:
            together[same] = []
            whole = msgspec.structs.replace(asked, urls=together[same])
            kept.append(Emission(emission.stream, whole))
        together[same] += asked.urls
    return kept


def _alike(asked: CrawlRequest) -> tuple[str | int, ...]:
    """What requests have in common that may be one: shallow packs must still come first."""
    depth = min((candidate.depth for candidate in asked.urls), default=0)
    return asked.job, asked.host, asked.purpose, asked.robots_for, depth


def forget_packs(sent: Iterable[Emission], frontier: Frontier) -> None:
    """What was parked and is now on its way need not be kept any longer."""
    frontier.forget_many(
        [
            (emission.message.host, emission.pack)
            for emission in sent
            if emission.pack and isinstance(emission.message, CrawlRequest)
        ]
    )


def end_dead_letter(message: AnyMessage, ports: Ports, now: float) -> None:
    """A message became a dead letter: the URLs that depended on it end with that reason."""
    match message:
        case CrawlRequest():
            end_all(message, ports, Event.GIVEN_UP, "dead-letter")
        case FetchRequest() if message.purpose != "robots":
            id = id_of(message.candidate.url, message.purpose)
            ports.urls.move(id, Event.LOST, UrlChange(reason="dead-letter"))
            record = ports.urls.get(id)
            if record is not None:
                free_units(record, message.job, ports, now)
        case PageFetched(settings=None):  # one that was to be read again keeps what it has
            give_up(message, ports, "dead-letter", now)
        case _:
            pass
