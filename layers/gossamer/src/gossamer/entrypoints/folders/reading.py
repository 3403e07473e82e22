"""Read a file as the reader of its media type does; what its name does not tell, its bytes do."""

from __future__ import annotations

import time
from email.utils import formatdate
from functools import partial
from typing import TYPE_CHECKING

from gossamer.adapters.native_reader import MAX_WALL_SECONDS, NATIVE_TYPES, read_in_child
from gossamer.batch.index_pages import PageRead
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.crawl.url_state import NO_DOCUMENT
from gossamer.core.fingerprint import fingerprint
from gossamer.core.page.read_response import read_response
from gossamer.core.urls import url_id
from gossamer.entrypoints.folders.walking import TYPES, UNREADABLE, ending
from gossamer.messages import Link

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gossamer.batch.index_pages import Place
    from gossamer.core.page.document import Outlink, ParsedPage
    from gossamer.entrypoints.folders.walking import FoundFile

SNIFFED = 8_192  # bytes by which a text is told from anything else
TEXT = "text/plain"
UNKNOWN, GAVE_UP = "unknown-type", "parser-gave-up"
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b\b"))
FOLLOWED = ("a", "area", "iframe", "frame", "refresh")


class FolderReader:
    """Reads the files of a folder by their numbers, in this process or in another."""

    def __init__(self, files: Sequence[FoundFile], *, is_site: bool) -> None:
        self._files, self._is_site = files, is_site
        self._urls = frozenset(file.url for file in files) if is_site else frozenset[str]()
        self._rules = Rules(JobConfig() if is_site else JobConfig(max_links=0))

    def __call__(self, place: Place) -> PageRead:
        """What a file says; without documents there is a reason."""
        file = self._files[place.offset]
        try:
            with open(file.path, "rb") as opened:  # noqa: PTH123 a path for each file takes longer
                body = opened.read(place.size)
        except OSError:
            return _without(file, UNREADABLE)
        kind = _media_type(file.path, body, is_site=self._is_site)
        if not kind:
            return _without(file, UNKNOWN)
        parsed = self._parsed(file, body, kind)
        if parsed is None:
            return _without(file, GAVE_UP)
        reason = parsed.withheld(time.time())
        if reason or not parsed.documents:
            return _without(file, reason or parsed.reason or NO_DOCUMENT)
        links = self._links(parsed.outlinks, parsed.nofollow)
        md5, id = fingerprint(body), url_id(file.url)
        return PageRead(id, file.changed_at, parsed.ending(), file.url, md5, links=links)

    def _parsed(self, file: FoundFile, body: bytes, kind: str) -> ParsedPage | None:
        headers = (("Content-Type", kind), ("Last-Modified", formatdate(file.changed_at)))
        read = partial(read_response, "page", body, file.url, headers, self._rules)
        try:
            return read_in_child(read, MAX_WALL_SECONDS) if kind in NATIVE_TYPES else read()
        except Exception:  # noqa: BLE001 whatever a file does, the others are read
            return None

    def _links(self, outlinks: Sequence[Outlink], nofollow: bool) -> list[Link]:
        """Links as a page's own, to the URLs by which files are known here."""
        return [
            Link(self._target(link.url), link.anchor, link.nofollow or nofollow)
            for link in outlinks
            if link.kind in FOLLOWED
        ]

    def _target(self, url: str) -> str:
        """A site may be linked to as /a/index.html, /a.html, /a/ or /a: each is one file."""
        return _known_as(url, self._urls) or url


def _known_as(url: str, urls: Collection[str]) -> str:
    if url in urls:
        return url
    folder, _, name = url.rpartition("/")
    other = (folder + "/" if name.startswith("index.") else "", url + ".html", url + "/")
    return next((each for each in other if each in urls), "")


def _without(file: FoundFile, reason: str) -> PageRead:
    return PageRead(url_id(file.url), file.changed_at, [], file.url, reason=reason)


def _media_type(path: str, body: bytes, *, is_site: bool) -> str:
    """The media type of a file; "" if no reader is for it. A site has data that is no page."""
    kind = TYPES.get(ending(path), "" if is_site else TEXT)
    return "" if kind == TEXT and not _is_text(body[:SNIFFED]) else kind


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    return head.translate(None, _CONTROLS) == head
