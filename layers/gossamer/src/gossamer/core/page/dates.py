"""Read dates: those in sitemaps and feeds, and the one that a page or its server gives it.

Sitemaps and Atom write W3C dates (https://www.w3.org/TR/NOTE-datetime), RSS those of RFC 822, and
some feeds the other's: both are tried. A date that is less exact than a moment names its beginning:
then a hint never says more than was written.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from gossamer.core.crawl.response_outcome import http_date
from gossamer.core.page.structured.lenient_json import read_json
from gossamer.core.revisit.change_rate import DAY, FIRST_WEB_PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.core.page.document import Document

MAX_DATE = 64  # characters; longer is no date
MAX_LINKED_DATA = 200_000  # characters of one script
MAX_OBJECTS = 100  # of linked data that are looked at
# A server that says "changed just now" makes the page for each request, or keeps no dates.
JUST_NOW = 60.0  # seconds

META, JSON_LD, TIME = "meta", "json-ld", "time"  # sources in a page
TEXT, ADDRESS = "text", "url"  # what stands near its title; its own address
LAST_MODIFIED, SITEMAP = "last-modified", "sitemap"  # and outside of it

_read_w3c = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:[Tt ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)"
    r" ?([Zz]|[+-][0-9]{2}:?[0-9]{2})?)?)?)?"
).fullmatch


is_date = re.compile(
    r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d\d:\d\d\S{0,24})?)?)?\Z",
    re.ASCII,
).match
# Where linked data has the page itself; elsewhere are comments, offers and the like.
_ITSELF: Final = ("@graph", "mainEntity", "mainEntityOfPage")


class Date(NamedTuple):
    """When something was published or changed, as ISO 8601 has it, and what says so."""

    text: str
    source: str


def moment_of(text: str) -> float | None:
    """Epoch seconds; None for what is no date, or one before there were web pages."""
    text = text.strip()
    if not text or len(text) > MAX_DATE:
        return None
    found = _read_w3c(text)
    moment = _w3c(*found.groups()) if found else http_date(text)
    return moment if moment is not None and moment >= FIRST_WEB_PAGE else None


def said_by(moment: float, now: float) -> float:
    """A date that is plausible at `now`: the near future is a clock that is fast.

    What lies further ahead than a day is no date: 0.
    """
    return min(moment, now) if moment <= now + DAY else 0.0


def _w3c(
    year: str, month: str | None, day: str | None, time: str | None, zone: str | None
) -> float | None:
    whole = f"{year}-{month or '01'}-{day or '01'}T{time or '00:00'}{(zone or 'Z').upper()}"
    try:
        return datetime.fromisoformat(whole).astimezone(UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def first_date(dates: Iterable[Date]) -> Date:
    """The first that is one; an empty one if none is."""
    return next((date for date in dates if date.text), Date("", ""))


def linked_objects(script: str) -> Iterator[dict[str, object]]:
    """What linked data says of the page itself."""
    waiting: list[object] = [*reversed(read_json(script[:MAX_LINKED_DATA]))]
    for _ in range(MAX_OBJECTS):
        if not waiting:
            return
        found = waiting.pop()
        if isinstance(found, list):
            waiting += found[MAX_OBJECTS::-1]
        elif isinstance(found, dict):
            yield found
            waiting += [found[name] for name in reversed(_ITSELF) if name in found]


def listed_date(hinted_at: float, fetched_at: float) -> Date:
    """The date of a page in a sitemap or feed, unless it changed since it was fetched."""
    if not 0 < hinted_at <= fetched_at:
        return Date("", "")
    return Date(_iso(hinted_at), SITEMAP)


def dated(documents: Sequence[Document], date: Date, instead_of: str = "") -> list[Document]:
    """Documents, with a date if they have none, or one from a source that is less sure."""
    if not date.text:
        return list(documents)
    return [
        msgspec.structs.replace(document, date=date.text, date_source=date.source)
        if not document.date or document.date_source == instead_of
        else document
        for document in documents
    ]


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")


_known_date = lru_cache(maxsize=1024)(
    http_date
)  # pages of a second, and those of a site, are alike


def header_date(headers: Sequence[tuple[str, str]]) -> Date:
    """When a server says that a page changed; empty if it says so of each response."""
    said = {name.lower(): value for name, value in headers}
    changed, sent = _known_date(said.get("last-modified", "")), _known_date(said.get("date", ""))
    if changed is None or changed < FIRST_WEB_PAGE or (sent and changed > sent - JUST_NOW):
        return Date("", "")
    return Date(_iso(changed), LAST_MODIFIED)
