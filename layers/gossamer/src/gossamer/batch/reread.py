"""Read stored pages again after templates were changed: from the WARC, nothing is requested.

A page gets its new documents at a version just after the one it has, so that what is gone from it
leaves the index, and what was gone may come back. Items keep their ids by their keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from gossamer.bolts.page_reading import read_page
from gossamer.bolts.parse import documents_of
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import UrlChange
from gossamer.core.crawl.url_state import NO_DOCUMENT, TEMPLATE_REASONS, Event, State
from gossamer.core.page.templates.health import counts_of
from gossamer.core.urls import url_id
from gossamer.messages import DocumentParsed, Emission, PageFetched
from gossamer.ports.parser import Unparsed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from gossamer.core.crawl.url_record import UrlEntry, UrlRecord
    from gossamer.core.page.document import ParsedPage
    from gossamer.ports.collection_settings import CollectionSettingsStore
    from gossamer.ports.home import Home
    from gossamer.ports.parser import Parser
    from gossamer.ports.template_health import TemplateHealth

TICK: Final = 0.001  # seconds between the version that a page has and the one that it gets
_ENDS: Final = TEMPLATE_REASONS | {NO_DOCUMENT}  # of pages without documents that may get some


class Reread(msgspec.Struct, frozen=True):
    """What came of one page."""

    url: str
    reason: str
    documents: int
    emissions: list[Emission]


class _Means(NamedTuple):
    """What pages are read with."""

    parser: Parser
    settings: CollectionSettingsStore
    template_health: TemplateHealth


@dataclass(frozen=True)
class Rereading:
    """Pages of a home that are read again."""

    home: Home
    parser: Parser
    concerns: Callable[[str, str], bool]  # whether a page is read again: its URL, its template

    async def pages(self, now: float) -> AsyncIterator[Reread]:
        """Read again what is concerned; returns what each page brought."""
        for entry in self._entries():
            done = await self._page(entry, now)
            if done is not None:
                yield done

    @property
    def _means(self) -> _Means:
        return _Means(self.parser, self.home.settings, self.home.template_health)

    def _entries(self) -> Iterator[UrlEntry]:
        """The pages whose own documents come from a template, came from one, or may."""
        for _, entry in self.home.urls.entries():
            record = entry.record
            if not _is_read(record):
                continue
            known = self.home.documents.pages([url_id(record.url)])
            documents = known[0].documents if known else {}
            was = next((each.template for each in documents.values()), "")
            if self.concerns(record.url, was):
                yield entry

    async def _page(self, entry: UrlEntry, now: float) -> Reread | None:
        record = entry.record
        if record.page is None:
            return None
        message = PageFetched(
            job=entry.job,
            url=record.url,
            page=record.page,
            depth=record.depth,
            fetched_at=record.fetched_at,
            hinted_at=record.hinted_at,
        )
        parsed = await read_page(message, self._config(entry.job), self._means, now)
        if isinstance(parsed, Unparsed) or parsed.noindex or 0 < parsed.unavailable_after <= now:
            reason = parsed.reason if isinstance(parsed, Unparsed) else record.reason
            return Reread(record.url, reason, 0, [])  # what it has is kept
        if parsed.reading is not None:
            counts = counts_of(parsed.reading)
            self.home.template_health.add(parsed.reading.template, counts, now)
        return self._keep(record, parsed, entry.job)

    def _config(self, job: str) -> JobConfig:
        known = self.home.jobs.get(job) if job else None
        return known.config if known else JobConfig()

    def _keep(self, record: UrlRecord, parsed: ParsedPage, job: str) -> Reread:
        id = url_id(record.url)
        known = self.home.documents.pages([id])
        version = (known[0].fetched_at if known else record.fetched_at) + TICK
        documents = documents_of(parsed, record.hinted_at, record.fetched_at)
        self.home.documents.put(id, documents, version)
        self._end(record, parsed)
        gone = not documents
        message = DocumentParsed(job=job, url=record.url, fetched_at=version, gone=gone)
        sent = [Emission("index", message)] if documents or (known and known[0].documents) else []
        reason = _reason(parsed)
        return Reread(record.url, reason, len(documents), sent)

    def _end(self, record: UrlRecord, parsed: ParsedPage) -> None:
        """Tell the ledger, unless it says so already."""
        reason = _reason(parsed)
        event = Event.REREAD if parsed.documents else Event.EMPTIED
        as_before = record.state is State.UNCHANGED and reason == "document"
        if not as_before and (record.state, record.reason) != (event.leads_to, reason):
            self.home.urls.move(record.id, event, UrlChange(reason=reason))


def _is_read(record: UrlRecord) -> bool:
    if record.purpose != "page" or record.page is None or record.target:
        return False
    if record.state is State.EXCLUDED:
        return record.reason in _ENDS
    return record.state in (State.PARSED, State.UNCHANGED)


def _reason(parsed: ParsedPage) -> str:
    if not parsed.documents:
        return parsed.reason or NO_DOCUMENT
    return (parsed.reading and parsed.reading.reason) or "document"
