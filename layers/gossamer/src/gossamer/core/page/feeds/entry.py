"""An entry of a feed, and the document that it is until its page is read."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from gossamer.core.page.dates import moment_of
from gossamer.core.page.document import Document
from gossamer.core.page.html import parse_page
from gossamer.core.page.values import MAX_TEXT, Link
from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from gossamer.core.page.values import Value

KIND: Final = "entry"
MAX_ENTRIES: Final = 200  # of a feed; most have ten to fifty
MAX_CONTENT: Final = 200_000  # characters of one entry
MAX_AUTHOR: Final = 200
MAX_ENCLOSURES: Final = 10
SOURCE: Final = "feed"  # of a date


@dataclass(slots=True)
class Entry:
    """What a feed says of one entry, as it is written."""

    base: str  # of its addresses
    link: str = ""
    title: str = ""
    content: str = ""  # markup
    summary: str = ""  # markup
    date: str = ""
    modified: str = ""
    author: str = ""
    enclosures: list[tuple[str, str]] = field(default_factory=list)  # address, media type


def document_of(entry: Entry, language: str = "") -> Document | None:
    """The document under the entry's link; None if it says no more than a link does.

    A podcast's episode may have no page: it is known by its recording.
    """
    enclosures = [(normalise(url, entry.base), kind) for url, kind in entry.enclosures]
    recordings = [Link(url, kind[:100]) for url, kind in enclosures if url and len(url) < MAX_TEXT]
    first = recordings[0].url if recordings else ""
    url = (normalise(entry.link, entry.base) if entry.link else None) or first
    read = _read(entry, url) if url else None
    if read is None or not read.text.strip():
        return None
    values: dict[str, Value] = {}
    if author := " ".join(entry.author.split())[:MAX_AUTHOR]:
        values["author"] = author
    if recordings:
        values["enclosure"] = list(recordings[:MAX_ENCLOSURES])
    published, modified = iso(entry.date), iso(entry.modified)
    return Document(
        url=url,
        title=plain(entry.title) or read.title,
        description=plain(entry.summary)[:1_000] if entry.content else "",
        headings=read.headings,
        text=read.text,
        language=read.language or language.partition("-")[0].lower(),
        published_at=published,
        modified_at=modified,
        date=published or modified,
        date_source=SOURCE if published or modified else "",
        images=read.images,
        kind=KIND,
        values=values,
    )


def _read(entry: Entry, url: str) -> Document | None:
    """The markup of an entry as a page."""
    content = (entry.content or entry.summary)[:MAX_CONTENT]
    title = html.escape(plain(entry.title))
    page = f"<html><head><title>{title}</title></head><body><main>{content}</main></body></html>"
    body = page.encode("utf-8", "replace")
    kind = "text/html; charset=utf-8"
    parsed = parse_page(body, url, content_type=kind, extractor="fast", max_links=0)
    return parsed.documents[0] if parsed.documents else None


def plain(markup: str) -> str:
    """A title or summary without its marks: RSS writes some of them as markup."""
    text = html.unescape(markup[:5_000])
    if "<" in text:
        body = f"<html><body><main>{text}</main></body></html>".encode("utf-8", "replace")
        kind = "text/html; charset=utf-8"
        found = parse_page(body, "", content_type=kind, extractor="fast", max_links=0).documents
        text = found[0].text if found else ""
    return " ".join(text.split())


def iso(text: str) -> str:
    """A date as documents have it; "" if it is none."""
    moment = moment_of(text)
    if moment is None:
        return ""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
