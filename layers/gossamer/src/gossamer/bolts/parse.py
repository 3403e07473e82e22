"""PARSE: a stored page becomes a document and links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.status import State
from gossamer.core.urls import host_of, normalise, url_id
from gossamer.messages import (
    MAX_LINKS_PER_MESSAGE,
    Candidate,
    CrawlRequest,
    Emission,
    Link,
    LinksFound,
    PageFetched,
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
    del now
    job = ports.jobs.get(message.job)
    if job is None:
        return []
    parsed = await ports.parser.parse(message, job.config)
    if isinstance(parsed, Unparsed):
        return give_up(message, ports, parsed.reason)
    if message.purpose == "sitemap":
        return _send_sitemap(message, parsed)
    if not message.links_only:
        _keep_document(message, ports, parsed)
    return _send_links(message, parsed)


def give_up(message: PageFetched, ports: Ports, reason: str) -> list[Emission]:
    """End a URL whose page cannot be read."""
    moved = ports.urls.move(url_id(message.url), (State.FETCHED,), State.FAILED, reason=reason)
    if moved:
        ports.jobs.refund(message.job, 0, 1)
    return []


def _keep_document(message: PageFetched, ports: Ports, parsed: ParsedPage) -> None:
    id = url_id(message.url)
    if not parsed.document.noindex:
        ports.documents.put(id, parsed.document, message.fetched_at)
        ports.urls.move(id, (State.FETCHED,), State.PARSED, reason="document")
    elif ports.urls.move(id, (State.FETCHED,), State.EXCLUDED, reason="noindex"):
        ports.jobs.refund(message.job, 0, 1)


def _send_links(message: PageFetched, parsed: ParsedPage) -> list[Emission]:
    links = [
        Link(link.url, link.anchor, link.nofollow)
        for link in parsed.outlinks
        if link.kind in FOLLOWED_KINDS
    ]
    size = MAX_LINKS_PER_MESSAGE
    parts = [links[i : i + size] for i in range(0, len(links), size)] or [[]]
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
    found = [url for url in map(normalise, pages) if url is not None]
    size = MAX_LINKS_PER_MESSAGE
    emissions = [
        Emission(
            "links",
            LinksFound(
                job=message.job,
                source=message.url,
                depth=0,
                via="sitemap",
                links=[Link(url) for url in found[i : i + size]],
            ),
        )
        for i in range(0, len(found), size)
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
