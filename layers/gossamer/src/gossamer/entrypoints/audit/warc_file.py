"""Read the records of a WARC file and report damage by its offset.

The file is read one gzip member at a time. Of a body only as much is kept as a robots.txt may have.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.core.crawl.robots import MAX_ROBOTS_BYTES
from gossamer.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

CHUNK = 32 * 1024
INFLATED = 256 * 1024  # bytes decompressed at a time, whatever the compression ratio
KEPT = MAX_ROBOTS_BYTES + 256 * 1024  # the longest robots.txt with all its headers


class Unreadable(ConfigurationError):
    """A file is damaged, or was not written by Gossamer; the message names file and offset."""


@dataclass(frozen=True, slots=True)
class Record:
    """A WARC record; header names are in lower case."""

    offset: int
    kind: str
    headers: dict[str, str]
    block: bytes  # its first KEPT bytes


class RecordFile:
    """One pass through a file: iterate over the records, then read the other fields."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self.count = 0
        self.cut_at: int | None = None  # offset of an incomplete last record
        self._digest = hashlib.sha256()
        self._rest = b""

    @property
    def sha256(self) -> str:
        """The digest of all bytes read so far."""
        return self._digest.hexdigest()

    def unreadable(self, offset: int, why: str) -> Unreadable:
        """The error for damage at an offset of this file."""
        return Unreadable(f"cannot audit: {self.path} at {offset}: {why}")

    def __iter__(self) -> Iterator[Record]:
        try:
            for offset, member, size in self._members():
                if size:
                    yield self._record(offset, member, size)
                    self.count += 1
        except OSError as error:
            raise self.unreadable(self.size, str(error)) from error

    def _record(self, offset: int, member: bytes, size: int) -> Record:
        head, _, block = member.partition(b"\r\n\r\n")
        version, _, lines = head.decode("utf-8", "replace").partition("\r\n")
        headers = {name.lower(): value for name, value in fields(lines)}
        kind, length = headers.get("warc-type", ""), headers.get("content-length", "")
        if not version.startswith("WARC/1.") or not length.isdecimal():
            raise self.unreadable(offset, "no WARC record")
        if not self.count and (kind != "warcinfo" or b"software: Gossamer" not in block):
            raise self.unreadable(offset, "not written by Gossamer")
        if size != len(head) + 4 + int(length) + 4:
            raise self.unreadable(offset, "the record is not as long as it says")
        return Record(offset, kind, headers, block[: int(length)])

    def _members(self) -> Iterator[tuple[int, bytes, int]]:
        """Offset, first bytes and full length of each whole gzip member."""
        with self.path.open("rb") as file:
            while self._rest or self._more(file):
                offset = self.size - len(self._rest)
                try:
                    kept, size, is_whole = self._inflate(file)
                except zlib.error as error:
                    raise self.unreadable(offset, f"no gzip member: {error}") from error
                if not is_whole:
                    self.cut_at = offset
                    return
                yield offset, kept, size

    def _inflate(self, file: BinaryIO) -> tuple[bytes, int, bool]:
        inflater = zlib.decompressobj(wbits=31)
        kept, size = b"", 0
        while not inflater.eof:
            arrived = bool(self._rest) or self._more(file)
            piece = inflater.decompress(self._rest, INFLATED)
            self._rest = inflater.unconsumed_tail
            if not arrived and not piece:
                return kept, size, False
            size += len(piece)
            if len(kept) < KEPT:
                kept += piece
        self._rest = inflater.unused_data
        return kept, size, True

    def _more(self, file: BinaryIO) -> bool:
        self._rest = file.read(CHUNK)
        self._digest.update(self._rest)
        self.size += len(self._rest)
        return bool(self._rest)


def fields(lines: str) -> Iterator[tuple[str, str]]:
    """Name and value of each header line."""
    for line in lines.split("\r\n"):
        name, _, value = line.partition(":")
        yield name, value.strip()
