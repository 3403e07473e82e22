"""Pages in WARC files of any crawler: found in one pass, and read from their places.

A record is read twice: once to find where the next one begins and that none is cut short, once
where its page is parsed, which may be another process. The first takes a tenth of the time.
"""

from __future__ import annotations

import re
import time
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParserException

from gossamer.adapters.native_reader import MAX_WALL_SECONDS, NATIVE_TYPES, read_in_child
from gossamer.adapters.warc_reading import facts_in
from gossamer.batch.index_pages import FoundPage, PageRead, Place, TooLarge
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.errors import ConfigurationError
from gossamer.core.fingerprint import fingerprint
from gossamer.core.page.read_response import READERS, read_response
from gossamer.core.urls import host_of, normalise, url_id
from gossamer.entrypoints.local.warc_members import Response, Unusual, members
from gossamer.entrypoints.local.warc_members import read_response as read_member

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from warcio.recordloader import ArcWarcRecord

    from gossamer.core.page.document import ParsedPage

DAMAGE = (OSError, EOFError, ValueError, ArchiveLoadFailed, StatusAndHeadersParserException)
READ_BYTES = 65_536
TEXT = "text/plain"
_is_address = re.compile(rb"https?://\S+\s*").fullmatch
# Where a record begins: a gzip member, or a record that is not packed.
_find_start = re.compile(rb"\x1f\x8b\x08|WARC/1\.[01]\r\n").search
_BETWEEN = (0, len(b"\r\n\r\n"))  # behind a record that is not packed there are empty lines
# Links are not kept, so they are not read: a third of the time of a page, by cProfile.
_RULES = Rules(JobConfig(max_links=0))
MAX_BYTES = _RULES.config.max_bytes  # of a page, unless a limit is given
MAX_HEADERS = 65_536  # bytes of a response before its body


def _ignored() -> None:
    """Do nothing: here it is not counted."""


def find_pages(
    path: Path,
    damaged: Callable[[], None] = _ignored,
    too_large: Callable[[], None] = _ignored,
    max_bytes: int = MAX_BYTES,
) -> Iterator[FoundPage]:
    """The responses in a WARC file.

    `damaged` is told of every place that cannot be read, `too_large` of every response that must
    be longer than `max_bytes`. Raises ConfigurationError if nothing of the file can be read.
    """
    with _named(path), path.open("rb") as file:
        yield from _within(_find(file, damaged), too_large, max_bytes)


def read_page(path: Path, place: Place, max_bytes: int = MAX_BYTES) -> PageRead | None:
    """The documents of a page; None if it is no page, or closed to search.

    Raises TooLarge if it has more than `max_bytes`.
    """
    with _named(path):
        with path.open("rb", buffering=0) as file:
            file.seek(place.offset)
            data = file.read(place.size + place.about)
        return _read(data[: place.size], data[place.size :], max_bytes)


def pages_in(warc: bytes, damaged: Callable[[], None] = _ignored) -> Iterator[PageRead]:
    """The pages of a WARC file in memory, as `find_pages` finds them.

    Raises one of DAMAGE if it is no such file.
    """
    for found in _within(_find(BytesIO(warc), damaged), _ignored, MAX_BYTES):
        start, end = found.place.offset, found.place.offset + found.place.size
        with suppress(TooLarge):
            if page := _read(warc[start:end], warc[end : end + found.place.about], MAX_BYTES):
                yield page


def _within(
    responses: Iterator[tuple[FoundPage, int]], too_large: Callable[[], None], max_bytes: int
) -> Iterator[FoundPage]:
    """The responses that may be short enough, by the length of their records."""
    for found, length in responses:
        if length > max_bytes + MAX_HEADERS:
            too_large()
        else:
            yield found


def _find(file: BinaryIO, damaged: Callable[[], None]) -> Iterator[tuple[FoundPage, int]]:
    """The responses and their lengths; each waits for the next record, which may be about it."""
    last: tuple[str, FoundPage] | None = None  # a response, with the id of its record
    length = 0
    for fields, place in whole_records(file, damaged):
        if last:
            yield _with_what_is_about_it(*last, fields, place), length
        try:
            last, length = _found(fields, place), _length(fields)
        except (ValueError, OverflowError):  # a date that is none
            damaged()
            last = None
    if last:
        yield last[1], length


def _length(fields: Mapping[str, str]) -> int:
    text = fields.get("content-length", "").strip()
    return int(text) if text.isascii() and text.isdecimal() else 0


def _with_what_is_about_it(
    id: str, found: FoundPage, fields: Mapping[str, str], next_place: Place
) -> FoundPage:
    """A response, with the record behind it if that says what it was fetched for."""
    offset, size = found.place.offset, next_place.offset - found.place.offset
    is_about = fields.get("warc-type") == "metadata" and fields.get("warc-concurrent-to") == id
    if not is_about or size - found.place.size not in _BETWEEN:
        return found
    return found._replace(place=Place(offset, size, next_place.size))


def whole_records(
    file: BinaryIO, damaged: Callable[[], None]
) -> Iterator[tuple[Mapping[str, str], Place]]:
    """The head of record after record; behind a damaged one, from the next that can be read.

    Raises one of DAMAGE if there is none at all.
    """
    reached = _Reached()
    while True:
        try:
            yield from _records(file, reached)
            return
        except DAMAGE:
            if not reached.is_any:
                raise
            if reached.is_whole:
                damaged()
            reached.is_whole = False
        start = _next_start(file, reached.at + 1)
        if start is None:
            return
        reached.at = start


@dataclass(slots=True)
class _Reached:
    """How far a file was read."""

    at: int = 0
    is_any: bool = False  # whether it has a record that can be read
    is_whole: bool = True  # whether the last one could be read

    def to(self, place: Place) -> None:
        """A record was read."""
        self.at, self.is_any, self.is_whole = place.offset + place.size, True, True


def _records(file: BinaryIO, reached: _Reached) -> Iterator[tuple[Mapping[str, str], Place]]:
    """The records from where the file was read to. Raises one of DAMAGE at one that is damaged."""
    file.seek(reached.at)
    with suppress(Unusual):
        for member in members(file):
            place = Place(member.offset, member.size)
            reached.to(place)
            yield member.fields, place
        return
    file.seek(reached.at)
    for fields, place in _found_by_warcio(file):
        reached.to(place)
        yield fields, place


def _next_start(file: BinaryIO, at: int) -> int | None:
    """Where the next record may begin; a false one is found to be damaged, too."""
    file.seek(at)
    before = b""
    while data := file.read(READ_BYTES):
        if found := _find_start(before + data):
            return at - len(before) + found.start()
        at, before = at + len(data), (before + data)[-10:]
    return None


def _found_by_warcio(file: BinaryIO) -> Iterator[tuple[dict[str, str], Place]]:
    records = ArchiveIterator(file, no_record_parse=True)
    while found := _next(records):
        yield found


def _found(fields: Mapping[str, str], place: Place) -> tuple[str, FoundPage] | None:
    if url := _url_of(fields):
        found = FoundPage(url_id(url), _date_of(fields), place, host=host_of(url))
        return fields.get("warc-record-id", ""), found
    return None


def _next(records: ArchiveIterator) -> tuple[dict[str, str], Place] | None:
    """The next record, which is whole; None at the end."""
    with redirect_stderr(StringIO()):  # warcio warns there
        record = next(records, None)
        if record is None:
            return None
        fields = _fields_of(record)
        _read_to_end(record)
        return fields, Place(records.get_record_offset(), records.get_record_length())


def _fields_of(record: ArcWarcRecord) -> dict[str, str]:
    """The head of a record, names in small letters."""
    if record.format != "warc":
        raise ArchiveLoadFailed("it is no WARC file")
    return {name.lower(): value for name, value in record.rec_headers.headers}


def _url_of(fields: Mapping[str, str]) -> str:
    """The URL of a response; empty for any other record."""
    if fields.get("warc-type") != "response":
        return ""
    return normalise(fields.get("warc-target-uri", "")) or ""


def _read_to_end(record: ArcWarcRecord) -> None:
    while record.raw_stream.read(READ_BYTES):
        pass
    if record.length is None or record.raw_stream.limit:
        raise ArchiveLoadFailed("a record is cut short")


def _date_of(fields: Mapping[str, str]) -> float:
    text = fields.get("warc-date") or "1970-01-01T00:00:00Z"
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def _read(data: bytes, about: bytes, max_bytes: int) -> PageRead | None:
    try:
        response = read_member(data)
    except Unusual:
        response = _read_by_warcio(data, max_bytes)
    if len(response.body) > max_bytes:
        raise TooLarge
    return _page(response, about)


def _read_by_warcio(data: bytes, max_bytes: int) -> Response:
    with redirect_stderr(StringIO()):
        record = next(ArchiveIterator(BytesIO(data)))
        head = record.http_headers
        if head is None:
            return Response(_fields_of(record), "", [], b"")
        body = _decoded(record, max_bytes)
        return Response(_fields_of(record), head.get_statuscode(), list(head.headers), body)


def _decoded(record: ArcWarcRecord, max_bytes: int) -> bytes:
    """The content of a response, up to the first byte that is too many."""
    stream, pieces, room = record.content_stream(), [], max_bytes + 1
    while room > 0 and (piece := stream.read(min(room, READ_BYTES))):
        pieces.append(piece)
        room -= len(piece)
    return b"".join(pieces)


def _page(response: Response, about: bytes) -> PageRead | None:
    url = _url_of(response.fields)
    if not url or response.status != "200" or not _is_page(url, response, about):
        return None
    parsed = _parsed(response, url)
    if parsed is None or parsed.withheld(time.time()):
        return None
    md5 = fingerprint(response.body)
    return PageRead(url_id(url), _date_of(response.fields), parsed.ending(), url, md5)


def _parsed(response: Response, url: str) -> ParsedPage | None:
    """What a response says; None if native code was ended that was at it for too long."""
    read = partial(read_response, "page", response.body, url, response.headers, _RULES)
    return read_in_child(read, MAX_WALL_SECONDS) if _kind(response) in NATIVE_TYPES else read()


def _kind(response: Response) -> str:
    headers = ((name.lower(), value) for name, value in response.headers)
    kind = next((value for name, value in headers if name == "content-type"), "")
    return kind.partition(";")[0].strip().lower()


def _is_page(url: str, response: Response, about: bytes) -> bool:
    """Whether it is for people. What looks otherwise is, if a link led there: it says `about`."""
    kind, facts = _kind(response), facts_in(about)
    if kind not in READERS or facts.get("fault"):  # a part of a page is none, as in a crawl
        return False
    return not _is_for_crawlers(url, kind, response.body) or facts.get("purpose") == "page"


def _is_for_crawlers(url: str, kind: str, body: bytes) -> bool:
    """Whether it is robots.txt, whatever that is, or a sitemap: a text of addresses."""
    if urlsplit(url).path == "/robots.txt":
        return True
    lines = [line.strip() for line in body.splitlines() if line.strip()] if kind == TEXT else []
    return bool(lines) and all(map(_is_address, lines))


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors that say which file cannot be read."""
    try:
        yield
    except DAMAGE as error:
        raise ConfigurationError(f"cannot read {path}: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    if str(error).startswith("Unknown archive format"):  # and its first line, which may be anything
        return "it is no WARC file"
    text = "".join(c if c.isprintable() else " " for c in str(error)[:120])
    return " ".join(text.split()) or type(error).__name__
