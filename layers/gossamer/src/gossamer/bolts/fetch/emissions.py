"""What does a fetch send on? The same for a first run and for a message that came twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.links import redirection
from gossamer.bolts.sitemaps import feed_found, follow_sitemap
from gossamer.core.crawl.url_state import PAGE_REASONS, State
from gossamer.core.revisit.change_rate import remembered
from gossamer.core.urls import url_id
from gossamer.messages import CrawlRequest, DocumentParsed, Emission, FetchRequest, PageFetched

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.ports import Ports


# States that keep their units: what waits or is under way, and what became a document.
_HOLDING = frozenset({State.DISCOVERED, State.FETCHING, State.FETCHED, State.PARSED})


def settle_units(record: UrlRecord, job: str, ports: Ports, now: float) -> None:
    """Free the units that the end of a URL did not use; a second time changes nothing."""
    if record.state not in _HOLDING:
        ports.jobs.release(job, record.id, now, pages=not _brought_page(record))


def free_units(id: bytes, job: str, ports: Ports, now: float) -> None:
    """A URL that waits holds no units; one that has ended keeps what its end used."""
    record = ports.urls.get(id)
    if record is not None and record.state is State.DISCOVERED:
        ports.jobs.release(job, id, now)
    elif record is not None:
        settle_units(record, job, ports, now)


def _brought_page(record: UrlRecord) -> bool:
    if record.reason == "dead-letter":  # of FETCH, or of PARSE, for which the page lies ready
        return record.fetched_at >= record.slot > 0
    return record.reason in PAGE_REASONS


def book_again(
    request: FetchRequest, ports: Ports, now: float, *, tries: int = 0, wait: float = 0.0
) -> list[Emission]:
    """Give the slot up and ask for a new one."""
    if request.purpose == "page":
        ports.jobs.release(request.job, url_id(request.candidate.url), now)
    candidate = request.candidate
    if tries:
        candidate = msgspec.structs.replace(candidate, tries=tries)
    again = CrawlRequest(
        job=request.job,
        host=request.host,
        urls=[candidate],
        purpose=request.purpose,
        robots_for=request.robots_for,
    )
    return [Emission("frontier", again, delay=wait)]


def emissions_of(record: UrlRecord, request: FetchRequest, ports: Ports) -> list[Emission]:
    """What a URL in this state must have emitted."""
    if record.state is State.FETCHED and record.page is not None:
        return [to_parse(request, record, links_only=False)]
    if record.state is State.GONE:
        vanished = request.purpose == "page" and remembered(record.history).is_vanished
        return removal(request.job, record) if vanished else []
    if record.state is State.EXCLUDED and record.reason == "feed":
        return [feed_found(request.job, record)]
    if record.state is State.DUPLICATE and record.page is not None:
        visited = remembered(record.history).visits > 0
        leaves = removal(request.job, record) if visited else []
        return leaves + duplicate_links(request, record, ports)
    if record.state is State.REDIRECTED and request.purpose == "sitemap":
        return follow_sitemap(record, request, ports)
    if record.state is State.REDIRECTED and record.target:
        leaves = removal(request.job, record) if record.history else []
        return [Emission("links", redirection(request.job, record)), *leaves]
    if record.state is State.DISCOVERED:
        candidate = msgspec.structs.replace(request.candidate, tries=record.tries)
        again = CrawlRequest(
            job=request.job, host=request.host, urls=[candidate], purpose=request.purpose
        )
        return [Emission("frontier", again)]
    return []


def removal(job: str, record: UrlRecord) -> list[Emission]:
    """A page that was a document is none any more. The embedded home sees that by itself."""
    gone = DocumentParsed(job=job, url=record.url, fetched_at=record.fetched_at, gone=True)
    return [Emission("index", gone)]


def duplicate_links(request: FetchRequest, record: UrlRecord, ports: Ports) -> list[Emission]:
    """The same bytes in another folder, or nearer: links lead elsewhere, or are less deep."""
    owner = ports.urls.get(url_id(record.target))
    same_folder = (
        record.url.rpartition("/")[0] == record.target.partition("?")[0].rpartition("/")[0]
    )
    if same_folder and owner is not None and owner.depth <= record.depth:
        return []
    return [to_parse(request, record, links_only=True)]


def to_parse(request: FetchRequest, record: UrlRecord, *, links_only: bool) -> Emission:
    """Pages of slow hosts are parsed first: such a host may have nothing else to be asked for."""
    if record.page is None:
        raise ValueError(f"{record.url} has no page")
    page = PageFetched(
        job=request.job,
        url=record.url,
        page=record.page,
        depth=record.depth,  # not the request's: a shorter way may have been found meanwhile
        fetched_at=record.fetched_at,
        purpose=request.purpose,
        links_only=links_only,
        hops=request.candidate.hops if request.purpose == "sitemap" else 0,
    )
    return Emission("parse", page, timed=request.delay > 0)
