"""The dates of a page, from what declares one to what only shows one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.page.dates import (
    ADDRESS,
    JSON_LD,
    META,
    TEXT,
    TIME,
    Date,
    first_date,
    linked_objects,
)
from gossamer.core.page.page_dates.in_address import date_in_address
from gossamer.core.page.page_dates.names import MODIFIED, PUBLISHED
from gossamer.core.page.page_dates.near_title import date_near_title
from gossamer.core.page.page_dates.written import iso_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAX_TIMES: Final = 100
_find_embedded = re.compile(
    r"\"(?:datePublished|publishedAt|published_at|publishedDate|publishDate|publish_date)\\?\""
    r"\s?:\s?\\?\"(\d{4}-\d\d-\d\d)"
).findall


class Dated(NamedTuple):
    """When a page was published, and when it was changed."""

    published: Date
    modified: Date

    @property
    def date(self) -> Date:
        """The one by which it is found."""
        return first_date(self)


class Source(NamedTuple):
    """All that may tell a date."""

    html: str
    url: str
    metas: Mapping[str, Sequence[str]]
    scripts: Sequence[str]  # with linked data
    times: Iterable[tuple[str, str]]  # what time elements declare, and what they show
    language: str


def read_dates(source: Source) -> Dated:
    """The dates of a page. The surest source is asked first, the others only if it has none."""
    objects = [found for script in source.scripts for found in linked_objects(script)]
    published = (
        _declared(source, PUBLISHED)
        or _linked(objects, source, ("datePublished", "uploadDate", "dateCreated", "datePosted"))
        or _shown(source)
    )
    modified = _declared(source, MODIFIED) or _linked(objects, source, ("dateModified",))
    return Dated(published or Date("", ""), modified or Date("", ""))


def _declared(source: Source, names: Sequence[str]) -> Date | None:
    for name in names:
        for text in source.metas.get(name, ())[:4]:
            if date := iso_date(text, source.language):
                return Date(date, META)
    return None


def _linked(
    objects: Sequence[Mapping[str, object]], source: Source, names: Sequence[str]
) -> Date | None:
    for name in names:
        for found in objects:
            text = found.get(name)
            date = iso_date(text, source.language) if isinstance(text, str) else ""
            if date:
                return Date(date, JSON_LD)
    return None


def _shown(source: Source) -> Date | None:
    if date := date_near_title(source.html, source.language):
        return Date(date, TEXT)
    if date := date_in_address(source.url):
        return Date(date, ADDRESS)
    for _, (declared, shown) in zip(range(MAX_TIMES), source.times, strict=False):
        date = iso_date(declared, source.language) or iso_date(shown, source.language)
        if len(date) > len("2025"):
            return Date(date, TIME)
    if source.scripts:  # what declares other dates has said all it knows of this one
        return None
    # Of more than one page, none is known to be its own; looking for the word takes a tenth.
    embedded = set(_find_embedded(source.html)) if "ublish" in source.html else set()
    return Date(embedded.pop(), JSON_LD) if len(embedded) == 1 else None
