"""The index at one version of its manifest: its segments, and which of their documents are live."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import msgspec

from gossamer.core.errors import CorruptRecord, NotStored
from gossamer.core.index import schema
from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.index.segments.columns import TextColumn, region_of
from gossamer.core.index.segments.identities import GONE, IDS, LEVELS, VERSIONS
from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.name_filter import NameFilter
from gossamer.core.index.segments.opened import OpenSegments
from gossamer.core.index.segments.stored import PLACES
from gossamer.search.memory import Memory
from gossamer.search.segment_view import SegmentView
from gossamer.search.small_files import SmallFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from gossamer.core.ids import DocumentId
    from gossamer.core.index.segments.manifest import Manifest, SegmentInfo
    from gossamer.core.index.segments.numbers import Buffer
    from gossamer.core.index.segments.reader import Segment
    from gossamer.ports.segments import Head, SegmentStore
    from gossamer.search.facets import FacetColumn

    Mask = npt.NDArray[np.bool_]
    Key = tuple[str, str]  # a term and the name of a segment

EVERY_QUERY_READS = (LEVELS, GONE, PLACES, region_of(schema.CLUSTER))
# Where a read takes long, ids and versions are in memory, 28 bytes a document: texts of results are
# asked for by them, and equal scores are ordered.
FAR_QUERIES_READ = (*EVERY_QUERY_READS, IDS, VERSIONS)
AFTER_WRITTEN = chr(ord(AS_WRITTEN) + 1)  # comes after every word as it is written
MAX_TRIES = 5  # of opening an index that is changed meanwhile
# Of the size of the index, for lists that were unpacked: those of a million documents are unpacked
# again and again in less, which made a phrase six times as slow.
MEMORY_SHARE, MOST_MEMORY = 0.25, 400_000_000
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A segment of the snapshot."""

    view: SegmentView
    live: Mask
    levels: npt.NDArray[np.uint8]  # PageRank by document
    is_whole: bool  # whether every document is live
    has_heads: bool = False  # whether the beginnings of its long lists are kept apart

    def id(self, number: int) -> DocumentId:
        """The id of a document."""
        return self.view.segment.identities.id(number)

    def url(self, number: int) -> str:
        """The URL of a document."""
        column = self.view.column(schema.URL)
        return column.text(number) if isinstance(column, TextColumn) else ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All parts of an index."""

    manifest: Manifest
    parts: list[Part]
    facets: dict[str, FacetColumn] = field(default_factory=dict)  # that were counted, by column

    @property
    def size(self) -> int:
        """How many documents can be found."""
        return self.manifest.live

    @property
    def columns(self) -> frozenset[str]:
        """The columns that one of the parts has or more."""
        footers = (part.view.segment.footer for part in self.parts)
        return frozenset(info.name for footer in footers for info in footer.columns)

    def first(self, number: int) -> Snapshot:
        """The same index, of which only so many parts are searched."""
        return Snapshot(self.manifest, self.parts[:number])


class Snapshots:
    """Opens snapshots. What is known of segments is kept from one to the next.

    A manifest that was read less than `max_age` seconds ago is taken for the present one.
    """

    def __init__(
        self,
        store: SegmentStore,
        max_age: float = 0.0,
        timer: Callable[[], float] = time.monotonic,
        *,
        is_part: bool = False,
    ) -> None:
        """`is_part`: of an index that several processes share."""
        self._store, self._is_part = store, is_part
        self._max_age, self._timer, self._read_at = max_age, timer, -math.inf
        self._files = SmallFiles(store.read)
        self._opened = OpenSegments(self._files.read)
        self._memory = Memory()
        self._views: dict[str, SegmentView] = {}
        self._damaged: set[str] = set()  # segments that are left out
        self._manifest: Manifest | None = None
        self._latest: Snapshot | None = None
        self._state: tuple[int | str, ...] = ()  # of the manifest of the latest

    def manifest(self) -> Manifest:
        """The manifest as it is now."""
        if self._manifest is None or self._timer() - self._read_at >= self._max_age:
            self._read_at = self._timer()
            self._manifest = self._store.manifest()
        return self._manifest

    @property
    def known_manifest(self) -> Manifest:
        """The manifest that was read last: in the middle of a query, the one that it is about."""
        return self._manifest or self.manifest()

    def latest(self) -> Snapshot:
        """The index as it is now; the same object while nothing changes."""
        for _ in range(MAX_TRIES):
            try:
                return self.of(self.manifest())
            except NotStored:  # merged and deleted since the manifest was read
                self.forget()
        raise NotStored("the files of the index are gone as soon as they are named; try again")

    def of(self, manifest: Manifest) -> Snapshot:
        """The index as a manifest says; NotStored if files of it are gone by now."""
        if self._latest is None or self._state != manifest.state:
            self._latest, self._state = self._open(manifest), manifest.state
        return self._latest

    def read(self, ranges: Sequence[Range]) -> Sequence[Buffer]:
        """Some bytes of some files of the index."""
        return self._files.read(ranges)

    def holds(self, place: Range) -> bool:
        """Whether some bytes of a file are in memory."""
        return self._files.at_hand(place) is not None

    def heads(self, terms: Sequence[str], segments: Sequence[str]) -> Mapping[Key, Head]:
        """The heads of some terms in some segments, by term and segment."""
        return self._store.heads(terms, segments, are_all=not self._is_part)

    def rests(self, keys: Sequence[Key]) -> Mapping[Key, bytes]:
        """The rests of lists whose heads were read."""
        return self._store.rests(keys, are_all=not self._is_part)

    def _hold_lists(self, infos: Sequence[SegmentInfo]) -> None:
        """Have the ranked lists of segments without heads in memory; the others when needed."""
        plain, headed = (
            {
                info.name: _ranked_lists(self._opened.segment(info))
                for info in infos
                if info.has_heads is has_heads
            }
            for has_heads in (False, True)
        )
        self._files.hold_lists(plain, headed)

    def _hold_names(self, views: Mapping[str, SegmentView], infos: Sequence[SegmentInfo]) -> None:
        """Have the filters of names in memory, where there are some."""
        new = [(i, i.names) for i in infos if i.names and views[i.name].names is None]
        read = self._files.read([Range(side.name, 0, side.size) for _, side in new]) if new else ()
        for (info, side), data in zip(new, read, strict=True):
            views[info.name].names = NameFilter.unpack(side.name, data, side.size)

    def forget(self) -> None:
        """Read the manifest anew: files that the latest snapshot needs were deleted."""
        self._manifest = self._latest = None

    def without_damage(self, read: Callable[[], T]) -> T:
        """Read from the segments that are whole: one that is found to be damaged is left out."""
        while True:
            try:
                return read()
            except CorruptRecord as error:
                if not self._leave_out(str(error)):
                    raise

    def damage(self) -> list[str]:
        """What an answer says of segments that it leaves out."""
        infos = self.known_manifest.segments
        return [_missing(info) for info in infos if info.name in self._damaged]

    def _leave_out(self, problem: str) -> bool:
        """Go on without the segment that a problem names, if there are others."""
        infos = self.known_manifest.segments
        damaged = self._damaged | {info.name for info in infos if _is_named(info, problem)}
        has_others = any(info.live for info in infos if info.name not in damaged)
        if damaged == self._damaged or not has_others:
            return False
        self._damaged, self._latest = damaged, None
        return True

    def _open(self, manifest: Manifest) -> Snapshot:
        self._damaged &= {info.name for info in manifest.segments}
        whole = [info for info in manifest.segments if info.name not in self._damaged]
        return self._open_all(msgspec.structs.replace(manifest, segments=whole))

    def _open_all(self, manifest: Manifest) -> Snapshot:
        views = {}
        parts = []
        if not self._store.is_far:  # a function has little memory
            self._memory.grow(min(MOST_MEMORY, int(MEMORY_SHARE * manifest.size)))
        is_far = self._store.is_far
        # A small segment with heads is not read as a whole: its heads may be all that is needed.
        self._files.hold(i for i in manifest.segments if not (is_far and i.has_heads))
        self._opened.open_all(manifest.segments, FAR_QUERIES_READ if is_far else EVERY_QUERY_READS)
        if is_far:
            self._hold_lists(manifest.segments)
        for info in manifest.segments:
            known = self._views.get(info.name)
            view = known or SegmentView(self._opened.segment(info), self._memory)
            views[info.name] = view
            live, levels = self._opened.live(info), self._opened.levels(info)
            is_whole = info.live == info.documents
            parts.append(Part(view, live, levels, is_whole, info.has_heads))
        if is_far:
            self._hold_names(views, manifest.segments)
        self._views = views
        self._opened.keep(manifest.segments)
        return Snapshot(manifest, parts)


def _missing(info: SegmentInfo) -> str:
    count = f"{info.live:,} {'document was' if info.live == 1 else 'documents were'}"
    return (
        f"{count} not searched, because the segment {info.name} is damaged;"
        " `gossamer reindex` makes the index anew from the stored documents"
    )


def _is_named(info: SegmentInfo, message: str) -> bool:
    sides = (info.dead, info.levels, info.names)
    files = (info.name, *(side.name for side in sides if side))
    return any(file in message for file in files)


def _ranked_lists(segment: Segment) -> list[Range]:
    """Where the terms and postings are, without those that only prefixes ask for."""
    written = segment.sparse.blocks_between(AS_WRITTEN, AFTER_WRITTEN)
    last = len(segment.sparse)
    # The outermost blocks of them have other terms, too.
    before, after = range(written.start + 1), range(max(0, written.stop - 1), last)
    if before.stop >= after.start:
        return segment.list_ranges(range(last))
    return [*segment.list_ranges(before), *segment.list_ranges(after)]
