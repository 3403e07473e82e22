"""WARC records in gzip members of their own, as nearly all crawlers write them, read by ISA-L.

That takes a fifth of the time of warcio, which reads everything. What is unusual is not judged
here: Unusual says so, and warcio reads it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from isal import igzip, isal_zlib

from gossamer.adapters.warc_reading import DAMAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

READ_BYTES = 65_536
MAX_HEAD = 65_536  # bytes of a record's head
END = b"\r\n\r\n"  # of a head, and of a record
ENCODINGS = ("content-encoding", "transfer-encoding")
_is_plain_line = re.compile(r"[!-9;-~]+:[\t -~]*").fullmatch
_is_number = re.compile(r"[0-9]{1,15}").fullmatch

Fields = list[tuple[str, str]]


class Unusual(Exception):
    """A record that warcio must read."""


class Member(NamedTuple):
    """A gzip member: where it lies, and the head of its record."""

    offset: int
    size: int
    fields: dict[str, str]


class Response(NamedTuple):
    """A response without encodings."""

    fields: dict[str, str]
    status: str
    headers: Fields
    body: bytes


def members(file: BinaryIO) -> Iterator[Member]:
    """The members from here on; Unusual at the first that is none, or not whole.

    The file stands then behind what was given out.
    """
    offset, data = file.tell(), file.read(READ_BYTES)
    while data:
        head, length, data = _unpacked(file, data)
        end = file.tell() - len(data)
        fields, start = _warc_head(head)
        if start + _length(fields) + len(END) != length:
            raise Unusual
        yield Member(offset, end - offset, fields)
        offset, data = end, data or file.read(READ_BYTES)


def _unpacked(file: BinaryIO, data: bytes) -> tuple[bytes, int, bytes]:
    """The beginning of a member, its length, and what was read behind it."""
    unpacker = isal_zlib.decompressobj(wbits=31)
    head, length = b"", 0
    while True:
        try:
            piece = unpacker.decompress(data)
        except DAMAGE as error:
            raise Unusual from error
        length += len(piece)
        if len(head) < MAX_HEAD:
            head += piece[:MAX_HEAD]
        if unpacker.eof:
            return head, length, unpacker.unused_data
        data = file.read(READ_BYTES)
        if not data:
            raise Unusual


def read_response(member: bytes) -> Response:
    """The response in a member; Unusual if it is encoded, or written in a strange way."""
    try:
        record: bytes = igzip.decompress(member)  # type: ignore[no-untyped-call]
    except DAMAGE as error:
        raise Unusual from error
    fields, start = _warc_head(record)
    block = record[start : start + _length(fields)]
    head, end, body = block.partition(END)
    status, *lines = _lines(head)
    headers = list(map(_field, lines))
    if not end or any(name.lower() in ENCODINGS for name, _ in headers):
        raise Unusual
    return Response(fields, status.partition(" ")[2].partition(" ")[0], headers, body)


def _warc_head(record: bytes) -> tuple[dict[str, str], int]:
    """The fields of a record, and where its block begins."""
    head, end, _ = record.partition(END)
    version, *lines = _lines(head)
    fields = {name.lower(): value for name, value in map(_field, lines)}
    if not end or not version.startswith("WARC/1.") or len(fields) < len(lines):
        raise Unusual
    if fields.get("warc-target-uri", "").startswith("<"):
        raise Unusual
    return fields, len(head) + len(END)


def _lines(head: bytes) -> list[str]:
    if not head.isascii():
        raise Unusual
    return head.decode("ascii").split("\r\n")


def _field(line: str) -> tuple[str, str]:
    if not _is_plain_line(line):
        raise Unusual
    name, _, value = line.partition(":")
    return name, value.strip(" \t")


def _length(fields: dict[str, str]) -> int:
    text = fields.get("content-length", "")
    if not _is_number(text):
        raise Unusual
    return int(text)
