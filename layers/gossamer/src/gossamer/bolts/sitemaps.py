"""Decide which sitemaps and feeds are fetched, and what happens after one.

Each is a URL with an end of its own. A feed is to us a sitemap of what is new: where "sitemap"
stands, both are meant.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from gossamer.core.crawl.removal import CLOSED_TO_SEARCH
from gossamer.core.crawl.scope import EXCLUDED, NOT_INCLUDED, OUT_OF_SCOPE
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import host_of, sitemap_id, url_id
from gossamer.messages import Candidate, CrawlRequest, DocumentParsed, Emission, LinksFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.crawl.url_record import Admission, UrlRecord
    from gossamer.core.ids import UrlId
    from gossamer.core.page.document import Document
    from gossamer.messages import FetchRequest, PageFetched
    from gossamer.ports import Ports
    from gossamer.ports.jobs import JobRecord

MAX_SITEMAP_DEPTH = 2  # a sitemap index, its sitemaps, and what one of these leads to
# What may be a feed, or a sitemap; if it is none, it names nothing.
_XML = ("rss+xml", "atom+xml", "rdf+xml", "xml")
_JSON = "application/feed+json"
FEED_TYPES = frozenset({"text/xml", _JSON, *(f"application/{name}" for name in _XML)})
# What the rules of a job say against a page itself, and not against how it was reached.
_UNREAD = (State.DISCOVERED, State.EXCLUDED, State.FAILED)
_UNWANTED = (OUT_OF_SCOPE, EXCLUDED, NOT_INCLUDED)


def may_be_feed(content_type: str) -> bool:
    """Whether what was asked for as a page is worth reading as a feed."""
    return content_type.partition(";")[0].strip().lower() in FEED_TYPES


def keep_entries(
    message: PageFetched, documents: Sequence[Document], job: JobRecord, ports: Ports
) -> list[Emission]:
    """Keep entries of a feed as the documents of their pages, until these are read themselves.

    So an entry and its page have one identity, and only one of them is ever found.
    """
    emissions = []
    for url, of_page in groupby(documents, attrgetter("url")):
        id = url_id(url)
        if job.rules.scope.reject(url, 0) in _UNWANTED:
            continue
        if _has_own(ports.urls.get(id)):
            continue
        ports.documents.put(id, [*of_page], message.fetched_at)
        found = DocumentParsed(job=message.job, url=url, fetched_at=message.fetched_at)
        emissions.append(Emission("index", found))
    return emissions


def _has_own(record: UrlRecord | None) -> bool:
    """Whether a page was read, is being read, or has said that it is not to be found."""
    if record is None:
        return False
    is_closed = record.reason in CLOSED_TO_SEARCH or record.state not in _UNREAD
    return is_closed or bool(record.md5)


def feed_found(job: str, record: UrlRecord) -> Emission:
    """A URL that was taken for a page is a feed: it is asked for as one, in a slot of its own."""
    found = LinksFound(
        job=job, source=record.url, depth=record.depth, via="sitemap", links=[], feeds=[record.url]
    )
    return Emission("links", found)


def follow_sitemap(record: UrlRecord, request: FetchRequest, ports: Ports) -> list[Emission]:
    """Where a sitemap moved to: within its host, and no further than an index may lead."""
    hops = request.candidate.hops + 1
    if hops > MAX_SITEMAP_DEPTH or host_of(record.target) != record.host:
        return []
    source, now = sitemap_id(record.url), record.fetched_at
    target, cookies = [record.target], record.cookies
    return ask_for_sitemaps(target, source, request.job, ports, now, hops, cookies)


def ask_for_sitemaps(
    urls: Sequence[str],
    source: UrlId,
    job: str,
    ports: Ports,
    now: float,
    hops: int = 0,
    cookies: str = "",
) -> list[Emission]:
    """Have sitemaps read that were not asked for before, or not by this very source."""
    found = [
        Discovery(sitemap_id(url), url, host_of(url), depth=0, hops=hops, job=job) for url in urls
    ]
    if not found:
        return []
    return to_be_read(job, ports.urls.add(found, source, now), cookies)


def to_be_read(job: str, admission: Admission, cookies: str = "") -> list[Emission]:
    """Ask for the sitemaps that were admitted."""
    return [
        Emission(
            "frontier",
            CrawlRequest(
                job=job,
                host=fresh.host,
                urls=[Candidate(fresh.url, 0, fresh.hops, cookies=cookies)],
                purpose="sitemap",
            ),
        )
        for fresh in admission.fresh
    ]
