"""URLs that wait again, as messages to SCHEDULE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.messages import MAX_PACK, Candidate, CrawlRequest, Emission, portions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.core.crawl.url_record import Purpose, UrlRecord


def packs(job: str, records: Iterable[UrlRecord]) -> Iterator[Emission]:
    """These URLs in packs of one host and purpose each."""
    groups: dict[tuple[str, Purpose], list[Candidate]] = {}
    for record in records:
        candidate = Candidate(record.url, record.depth, record.hops, record.tries)
        groups.setdefault((record.host, record.purpose), []).append(candidate)
    for (host, purpose), urls in groups.items():
        for pack in portions(urls, MAX_PACK):
            request = CrawlRequest(job=job, host=host, urls=pack, purpose=purpose)
            yield Emission("frontier", request)
