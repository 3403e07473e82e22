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

from gossamer.batch.index_pages import FoundPage, Place
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.errors import ConfigurationError
from gossamer.core.ids import document_id
from gossamer.core.page.read_response import read_response
from gossamer.core.urls import normalise, url_id
from gossamer.ports.documents import Version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from warcio.recordloader import ArcWarcRecord

DAMAGE = (OSError, EOFError, ValueError, ArchiveLoadFailed, StatusAndHeadersParserException)
READ_BYTES = 65_536
HTML_TYPES = ("text/html", "application/xhtml+xml")
# Links are not kept, so they are not read: a quarter of the time of a page.
_RULES = Rules(JobConfig(max_links=0))


def find_pages(path: Path) -> Iterator[FoundPage]:
    """The responses in a WARC file. Raises ConfigurationError where the file is damaged."""
    with _named(path), path.open("rb") as file:
        records = ArchiveIterator(file, no_record_parse=True)
        while record := _next(records):
            if url := _url_of(record):
                place = Place(records.get_record_offset(), records.get_record_length())
                yield FoundPage(document_id(url_id(url)), _date_of(record), place)


def _next(records: ArchiveIterator) -> ArcWarcRecord | None:
    """The next record, which is whole; None at the end."""
    with redirect_stderr(StringIO()):  # warcio warns there
        record = next(records, None)
        if record is not None:
            _read_to_end(record)
        return record


def _url_of(record: ArcWarcRecord) -> str:
    """The URL of a response; empty for any other record."""
    if record.format != "warc":
        raise ArchiveLoadFailed("it is no WARC file")
    if record.rec_type != "response":
        return ""
    return normalise(record.rec_headers.get_header("WARC-Target-URI") or "") or ""


def _read_to_end(record: ArcWarcRecord) -> None:
    while record.raw_stream.read(READ_BYTES):
        pass
    if record.length is None or record.raw_stream.limit:
        raise ArchiveLoadFailed("a record is cut short")


def _date_of(record: ArcWarcRecord) -> float:
    text = record.rec_headers.get_header("WARC-Date") or "1970-01-01T00:00:00Z"
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class WarcPages:
    """Reads pages of a WARC file from their places."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def read(self, place: Place) -> Version | None:
        """The document of a page; None if it is no page, or closed to search."""
        with _named(self._path), redirect_stderr(StringIO()):
            self._file = self._file or self._path.open("rb")
            self._file.seek(place.offset)
            return _version(next(ArchiveIterator(BytesIO(self._file.read(place.size)))))


def _version(record: ArcWarcRecord) -> Version | None:
    url = _url_of(record)
    if not url or record.http_headers is None or not _is_page(record):
        return None
    headers = tuple(record.http_headers.headers)
    body = record.content_stream().read()
    document = read_response("page", body, url, headers, _RULES).document
    if document.noindex:
        return None
    return Version(document_id(url_id(url)), _date_of(record), document)


def _is_page(record: ArcWarcRecord) -> bool:
    kind = record.http_headers.get_header("Content-Type", "").partition(";")[0].strip().lower()
    return record.http_headers.get_statuscode() == "200" and kind in HTML_TYPES


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
