"""The layout of a segment file: regions one after another, then a footer that names them.

    magic · region · region · … · footer · size and checksum of the footer · magic

Regions begin at multiples of 8, so that arrays can be used where they lie. The footer has the
offset, size and checksum of each region. A reader reads the end of the file first.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias

import msgspec
from xxhash import xxh3_64, xxh3_64_intdigest

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.formats import DEFAULT_FORMAT, READ_FORMATS, read_formats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.core.index.segments.numbers import Buffer

# Of a region: bytes, pieces of them, or files in this order.
Content: TypeAlias = "bytes | Iterator[bytes] | Sequence[BinaryIO]"
_NAME = b"GOSSAMR"  # the magic is this and the format
MAGIC_SIZE = len(_NAME) + 1
_TRAILER = struct.Struct("<IQ8s")  # footer size, footer checksum, magic
ALIGNMENT = 8
TAIL = 65_536  # bytes read at once from the end: the footer and often the sparse index
_COPIED = 1 << 20


class Region(msgspec.Struct, frozen=True, array_like=True):
    """A part of the file."""

    offset: int
    size: int
    checksum: int


class ColumnInfo(msgspec.Struct, frozen=True, array_like=True):
    """How a column is stored."""

    name: str
    type: str
    cell: str  # numpy's name of the type of its array


class Footer(msgspec.Struct, frozen=True, kw_only=True):
    """What is in a segment and where."""

    documents: int
    gone: int = 0
    terms: int = 0
    postings: int = 0
    positions: int = 0
    analyzer: dict[str, str | int | bool] = {}
    columns: list[ColumnInfo] = []
    regions: dict[str, Region] = {}
    q: int = 0  # letters of the grams by which similar words are found; 0: there are none


class Range(NamedTuple):
    """Some bytes of a file."""

    file: str
    offset: int
    size: int


class Tail(NamedTuple):
    """The end of a segment file."""

    footer: Footer  # empty if more bytes than those that were read are needed
    needed: int  # bytes from the end of the file
    format: int


def magic_of(format: int) -> bytes:
    """Return the bytes that a segment of a format begins and ends with."""
    return _NAME + bytes([format])


def compose(
    regions: Iterable[tuple[str, Content]], footer: Footer, format: int = DEFAULT_FORMAT
) -> Iterator[bytes]:
    """The bytes of a segment, piece by piece.

    A region is asked for when those before it were written, so that it may depend on them.
    """
    magic = magic_of(format)
    yield magic
    at, places = len(magic), {}
    for name, content in regions:
        begin, digest = at, xxh3_64()
        for piece in _pieces(content):
            digest.update(piece)
            at += len(piece)
            yield piece
        places[name] = Region(begin, at - begin, digest.intdigest())
        if padding := -at % ALIGNMENT:
            at += padding
            yield bytes(padding)
    body = msgspec.msgpack.encode(msgspec.structs.replace(footer, regions=places))
    yield body + _TRAILER.pack(len(body), xxh3_64_intdigest(body), magic)


def _pieces(content: Content) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    for part in content:
        if isinstance(part, bytes):
            yield part
        else:
            yield from _copied(part)


def _copied(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(_COPIED):
        yield piece


def read_tail(name: str, tail: Buffer) -> Tail:
    """Read the footer in the last bytes of a file.

    Unknown fields of a newer format are ignored. If the tail is shorter than needed, the footer is
    empty: read again, with as many bytes.
    """
    tail = memoryview(tail)
    if len(tail) < _TRAILER.size:
        raise CorruptRecord(f"the segment {name} is damaged: it is too short")
    size, checksum, magic = _TRAILER.unpack_from(tail, len(tail) - _TRAILER.size)
    if not magic.startswith(_NAME):
        raise CorruptRecord(f"the segment {name} is damaged: it does not end as a segment does")
    format = magic[-1]
    if format not in READ_FORMATS:
        remedy = "index it again" if format < READ_FORMATS[0] else "update the program"
        raise CorruptRecord(
            f"the segment {name} has format {format}, this program reads {read_formats()}: {remedy}"
        )
    needed = size + _TRAILER.size
    if needed > len(tail):
        return Tail(Footer(documents=0), needed, format)
    body = tail[len(tail) - needed : len(tail) - _TRAILER.size]
    if xxh3_64_intdigest(body) != checksum:
        raise CorruptRecord(f"the segment {name} is damaged: its footer has another checksum")
    try:
        return Tail(msgspec.msgpack.decode(body, type=Footer), needed, format)
    except msgspec.DecodeError as error:
        raise CorruptRecord(f"the segment {name} is damaged: {error}") from error


def checked(name: str, region: str, place: Region, data: Buffer) -> Buffer:
    """The bytes of a whole region, if they have its checksum."""
    if len(data) != place.size or xxh3_64_intdigest(data) != place.checksum:
        raise CorruptRecord(f"the region {region} of the segment {name} is damaged")
    return data
