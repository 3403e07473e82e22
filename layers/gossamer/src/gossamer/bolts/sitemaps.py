"""Which sitemaps are asked for, and what becomes of one? Each is a URL with an end of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.urls import host_of, sitemap_id, url_id
from gossamer.messages import Candidate, CrawlRequest, Emission
from gossamer.ports.urls import Discovery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.messages import FetchRequest
    from gossamer.ports import Ports
    from gossamer.ports.urls import UrlRecord

MAX_SITEMAP_DEPTH = 2  # a sitemap index, its sitemaps, and what one of these leads to


def follow_sitemap(record: UrlRecord, request: FetchRequest, ports: Ports) -> list[Emission]:
    """Where a sitemap moved to: within its host, and no further than an index may lead."""
    hops = request.candidate.hops + 1
    if hops > MAX_SITEMAP_DEPTH or host_of(record.target) != record.host:
        return []
    source, now = record.url, record.fetched_at
    return ask_for_sitemaps([record.target], source, request.job, ports, now, hops)


def ask_for_sitemaps(
    urls: Sequence[str], source: str, job: str, ports: Ports, now: float, hops: int = 0
) -> list[Emission]:
    """Have sitemaps read that were not asked for before, or not by this very source."""
    found = [
        Discovery(sitemap_id(url), url, host_of(url), depth=0, hops=hops, job=job) for url in urls
    ]
    if not found:
        return []
    admission = ports.urls.add(found, url_id(source), now)
    return [
        Emission(
            "frontier",
            CrawlRequest(
                job=job,
                host=fresh.host,
                urls=[Candidate(fresh.url, 0, hops)],
                purpose="sitemap",
            ),
        )
        for fresh in admission.fresh
    ]
