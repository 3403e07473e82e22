"""PARSE, of a page that is stored already: read it again by the templates that there are now.

The page gets its new documents at a version just after the one it has, so that what is gone from it
leaves the index, and what was gone may come back. Items keep their ids by their keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from gossamer.bolts.host_languages import with_host_language
from gossamer.bolts.page_reading import Reads, read_page
from gossamer.bolts.parse import documents_of
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import UrlChange
from gossamer.core.crawl.url_state import NO_DOCUMENT, TEMPLATE_REASONS, Event, State
from gossamer.core.errors import TransientError
from gossamer.core.page.templates.health import counts_of
from gossamer.core.urls import url_id
from gossamer.messages import DocumentParsed, Emission
from gossamer.ports.parser import Unparsed

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.core.page.document import ParsedPage
    from gossamer.messages import PageFetched
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.host_languages import HostLanguages
    from gossamer.ports.jobs import JobStore
    from gossamer.ports.urls import UrlStore

TICK: Final = 0.001  # seconds between the version that a page has and the one that it gets
_VISITED: Final = frozenset({State.FETCHING, State.FETCHED})
_ENDS: Final = TEMPLATE_REASONS | {NO_DOCUMENT}  # of pages without documents that may get some


class Rereads(Reads, Protocol):
    """What a page is read again with."""

    @property
    def urls(self) -> UrlStore:
        """The ledger."""

    @property
    def documents(self) -> DocumentStore:
        """Gets the new documents."""

    @property
    def host_languages(self) -> HostLanguages:
        """Has the languages of other pages."""

    @property
    def jobs(self) -> JobStore:
        """Has the configuration by which the page was read first."""


class Reread(msgspec.Struct, frozen=True):
    """What came of one page."""

    url: str
    reason: str
    documents: int
    emissions: list[Emission]


async def reread(message: PageFetched, ports: Rereads, now: float) -> Reread | None:
    """Read a page again as it is now; None if it has no page that may have documents.

    It may have been visited since the message was sent, and read by templates of a minute ago.
    Raises TransientError while it is being visited.
    """
    id = url_id(message.url)
    record = ports.urls.get(id)
    if record is None or not is_read(record) or record.page is None:
        if record is not None and record.state in _VISITED:
            raise TransientError(f"{message.url} is being visited")
        return None
    version = max(message.fetched_at, record.fetched_at + TICK)
    message = msgspec.structs.replace(message, page=record.page, fetched_at=version)
    parsed = await read_page(message, _config(message.job, ports), ports, now)
    if isinstance(parsed, Unparsed) or parsed.withheld(now):
        reason = parsed.reason if isinstance(parsed, Unparsed) else record.reason
        return Reread(record.url, reason, 0, [])  # what it has is kept
    if parsed.reading is not None:
        ports.template_health.add(parsed.reading.template, counts_of(parsed.reading), now)
    documents = documents_of(parsed, record.hinted_at, record.fetched_at)
    documents = with_host_language(documents, record.url, ports.host_languages)
    ports.documents.put(id, documents, version)
    _end(record, parsed, ports)
    sent = DocumentParsed(job=message.job, url=record.url, fetched_at=version, gone=not documents)
    return Reread(record.url, _reason(parsed), len(documents), [Emission("index", sent)])


def is_read(record: UrlRecord) -> bool:
    """Whether a URL has a stored page that may have documents of its own."""
    if record.purpose != "page" or record.page is None or record.target:
        return False
    if record.state is State.EXCLUDED:
        return record.reason in _ENDS
    return record.state in (State.PARSED, State.UNCHANGED)


def _config(job: str, ports: Rereads) -> JobConfig:
    known = ports.jobs.get(job) if job else None
    return known.config if known else JobConfig()


def _end(record: UrlRecord, parsed: ParsedPage, ports: Rereads) -> None:
    """Tell the ledger, unless it says so already."""
    reason = _reason(parsed)
    event = Event.REREAD if parsed.documents else Event.EMPTIED
    as_before = record.state is State.UNCHANGED and reason == "document"
    if not as_before and (record.state, record.reason) != (event.leads_to, reason):
        ports.urls.move(record.id, event, UrlChange(reason=reason))


def _reason(parsed: ParsedPage) -> str:
    if not parsed.documents:
        return parsed.reason or NO_DOCUMENT
    return (parsed.reading and parsed.reading.reason) or "document"
