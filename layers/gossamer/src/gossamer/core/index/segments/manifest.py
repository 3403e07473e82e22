"""The manifest: which segments are live, and which of their documents are dead.

It is replaced as a whole by a conditional write. Everything that it names exists and never changes;
what it replaced is kept for a while, because a reader may still use the manifest before.
"""

from __future__ import annotations

import msgspec

NAME_DIGITS = 13  # of milliseconds; names sort by the time of their creation


class SideFile(msgspec.Struct, frozen=True, array_like=True):
    """A small file beside a segment, replaced by another one when it changes."""

    name: str
    size: int


class SegmentInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A live segment."""

    name: str
    size: int  # bytes
    documents: int  # numbers that it has, dead and gone ones included
    live: int
    gone: int = 0  # that only say that they were removed
    at: float = 0.0  # when it was published
    schema: str = ""  # a digest of the schema that all its documents were indexed by; "" if unknown
    dead: SideFile | None = None  # a bitmap of its dead documents
    levels: SideFile | None = None  # the PageRank of its documents, if it was ranked since


class Retired(msgspec.Struct, frozen=True, array_like=True):
    """A file that no manifest names any more, and since when."""

    name: str
    at: float


class Manifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of the index."""

    version: int = 0
    segments: list[SegmentInfo] = []
    retired: list[Retired] = []
    analyzer: dict[str, str | int | bool] = {}

    @property
    def live(self) -> int:
        """How many documents can be found."""
        return sum(segment.live for segment in self.segments)

    def made_otherwise(self, schema: str) -> int:
        """How many documents that can be found were indexed by another schema."""
        return sum(segment.live for segment in self.segments if segment.schema != schema)

    @property
    def size(self) -> int:
        """The bytes of all live segments."""
        return sum(segment.size for segment in self.segments)

    def names(self) -> set[str]:
        """Every file that is in use, or was until lately."""
        found = {retired.name for retired in self.retired}
        for segment in self.segments:
            sides = (segment.dead, segment.levels)
            found |= {segment.name, *(side.name for side in sides if side)}
        return found


def new_name(now: float, token: str) -> str:
    """A name for a new file: when it was begun, and something that no other file has."""
    return f"{int(now * 1000):0{NAME_DIGITS}}-{token}"


def begun_at(name: str) -> float:
    """When a file was begun, by its name; what is named otherwise is as old as can be."""
    digits = name[:NAME_DIGITS]
    return int(digits) / 1000 if digits.isdecimal() else 0.0
