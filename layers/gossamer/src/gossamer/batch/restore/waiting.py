"""Make again what no backup holds: parked URLs, owners of contents, and lost messages.

Queues have no past. What a message said is known from the record of its URL: what waited is parked,
a page that was not read yet is read, and what ended shortly before sends on once more what it may
not have sent. Links of a page stand in its WARC record, so a page without links is read again,
whether or not it became a document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gossamer.batch.transfer.collection import park_waiting, release_claim
from gossamer.bolts.fetch.emissions import (
    emissions_of,
    leads_elsewhere,
    removals,
    repeats_neighbour,
)
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.rediscovery import READ_THOUGH_EXCLUDED
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import url_id
from gossamer.messages import Candidate, Emission, FetchRequest, PageFetched
from gossamer.ports.content_owners import ContentEntry

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import UrlEntry, UrlRecord
    from gossamer.ports.home import Home

# A message that was sent longer before is dealt with; of what waited for longer its URL tells.
LATELY = 3600.0
_READ = frozenset({State.PARSED, State.UNCHANGED})


class MadeAgain(NamedTuple):
    """What was done for some URLs."""

    parked: int
    sent: int


def make_again(
    home: Home, entries: list[UrlEntry], at: float, linked: set[bytes], now: float
) -> MadeAgain:
    """Let some URLs go on as they were at a time; `linked` have links that are known."""
    home.urls.load([entry for entry in entries if release_claim(entry.record)])
    parked = park_waiting(home, set(home.jobs.unfinished()), entries)
    records = [entry.record for entry in entries]
    home.contents.load([ContentEntry(r.md5, r.url) for r in records if _owns_content(r)])
    emissions = [
        emission
        for entry in entries
        for emission in _lost(entry, at, home, has_links=entry.record.id in linked)
    ]
    home.queues.send(emissions, now)
    return MadeAgain(parked, len(emissions))


def _owns_content(record: UrlRecord) -> bool:
    return bool(record.md5) and record.state is not State.DUPLICATE


def _lost(entry: UrlEntry, at: float, home: Home, *, has_links: bool) -> list[Emission]:
    """What may have been in a queue; each may come twice, which changes nothing."""
    record = entry.record
    lately = record.fetched_at > at - LATELY
    if _was_read(record) or record.state is State.DUPLICATE:
        known = (has_links and not lately) or not _has_own_links(record, home)
        links = [] if known else _page(entry, links_only=True)
        return links + (removals(entry.job, record) if lately else [])
    if record.reason == "sitemap":
        return _page(entry, links_only=False) if lately else []
    if record.state is State.DISCOVERED or not (lately or record.state is State.FETCHED):
        return []
    return emissions_of(record, _request(entry), JobConfig())


def _was_read(record: UrlRecord) -> bool:
    though_excluded = record.state is State.EXCLUDED and record.reason in READ_THOUGH_EXCLUDED
    return though_excluded or record.state in _READ


def _has_own_links(record: UrlRecord, home: Home) -> bool:
    """Not a copy of a neighbour: what that links to is linked from there."""
    owner = home.urls.get(url_id(record.target)) if repeats_neighbour(record) else None
    return leads_elsewhere(record, owner)


def _page(entry: UrlEntry, *, links_only: bool) -> list[Emission]:
    record = entry.record
    if record.page is None:
        return []
    page = PageFetched(
        job=entry.job,
        url=record.url,
        page=record.page,
        depth=record.depth,
        fetched_at=record.fetched_at,
        purpose=record.purpose,
        links_only=links_only,
        hops=record.hops,
        hinted_at=record.hinted_at,
    )
    return [Emission("parse", page)]


def _request(entry: UrlEntry) -> FetchRequest:
    """The request by which a URL came to where it is."""
    record = entry.record
    candidate = Candidate(record.url, record.depth, record.hops, record.tries)
    return FetchRequest(
        job=entry.job,
        host=record.host,
        candidate=candidate,
        slot=record.slot,
        delay=0.0,
        grace=0.0,
        purpose=record.purpose,
    )
