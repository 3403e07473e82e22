"""What a fetch sends on: the same for its first run and for a message that came twice.

`emissions_of` is the only statement of it, and a pure function of the URL's record: so a message
that comes back after a crash finds in the record what it still has to emit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.links import redirection
from gossamer.bolts.sitemaps import feed_found, follow_sitemap
from gossamer.core.crawl.removal import leaves_index
from gossamer.core.crawl.response_outcome import REDIRECT_CODES, THROTTLE_CODES, retry_wait
from gossamer.core.crawl.url_state import PAGE_REASONS, State
from gossamer.core.urls import url_id
from gossamer.messages import CrawlRequest, DocumentParsed, Emission, FetchRequest, PageFetched

if TYPE_CHECKING:
    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.messages import Candidate
    from gossamer.ports import Ports


_WITHOUT_WAIT = THROTTLE_CODES | REDIRECT_CODES
# States that keep their units: what waits or is under way, and what became a document.
_HOLDING = frozenset({State.DISCOVERED, State.FETCHING, State.FETCHED, State.PARSED})


def free_units(record: UrlRecord, job: str, ports: Ports, now: float) -> None:
    """Free the units that a URL does not use; a second time changes nothing.

    One that waits for a slot holds none; one that has ended keeps what its end used.
    """
    if record.state is State.DISCOVERED:
        ports.jobs.release(job, record.id, now)
    elif record.state not in _HOLDING:
        ports.jobs.release(job, record.id, now, pages=not _brought_page(record))


def _brought_page(record: UrlRecord) -> bool:
    if record.reason == "dead-letter":  # of FETCH, or of PARSE, for which the page lies ready
        return record.fetched_at >= record.slot > 0
    return record.reason in PAGE_REASONS


def book_again(request: FetchRequest, ports: Ports, now: float) -> list[Emission]:
    """Give the slot up and ask for a new one."""
    if request.purpose == "page":
        ports.jobs.release(request.job, url_id(request.candidate.url), now)
    return [_again(request, request.candidate)]


def _again(request: FetchRequest, candidate: Candidate, wait: float = 0.0) -> Emission:
    again = CrawlRequest(
        job=request.job,
        host=request.host,
        urls=[candidate],
        purpose=request.purpose,
        robots_for=request.robots_for,
    )
    return Emission("frontier", again, delay=wait)


def conclude(
    record: UrlRecord, request: FetchRequest, config: JobConfig, ports: Ports, now: float
) -> list[Emission]:
    """Free what a URL does not use, and send on what the request that this was for brought."""
    if request.purpose == "page":
        free_units(record, request.job, ports, now)
    if record.slot != request.slot:  # it went on without this message
        return []
    if record.state is State.REDIRECTED and request.purpose == "sitemap":
        return follow_sitemap(record, request, ports)
    owner = ports.urls.get(url_id(record.target)) if repeats_neighbour(record) else None
    return emissions_of(record, request, config, owner)


def emissions_of(
    record: UrlRecord, request: FetchRequest, config: JobConfig, owner: UrlRecord | None = None
) -> list[Emission]:
    """What a URL whose last slot was this request's must have emitted.

    `owner` is the URL in the same folder whose content it repeats.
    """
    match record.state:
        case State.DISCOVERED:
            wait = _retry_wait(record, request, config)
            return [_again(request, _as_waiting(record, request.candidate), wait)]
        case State.FETCHED:
            return _to_parse(record, request, links_only=False)
        case State.DUPLICATE if _is_copy(record):
            elsewhere = leads_elsewhere(record, owner)
            links = _to_parse(record, request, links_only=True) if elsewhere else []
            return links + removals(request.job, record)
        case State.REDIRECTED:
            hops = request.candidate.hops if request.candidate.cookies else record.hops
            onward = Emission("links", redirection(request.job, record, hops))
            return [onward, *removals(request.job, record)]
        case State.EXCLUDED if record.reason == "feed":
            return [feed_found(request.job, record)]
        case State.GONE:
            return removals(request.job, record)
    return []


def tells_depth(record: UrlRecord) -> bool:
    """Whether what it sends on tells its depth: a shorter way may be found at any moment."""
    leads_on = record.state in (State.FETCHED, State.REDIRECTED) or record.reason == "feed"
    return leads_on or _is_copy(record)


def removals(job: str, record: UrlRecord) -> list[Emission]:
    """Tell INDEX if a page is no document any more. The embedded home sees that by itself."""
    if not leaves_index(record):
        return []
    gone = DocumentParsed(job=job, url=record.url, fetched_at=record.fetched_at, gone=True)
    return [Emission("index", gone)]


def _is_copy(record: UrlRecord) -> bool:
    """Whether it brought a page with another's content; not a copy that has not changed."""
    return record.state is State.DUPLICATE and record.reason == "same-content"


def _as_waiting(record: UrlRecord, asked: Candidate) -> Candidate:
    """What was asked for as it is asked for again; a redirect to itself may have set cookies."""
    if record.tries == asked.tries:
        return asked
    return msgspec.structs.replace(asked, tries=record.tries, cookies=record.cookies)


def _retry_wait(record: UrlRecord, request: FetchRequest, config: JobConfig) -> float:
    """A host that throttles says itself how long; a lost slot and a redirect need no wait."""
    is_retry = record.tries > request.candidate.tries and record.code not in _WITHOUT_WAIT
    return retry_wait(config.retry_wait, record.tries) if is_retry else 0.0


def repeats_neighbour(record: UrlRecord) -> bool:
    """Whether its links are those of the URL that it repeats: relative ones lead to the same."""
    folder = record.target.partition("?")[0].rpartition("/")[0]
    return record.state is State.DUPLICATE and record.url.rpartition("/")[0] == folder


def leads_elsewhere(record: UrlRecord, owner: UrlRecord | None) -> bool:
    """Whether the links of a copy are worth reading; `owner` is the neighbour that it repeats."""
    return owner is None or owner.depth > record.depth


def _to_parse(record: UrlRecord, request: FetchRequest, *, links_only: bool) -> list[Emission]:
    """Pages of slow hosts are parsed first: such a host may have nothing else to be asked for."""
    if record.page is None:
        return []
    page = PageFetched(
        job=request.job,
        url=record.url,
        page=record.page,
        depth=record.depth,  # not the request's: a shorter way may have been found meanwhile
        fetched_at=record.fetched_at,
        purpose=request.purpose,
        links_only=links_only,
        hops=request.candidate.hops if request.purpose == "sitemap" else 0,
        hinted_at=record.hinted_at,
    )
    return [Emission("parse", page, timed=request.delay > 0)]
