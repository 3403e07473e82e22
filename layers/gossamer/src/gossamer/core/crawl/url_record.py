"""What is remembered about a URL, and how LINKS tells of one that it found."""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Literal

import msgspec

from gossamer.core.crawl.url_state import Event, State
from gossamer.core.urls import sitemap_id

Purpose = Literal["page", "robots", "sitemap"]


class PageRef(msgspec.Struct, frozen=True, array_like=True):
    """Where a page lies: a WARC file, and the byte range of its record."""

    file: str
    offset: int
    length: int


class UrlRecord(msgspec.Struct, kw_only=True):
    """Everything remembered about one URL."""

    id: bytes
    url: str
    host: str
    state: State = State.DISCOVERED
    reason: str = ""
    target: str = ""  # where it redirects to, or the URL whose content it repeats
    depth: int = 0
    hops: int = 0
    via: bytes = b""  # the URL that led here first; empty for a seed
    nearer_via: bytes | None = None  # who found a shorter way once it was fetched
    tries: int = 0
    slot: float = 0.0  # the last slot that was claimed for it
    lease: float = 0.0  # until when that claim keeps others away
    fetched_at: float = 0.0
    code: int = 0
    size: int = 0
    md5: bytes = b""
    etag: str = ""
    modified: str = ""
    page: PageRef | None = None
    history: bytes = b""  # what visits showed (core/revisit/change_rate.py); empty = never visited
    # When it changed, as a sitemap or feed says. After `slot` it is news; before, its date.
    hinted_at: float = 0.0
    cookies: str = ""  # what its last redirect hands on (core/crawl/cookies.py)

    @property
    def purpose(self) -> Purpose:
        """What it is asked for."""
        return "sitemap" if self.id == sitemap_id(self.url) else "page"

    def moved(self, event: Event, change: UrlChange) -> UrlRecord:
        """The record after an event, as a store writes it."""
        return msgspec.structs.replace(self, state=event.leads_to, **change.given())


class UrlEntry(msgspec.Struct, frozen=True):
    """A URL with what only its store and its job know of it: how it is copied to another home."""

    record: UrlRecord
    job: str = ""  # that found it first
    units: int = 0  # what it holds of its job's budgets: 1 page, 2 document


@dataclass(slots=True, kw_only=True)  # not frozen, which would make it cost three times as much
class UrlChange:
    """What is learned of a URL when it moves; None leaves a fact as it was."""

    reason: str | None = None
    target: str | None = None
    tries: int | None = None
    slot: float | None = None
    lease: float | None = None
    fetched_at: float | None = None
    code: int | None = None
    size: int | None = None
    md5: bytes | None = None
    etag: str | None = None
    modified: str | None = None
    page: PageRef | None = None
    history: bytes | None = None
    cookies: str | None = None

    def given(self) -> dict[str, str | int | float | bytes | PageRef]:
        """The facts that change, by name."""
        facts = zip(_FACTS, _VALUES(self), strict=True)
        return {name: value for name, value in facts if value is not None}


_FACTS = tuple(field.name for field in fields(UrlChange))
_VALUES = attrgetter(*_FACTS)
NOTHING_LEARNED = UrlChange()


class Discovery(msgspec.Struct, frozen=True):
    """A URL as LINKS found it: admitted, or excluded for a reason."""

    id: bytes
    url: str
    host: str
    depth: int
    hops: int = 0
    reason: str = ""  # "" = admitted
    job: str = ""  # the job that found it first
    hinted_at: float = 0.0  # when it changed, as a sitemap or feed says


class Admission(msgspec.Struct):
    """What `add` made of some discoveries."""

    fresh: list[Discovery] = []  # to be scheduled now
    shallower: list[UrlRecord] = []  # already fetched, but found by a shorter way
