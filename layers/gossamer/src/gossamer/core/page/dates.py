"""Parse the dates in sitemaps and feeds.

Sitemaps and Atom write W3C dates (https://www.w3.org/TR/NOTE-datetime), RSS those of RFC 822, and
some feeds the other's: both are tried. A date that is less exact than a moment names its beginning:
then a hint never says more than was written.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from gossamer.core.crawl.response_outcome import http_date
from gossamer.core.revisit.change_rate import DAY, FIRST_WEB_PAGE

MAX_DATE = 64  # characters; longer is no date

_read_w3c = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:[Tt ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)"
    r" ?([Zz]|[+-][0-9]{2}:?[0-9]{2})?)?)?)?"
).fullmatch


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
