"""Open segments, kept while the manifest names them: a segment never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.reader import Segment, tail_of
from gossamer.core.index.segments.tombstones import Bits, unpack_bits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from gossamer.core.index.segments.manifest import SegmentInfo, SideFile
    from gossamer.core.index.segments.numbers import Buffer

    Fetch = Callable[[Sequence[Range]], Sequence[Buffer]]


class OpenSegments:
    """Segments, tombstones and levels by name, each read once."""

    def __init__(self, fetch: Fetch) -> None:
        self.fetch = fetch
        self._segments: dict[str, Segment] = {}
        self._live: dict[tuple[str, str], Bits] = {}
        self._levels: dict[str, npt.NDArray[np.uint8]] = {}

    def segment(self, info: SegmentInfo) -> Segment:
        """A segment of the manifest."""
        found = self._segments.get(info.name)
        if found is None:
            found = self._segments[info.name] = Segment(info.name, info.size, self.fetch)
        return found

    def open_all(self, infos: Iterable[SegmentInfo], regions: Sequence[str] = ()) -> None:
        """Open segments that are not open yet, all at once; then read some regions of all."""
        new = [info for info in infos if info.name not in self._segments]
        tails = self.fetch([tail_of(info.name, info.size) for info in new])
        opened = []
        for info, tail in zip(new, tails, strict=True):
            segment = Segment(info.name, info.size, self.fetch, tail)
            opened += [(segment, region) for region in regions if segment.has(region)]
            self._segments[info.name] = segment
        wanted = [segment.region_range(region) for segment, region in opened]
        fetched = self.fetch(wanted) if wanted else ()
        for (segment, region), data in zip(opened, fetched, strict=True):
            segment.learn(region, data)

    def live(self, info: SegmentInfo) -> Bits:
        """Which documents of a segment can be found."""
        key = info.name, info.dead.name if info.dead else ""
        found = self._live.get(key)
        if found is None:
            gone = self.segment(info).gone
            found = ~gone if info.dead is None else ~(self._dead(info, info.dead) | gone)
            self._live[key] = found
        return found

    def _dead(self, info: SegmentInfo, file: SideFile) -> Bits:
        return unpack_bits(self._whole(file), info.documents, file.name)

    def levels(self, info: SegmentInfo) -> npt.NDArray[np.uint8]:
        """The PageRank of the documents of a segment, 255 for the highest."""
        if info.levels is None:
            return self.segment(info).levels
        found = self._levels.get(info.levels.name)
        if found is None:
            found = np.frombuffer(self._whole(info.levels), np.uint8)
            self._levels[info.levels.name] = found
        return found

    def _whole(self, file: SideFile) -> Buffer:
        [data] = self.fetch([Range(file.name, 0, file.size)])
        return data

    def keep(self, infos: Iterable[SegmentInfo]) -> None:
        """Forget everything but what these segments need."""
        infos = list(infos)
        names = {info.name for info in infos}
        dead = {(info.name, info.dead.name if info.dead else "") for info in infos}
        levels = {info.levels.name for info in infos if info.levels}
        self._segments = {n: s for n, s in self._segments.items() if n in names}
        self._live = {key: bits for key, bits in self._live.items() if key in dead}
        self._levels = {n: found for n, found in self._levels.items() if n in levels}
