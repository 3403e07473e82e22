"""Pages in WARC files of any crawler: found in one pass, and read from their places.

A record is read twice: once to find where the next one begins and that none is cut short, once
where its page is parsed, which may be another process. The first takes a tenth of the time.
"""

from __future__ import annotations

from contextlib import contextmanager, redirect_stderr
from datetime import datetime
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParserException

from gossamer.batch.index_pages import FoundPage, PageRead, Place
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.read_response import READERS, read_response
from gossamer.core.urls import normalise, url_id
from gossamer.entrypoints.local.warc_members import Response, Unusual, members
from gossamer.entrypoints.local.warc_members import read_response as read_member

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from warcio.recordloader import ArcWarcRecord

    from gossamer.entrypoints.local.warc_members import Fields

DAMAGE = (OSError, EOFError, ValueError, ArchiveLoadFailed, StatusAndHeadersParserException)
READ_BYTES = 65_536
NO_PAGE = "text/plain"  # in a WARC file it is robots.txt or a list of addresses, mostly
# Links are not kept, so they are not read: a third of the time of a page, by cProfile.
_RULES = Rules(JobConfig(max_links=0))


def find_pages(path: Path) -> Iterator[FoundPage]:
    """The responses in a WARC file. Raises ConfigurationError where the file is damaged."""
    with _named(path), path.open("rb") as file:
        yield from _find(file)


def read_page(path: Path, place: Place) -> PageRead | None:
    """The documents of a page; None if it is no page, or closed to search."""
    with _named(path):
        with path.open("rb", buffering=0) as file:
            file.seek(place.offset)
            data = file.read(place.size)
        return _read(data)


def pages_in(warc: bytes) -> Iterator[PageRead]:
    """The pages of a WARC file in memory. Raises one of DAMAGE where it is damaged."""
    for found in _find(BytesIO(warc)):
        offset, size = found.place.offset, found.place.size
        if page := _read(warc[offset : offset + size]):
            yield page


def _find(file: BinaryIO) -> Iterator[FoundPage]:
    at = 0
    try:
        for member in members(file):
            at = member.offset + member.size
            yield from _found(member.fields, Place(member.offset, member.size))
    except Unusual:
        file.seek(at)
        yield from _found_by_warcio(file)


def _found_by_warcio(file: BinaryIO) -> Iterator[FoundPage]:
    records = ArchiveIterator(file, no_record_parse=True)
    while found := _next(records):
        yield from _found(*found)


def _found(fields: Mapping[str, str], place: Place) -> Iterator[FoundPage]:
    if url := _url_of(fields):
        yield FoundPage(url_id(url), _date_of(fields), place)


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


def _read(data: bytes) -> PageRead | None:
    try:
        return _page(read_member(data))
    except Unusual:
        return _page(_read_by_warcio(data))


def _read_by_warcio(data: bytes) -> Response:
    with redirect_stderr(StringIO()):
        record = next(ArchiveIterator(BytesIO(data)))
        head = record.http_headers
        if head is None:
            return Response(_fields_of(record), "", [], b"")
        body = record.content_stream().read()
        return Response(_fields_of(record), head.get_statuscode(), list(head.headers), body)


def _page(response: Response) -> PageRead | None:
    url = _url_of(response.fields)
    if not url or response.status != "200" or not _is_page(response.headers):
        return None
    parsed = read_response("page", response.body, url, response.headers, _RULES)
    if parsed.noindex:
        return None
    return PageRead(url_id(url), _date_of(response.fields), parsed.documents)


def _is_page(headers: Fields) -> bool:
    kind = next((value for name, value in headers if name.lower() == "content-type"), "")
    kind = kind.partition(";")[0].strip().lower()
    return kind in READERS and kind != NO_PAGE


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors that say which file cannot be read."""
    try:
        yield
    except DAMAGE as error:
        raise ConfigurationError(f"cannot read {path}: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    text = "".join(c if c.isprintable() else " " for c in str(error)[:120])
    return " ".join(text.split()) or type(error).__name__
