"""PARSE: a stored page becomes documents and links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.bolts.fetch.emissions import removals
from gossamer.bolts.host_languages import with_host_language
from gossamer.bolts.page_reading import read_page
from gossamer.bolts.sitemaps import MAX_SITEMAP_DEPTH, ask_for_sitemaps, keep_entries
from gossamer.core.crawl.url_record import UrlChange
from gossamer.core.crawl.url_state import FILE_REASONS, NO_DOCUMENT, TEMPLATE_REASONS, Event
from gossamer.core.page.dates import LAST_MODIFIED, dated, listed_date, said_by
from gossamer.core.page.shown_pictures import pictures_of
from gossamer.core.page.templates.health import counts_of
from gossamer.core.urls import host_of, normalise, sitemap_id, url_id
from gossamer.messages import (
    MAX_LINKS_PER_MESSAGE,
    DocumentParsed,
    Emission,
    Link,
    LinksFound,
    PageFetched,
    id_of,
    portions,
)
from gossamer.ports.parser import Unparsed

if TYPE_CHECKING:
    from gossamer.core.page.document import Document, ParsedPage
    from gossamer.ports import Ports

# A canonical link is a hint to an index, not a way a reader could go.
FOLLOWED_KINDS = frozenset({"a", "area", "iframe", "frame", "refresh"})


async def parse(message: PageFetched, ports: Ports, now: float) -> list[Emission]:
    """Read a page, keep its documents, and send its links on."""
    job = ports.jobs.get(message.job)
    if job is None:
        return []
    parsed = await read_page(message, job.config, ports, now)
    if isinstance(parsed, Unparsed):
        return give_up(message, ports, parsed.reason, now)
    if message.purpose == "sitemap":
        entries = keep_entries(message, parsed.documents, job, ports)
        return entries + _send_sitemap(message, ports, parsed, now)
    links = _send_links(message, parsed)
    if job.config.pictures and not (parsed.noindex or parsed.noimageindex):
        links += _send_pictures(message, parsed)
    if message.links_only:
        return links
    if parsed.reading is not None:
        ports.template_health.add(parsed.reading.template, counts_of(parsed.reading), now)
    return [*links, *_keep_documents(message, ports, parsed, now)]


def give_up(message: PageFetched, ports: Ports, reason: str, now: float) -> list[Emission]:
    """End a URL whose page cannot be read."""
    if not message.links_only:
        _end(message, ports, Event.UNREADABLE, reason, now)
    return []


def _end(message: PageFetched, ports: Ports, event: Event, reason: str, now: float) -> None:
    """End a URL that brought a page but no document."""
    id = id_of(message.url, message.purpose)
    # Without validators it is read again next time: "not modified" would not say why it ended so.
    forgotten = None if reason in {"sitemap", NO_DOCUMENT} | FILE_REASONS | TEMPLATE_REASONS else ""
    change = UrlChange(reason=reason, etag=forgotten, modified=forgotten)
    if not ports.urls.move(id, event, change):
        record = ports.urls.get(id)
        if record is None or (record.state, record.reason) != (event.leads_to, reason):
            return
    if message.purpose == "page":
        ports.jobs.release(message.job, id, now, pages=False)


def _keep_documents(
    message: PageFetched, ports: Ports, parsed: ParsedPage, now: float
) -> list[Emission]:
    if withheld := parsed.withheld(now):
        _end(message, ports, Event.WITHHELD, withheld, now)
        return _removals(message, ports)
    id = url_id(message.url)
    documents = documents_of(parsed, message.hinted_at, message.fetched_at)
    documents = with_host_language(documents, message.url, ports.host_languages)
    ports.documents.put(id, documents, message.fetched_at)
    if not parsed.documents:
        _end(message, ports, Event.WITHHELD, parsed.reason or NO_DOCUMENT, now)
        return _removals(message, ports)
    reason = (parsed.reading and parsed.reading.reason) or "document"
    ports.urls.move(id, Event.PARSED, UrlChange(reason=reason))
    parsed_now = DocumentParsed(job=message.job, url=message.url, fetched_at=message.fetched_at)
    return [Emission("index", parsed_now)]


def documents_of(parsed: ParsedPage, hinted_at: float, fetched_at: float) -> list[Document]:
    """The documents of a page as they are kept: dated, and with the moment of their end."""
    return dated(parsed.ending(), listed_date(hinted_at, fetched_at), instead_of=LAST_MODIFIED)


def _removals(message: PageFetched, ports: Ports) -> list[Emission]:
    record = ports.urls.get(url_id(message.url))
    return removals(message.job, record) if record is not None else []


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
                feeds=parsed.feeds if number == 0 and not parsed.nofollow else [],
            ),
        )
        for number, part in enumerate(parts)
    ]


def _send_pictures(message: PageFetched, parsed: ParsedPage) -> list[Emission]:
    """Have the pictures fetched that documents of the page name."""
    named = [Link(url) for url in pictures_of(parsed.documents)]
    if not named:
        return []
    found = LinksFound(
        job=message.job, source=message.url, depth=message.depth, via="picture", links=named
    )
    return [Emission("links", found)]


def _send_sitemap(
    message: PageFetched, ports: Ports, parsed: ParsedPage, now: float
) -> list[Emission]:
    pages = [link.url for link in parsed.outlinks if link.kind == "sitemap-page"]
    found = [Link(url) for url in map(normalise, pages) if url is not None]
    dates = {url: said_by(date, message.fetched_at) for url, date in parsed.dates.items()}
    emissions = [
        Emission(
            "links",
            LinksFound(
                job=message.job,
                source=message.url,
                depth=0,
                via="sitemap",
                links=part,
                dates=[dates.get(link.url, 0.0) for link in part] if dates else [],
            ),
        )
        for part in portions(found, MAX_LINKS_PER_MESSAGE)
    ]
    emissions += _ask_for_children(message, ports, parsed, now)
    _end(message, ports, Event.WITHHELD, "sitemap", now)
    return emissions


def _ask_for_children(
    message: PageFetched, ports: Ports, parsed: ParsedPage, now: float
) -> list[Emission]:
    if message.hops >= MAX_SITEMAP_DEPTH:
        return []
    children = (normalise(k.url) for k in parsed.outlinks if k.kind == "sitemap")
    own = [url for url in children if url and host_of(url) == host_of(message.url)]
    return ask_for_sitemaps(own, sitemap_id(message.url), message.job, ports, now, message.hops + 1)
