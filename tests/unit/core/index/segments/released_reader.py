"""What released programs read of an index: a copy that does not follow the program.

A program of this release can be rolled back to while an index is written by the next one. Tests
compare what is written now with these definitions (docs/decisions/0119). When the oldest release
that may be rolled back to is a newer one, copy its definitions here.
"""

from __future__ import annotations

import struct

import msgspec

READ_FORMATS = (2, 3)
COLUMN_TYPES = ("int", "float", "day", "keyword", "keywords", "text")
REGIONS = (
    "vocabulary", "terms", "postings", "positions", "stored", "stored.places", "lengths",
    "column.count", "column.price", "column.day", "column.host", "column.host.values",
    "column.tags", "column.tags.values", "column.tags.starts", "column.url", "column.url.starts",
    "suggestions", "ids", "versions", "anchors", "gone", "levels", "sparse",
)  # fmt: skip
_TRAILER = struct.Struct("<IQ8s")


class SideFile(msgspec.Struct, frozen=True, array_like=True):
    """As it was released."""

    name: str
    size: int


class SegmentInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """As it was released."""

    name: str
    size: int
    documents: int
    live: int
    gone: int = 0
    at: float = 0.0
    schema: str = ""
    dead: SideFile | None = None
    levels: SideFile | None = None
    has_heads: bool = False


class Retired(msgspec.Struct, frozen=True, array_like=True):
    """As it was released."""

    name: str
    at: float


class Merge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """As it was released."""

    name: str
    sources: list[SegmentInfo]
    cuts: list[str] = []
    stretches: int = 1
    forget_before: float = 0.0
    heads_from: int = 0
    sent: float = 0.0


class Manifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """As it was released."""

    version: int = 0
    segments: list[SegmentInfo] = []
    merges: list[Merge] = []
    retired: list[Retired] = []
    analyzer: dict[str, str | int | bool] = {}
    languages: dict[str, int] = {}


class Region(msgspec.Struct, frozen=True, array_like=True):
    """As it was released."""

    offset: int
    size: int
    checksum: int


class ColumnInfo(msgspec.Struct, frozen=True, array_like=True):
    """As it was released."""

    name: str
    type: str
    cell: str


class Footer(msgspec.Struct, frozen=True, kw_only=True):
    """As it was released."""

    documents: int
    gone: int = 0
    terms: int = 0
    postings: int = 0
    positions: int = 0
    analyzer: dict[str, str | int | bool] = {}
    columns: list[ColumnInfo] = []
    regions: dict[str, Region] = {}
    q: int = 0


def read_footer(data: bytes) -> Footer:
    """Read the footer of a whole segment file."""
    size, _, magic = _TRAILER.unpack_from(data, len(data) - _TRAILER.size)
    assert magic[:7] == b"GOSSAMR"
    assert magic[7] in READ_FORMATS
    end = len(data) - _TRAILER.size
    return msgspec.msgpack.decode(data[end - size : end], type=Footer)
