"""Collection statistics: how many URLs, requests, pages, bytes, and how the latest job stands."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.crawl.url_state import State, explain
from gossamer.core.ids import UrlId
from gossamer.core.search.fields import fields_of
from gossamer.core.search.result import CollectionStats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.search.result import TemplateStats
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord

CODE = "code:"  # the prefix of a counter of responses with one status code


class Statistics(msgspec.Struct, kw_only=True):
    """What was done in a collection since its beginning; reports begin with it."""

    urls: int = 0
    by_state: dict[str, int] = {}
    by_reason: dict[str, int] = {}
    requests: int = 0
    pages: int = 0
    bytes: int = 0
    status_codes: dict[str, int] = {}


def statistics(home: Home) -> Statistics:
    """Count from the home's own counters: no URL is read."""
    states, reasons = home.states()
    sums = home.sums()
    return Statistics(
        urls=sum(_positive(states).values()),
        by_state=_positive(states),
        by_reason=_positive(reasons),
        requests=int(sums["requests"]),
        pages=int(sums["pages"]),
        bytes=int(sums["bytes"]),
        status_codes={
            name.removeprefix(CODE): int(count)
            for name, count in sorted(sums.items())
            if name.startswith(CODE)
        },
    )


def job_statistics(home: Home, job: str) -> tuple[Statistics, set[UrlId]]:
    """Count the URLs that a job found first, and return their ids; reads every URL.

    Requests are those of each URL's latest visit: the home counts all others for all jobs.
    """
    records = [entry.record for _, entry in home.urls.entries() if entry.job == job]
    codes = Counter(str(record.code) for record in records if record.code)
    count = Statistics(
        urls=len(records),
        by_state=_positive(Counter(record.state for record in records)),
        by_reason=_positive(Counter(record.reason for record in records if record.reason)),
        requests=sum(record.tries for record in records),
        pages=sum(bool(record.md5) and record.purpose == "page" for record in records),
        bytes=sum(record.size for record in records),
        status_codes=dict(sorted(codes.items())),
    )
    return count, {UrlId(record.id) for record in records}


def _positive(counts: Mapping[str, int]) -> dict[str, int]:
    return {str(name): count for name, count in sorted(counts.items()) if count > 0}


def latest_job(home: Home) -> JobRecord | None:
    """The job that began last."""
    names = home.jobs.names()
    return home.jobs.get(names[-1]) if names else None


def state_of(home: Home, job: JobRecord) -> str:
    """How a job stands: also "interrupted", if it should be at work and no process is."""
    unfinished = job.state in ("running", "paused")
    return "interrupted" if unfinished and not home.is_crawling() else job.state


def _why(job: JobRecord) -> str:
    return explain(job.reason) if job.reason not in ("", job.state) else ""


def collection_stats(
    home: Home,
    documents: int,
    index_bytes: int,
    now: float,
    templates: Sequence[TemplateStats] = (),
) -> CollectionStats:
    """How large the collection is, and how its latest job stands: what the API answers."""
    done, job = statistics(home), latest_job(home)
    fields = fields_of(home.settings.get().schema)
    return CollectionStats(
        collection=home.collection,
        documents=documents,
        urls=done.urls,
        by_state=done.by_state,
        hosts=home.hosts.count(),
        bytes=done.bytes,
        index_bytes=index_bytes,
        crawl_state=state_of(home, job) if job else "none",
        crawl_reason=_why(job) if job else "",
        crawl_seconds=round(job.seconds or now - job.started_at, 1) if job else 0.0,
        crawl_pages=done.pages,
        crawl_waiting=done.by_state.get(State.DISCOVERED, 0),
        facets=[name for name in fields.shown_facets if name not in fields.automatic],
        sorts=[name for name in fields.sorts if name not in fields.automatic],
        templates=[*templates],
    )
