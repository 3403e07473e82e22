"""What is remembered about a URL, and how LINKS tells of one that it found."""

from __future__ import annotations

from typing import Literal

import msgspec

from gossamer.core.crawl.url_state import State
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
    hinted_at: float = 0.0  # when it changed, as a sitemap or feed says; counts if after `slot`

    @property
    def purpose(self) -> Purpose:
        """What it is asked for."""
        return "sitemap" if self.id == sitemap_id(self.url) else "page"


class Discovery(msgspec.Struct, frozen=True):
    """A URL as LINKS found it: admitted, or excluded for a reason."""

    id: bytes
    url: str
    host: str
    depth: int
    hops: int = 0
    reason: str = ""  # "" = admitted
    job: str = ""  # the job that found it first

    def after(self, reason: str, depth: int, hops: int) -> Discovery:
        """This, found once more after it was excluded for a reason, by the better of both ways.

        A way that is not to be followed is none; one that came when the host had no unit left is.
        """
        if reason != "host-quota" or depth >= self.depth:
            return self
        return msgspec.structs.replace(self, depth=depth, hops=hops)


class Admission(msgspec.Struct):
    """What `add` made of some discoveries."""

    fresh: list[Discovery] = []  # to be scheduled now
    shallower: list[UrlRecord] = []  # already fetched, but found by a shorter way
