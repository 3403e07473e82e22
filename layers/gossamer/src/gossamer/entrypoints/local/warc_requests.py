"""The requests of a crawl, read back from its WARC files: each with its response, in order."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gossamer.adapters.warc_reading import read_request
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import CorruptRecord
from gossamer.entrypoints.local.warc_pages import DAMAGE, whole_records
from gossamer.homes import decode_body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from gossamer.batch.index_pages import Place
    from gossamer.ports.fetcher import HttpResponse
    from gossamer.ports.pages import RequestFacts


class StoredRequest(NamedTuple):
    """A request and what came of it."""

    response: HttpResponse
    facts: RequestFacts
    page: PageRef  # where the response lies
    end: int  # where the records of the request end


def stored_requests(path: Path, damaged: Callable[[], None]) -> Iterator[StoredRequest]:
    """The requests in a WARC file of ours; `damaged` is told of every place without a whole one.

    A record that is damaged costs its request and no other.
    """
    try:
        with path.open("rb") as file:
            yield from _pairs(path, file, damaged)
    except DAMAGE:  # nothing of it can be read
        damaged()


def _pairs(path: Path, file: BinaryIO, damaged: Callable[[], None]) -> Iterator[StoredRequest]:
    last: tuple[str, Place] | None = None  # the id of a response, and where it lies
    for fields, place in whole_records(file, damaged):
        if fields.get("warc-type") in ("response", "revisit"):
            last = fields.get("warc-record-id", ""), place
        elif fields.get("warc-type") == "metadata":
            try:
                if found := _request(path, file, fields, place, last):
                    yield found
            except CorruptRecord:
                damaged()


def _request(
    path: Path,
    file: BinaryIO,
    fields: Mapping[str, str],
    place: Place,
    last: tuple[str, Place] | None,
) -> StoredRequest | None:
    """The request that a metadata record is about; None if its response is lost."""
    name, first, page = path.name, b"", PageRef(path.name, place.offset, 0)
    if answer := fields.get("warc-concurrent-to"):
        if last is None or last[0] != answer:
            return None
        first = _bytes(file, last[1])
        page = PageRef(name, last[1].offset, last[1].size)
    where = f"{name} at {place.offset}"
    response, facts = read_request(
        first, _bytes(file, place), decode_body, where, partial(_read_original, path.parent)
    )
    return StoredRequest(response, facts, page, place.offset + place.size)


def _bytes(file: BinaryIO, place: Place) -> bytes:
    return os.pread(file.fileno(), place.size, place.offset)  # leaves the reader where it is


def _read_original(folder: Path, place: PageRef) -> bytes:
    """A record that another refers to, whatever its file was called in another home."""
    with (folder / place.file.replace("/", "-")).open("rb") as file:
        return os.pread(file.fileno(), place.length, place.offset)
