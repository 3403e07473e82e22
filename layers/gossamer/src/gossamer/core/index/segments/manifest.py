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
    has_heads: bool = False  # whether the beginnings of its long lists are kept apart
    names: SideFile | None = None  # a filter of the names of its pages, beside heads


class Retired(msgspec.Struct, frozen=True, array_like=True):
    """A file that no manifest names any more, and since when."""

    name: str
    at: float


class Merge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A merge that several processes share: each makes some parts, one joins them.

    Everything that decides what is in a part is written here, so a part that is made twice is the
    same twice.
    """

    name: str  # parts are named after it
    sources: list[SegmentInfo]  # as they were when it was planned
    cuts: list[str] = []  # terms at which a range ends and the next one begins
    stretches: int = 1  # parts into which the stored documents are cut
    forget_before: float = 0.0  # removals that are older are left out
    heads_from: int = 0  # documents from which on long lists get heads
    sent: float = 0.0  # when its tasks were sent last

    def part(self, number: int) -> str:
        """The name of a part's file: ranges of terms come first, then stretches of documents."""
        return f"{self.name}.{number}"

    def parts(self) -> list[str]:
        """The names of all parts."""
        return [self.part(number) for number in range(len(self.cuts) + 1 + self.stretches)]


class Manifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of the index."""

    version: int = 0
    segments: list[SegmentInfo] = []
    merges: list[Merge] = []  # under way, by several processes
    retired: list[Retired] = []
    analyzer: dict[str, str | int | bool] = {}
    # How many documents were indexed by the rules of each language, replaced ones included; nothing
    # where all are indexed by the same.
    languages: dict[str, int] = {}

    @property
    def live(self) -> int:
        """How many documents can be found."""
        return sum(segment.live for segment in self.segments)

    @property
    def state(self) -> tuple[int | str, ...]:
        """What tells it from any other: a collection that was purged counts its versions anew."""
        return self.version, *[segment.name for segment in self.segments]

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
        sources = (source for merge in self.merges for source in merge.sources)
        for segment in (*self.segments, *sources):
            sides = (segment.dead, segment.levels, segment.names)
            found |= {segment.name, *(side.name for side in sides if side)}
        return found

    def parts(self) -> set[str]:
        """The files that merges under way have made or will make."""
        return {name for merge in self.merges for name in merge.parts()}


def new_name(now: float, token: str) -> str:
    """A name for a new file: when it was begun, and something that no other file has."""
    return f"{int(now * 1000):0{NAME_DIGITS}}-{token}"


def begun_at(name: str) -> float:
    """When a file was begun, by its name; what is named otherwise is as old as can be."""
    digits = name[:NAME_DIGITS]
    return int(digits) / 1000 if digits.isdecimal() else 0.0
