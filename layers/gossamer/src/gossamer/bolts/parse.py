"""PARSE: a stored page becomes a document and links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.status import State
from gossamer.core.urls import host_of, normalise, url_id
from gossamer.messages import (
    MAX_LINKS_PER_MESSAGE,
    Candidate,
    CrawlRequest,
    DocumentParsed,
    Emission,
    Link,
    LinksFound,
    PageFetched,
    portions,
)
from gossamer.ports.parser import Unparsed

if TYPE_CHECKING:
    from gossamer.core.document import ParsedPage
    from gossamer.ports import Ports

MAX_SITEMAP_DEPTH = 2
# A canonical link is a hint to an index, not a way a reader could go.
FOLLOWED_KINDS = frozenset({"a", "area", "iframe", "frame", "refresh"})


async def parse(message: PageFetched, ports: Ports, now: float) -> list[Emission]:
    """Read a page, keep its document, and send its links on."""
    job = ports.jobs.get(message.job)
    if job is None:
        return []
    parsed = await ports.parser.parse(message, job.config)
    if isinstance(parsed, Unparsed):
        return give_up(message, ports, parsed.reason, now)
    if message.purpose == "sitemap":
        return _send_sitemap(message, parsed)
    links = _send_links(message, parsed)
    if message.links_only:
        return links
    return [*links, *_keep_document(message, ports, parsed, now)]


def give_up(message: PageFetched, ports: Ports, reason: str, now: float) -> list[Emission]:
    """End a URL whose page cannot be read."""
    if message.purpose == "page" and not message.links_only:
        _end(message, ports, State.FAILED, reason, now)
    return []


def _end(message: PageFetched, ports: Ports, state: State, reason: str, now: float) -> None:
    """End a URL that brought a page but no document."""
    id = url_id(message.url)
    if not ports.urls.move(id, (State.FETCHED,), state, reason=reason):
        record = ports.urls.get(id)
        if record is None or (record.state, record.reason) != (state, reason):
            return
    ports.jobs.release(message.job, id, now, pages=False)


def _keep_document(
    message: PageFetched, ports: Ports, parsed: ParsedPage, now: float
) -> list[Emission]:
    if parsed.document.noindex:
        _end(message, ports, State.EXCLUDED, "noindex", now)
        return []
    id = url_id(message.url)
    ports.documents.put(id, parsed.document, message.fetched_at)
    ports.urls.move(id, (State.FETCHED,), State.PARSED, reason="document")
    parsed_now = DocumentParsed(job=message.job, url=message.url, fetched_at=message.fetched_at)
    return [Emission("index", parsed_now)]


def _send_links(message: PageFetched, parsed: ParsedPage) -> list[Emission]:
    links = [
        Link(link.url, link.anchor, link.nofollow)
        for link in parsed.outlinks
        if link.kind in FOLLOWED_KINDS
    ]
    parts = list(portions(links, MAX_LINKS_PER_MESSAGE)) or [[]]
    return [
        Emission(
            "links",
            LinksFound(
                job=message.job,
                source=message.url,
                depth=message.depth,
                via="page",
                links=part,
                part=number,
                parts=len(parts),
            ),
        )
        for number, part in enumerate(parts)
    ]


def _send_sitemap(message: PageFetched, parsed: ParsedPage) -> list[Emission]:
    pages = [link.url for link in parsed.outlinks if link.kind == "sitemap-page"]
    found = [Link(url) for url in map(normalise, pages) if url is not None]
    emissions = [
        Emission(
            "links",
            LinksFound(
                job=message.job,
                source=message.url,
                depth=0,
                via="sitemap",
                links=part,
            ),
        )
        for part in portions(found, MAX_LINKS_PER_MESSAGE)
    ]
    return emissions + _send_children(message, parsed)


def _send_children(message: PageFetched, parsed: ParsedPage) -> list[Emission]:
    if message.hops >= MAX_SITEMAP_DEPTH:
        return []
    children = (normalise(k.url) for k in parsed.outlinks if k.kind == "sitemap")
    own = [url for url in children if url and host_of(url) == host_of(message.url)]
    return [
        Emission(
            "frontier",
            CrawlRequest(
                job=message.job,
                host=host_of(url),
                urls=[Candidate(url, 0, message.hops + 1)],
                purpose="sitemap",
            ),
        )
        for url in own
    ]
