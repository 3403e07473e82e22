"""Small files of the index in memory, and the lists of those that are not much larger.

Beside a crawl there are dozens of segments of a hundred documents, and some of a few thousand whose
lists have no heads yet. Where each read takes tens of milliseconds, asking every one of them for
every word would be most of what a query does. Lists of segments with heads are read as a whole when
one is needed that has no head, and stay in memory.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.index.segments.layout import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.core.index.segments.numbers import Buffer

    Read = Callable[[Sequence[Range]], Sequence[Buffer]]

SMALL = 512 << 10  # bytes; so many come in about the time of the smallest read
MOST_LISTS = (
    12 << 20
)  # bytes of the lists of one segment: those of 48,000 documents take about 10 MB


class Held(NamedTuple):
    """Some bytes of a file in memory."""

    begin: int
    end: int
    data: Buffer


class SmallFiles:
    """Reads ranges of files; those of small ones from memory."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._files: dict[str, list[Held]] = {}  # whole
        self._lists: dict[str, list[Held]] = {}
        self._promised: dict[str, Sequence[Range]] = {}  # lists that are read when one is needed

    def hold(self, infos: Iterable[SegmentInfo]) -> None:
        """Have the small ones of these segments in memory, and no others."""
        small = {info.name: [Range(info.name, 0, info.size)] for info in infos if _is_small(info)}
        self._files = self._held(small, self._files)

    def hold_lists(
        self,
        wanted: Mapping[str, Sequence[Range]],
        promised: Mapping[str, Sequence[Range]] = MappingProxyType({}),
    ) -> None:
        """Have these ranges of files in memory, and no others besides small files.

        Those that are `promised` are read as a whole when one of their bytes is asked for: of many
        segments no list is ever needed, because their heads are enough.
        """
        kept = {name: self._lists[name] for name in promised if name in self._lists}
        self._lists = self._held(self._fitting(wanted), self._lists) | kept
        self._promised = {n: r for n, r in self._fitting(promised).items() if n not in kept}

    def _fitting(self, wanted: Mapping[str, Sequence[Range]]) -> dict[str, Sequence[Range]]:
        return {
            name: ranges
            for name, ranges in wanted.items()
            if name not in self._files and sum(place.size for place in ranges) <= MOST_LISTS
        }

    def _keep_promises(self, places: Iterable[Range]) -> None:
        """Read the promised lists of which some bytes are asked for."""
        due = {
            place.file: self._promised[place.file]
            for place in places
            if any(_has(whole, place) for whole in self._promised.get(place.file, ()))
        }
        if due:
            self._lists |= self._held(due, {})
            self._promised = {n: r for n, r in self._promised.items() if n not in due}

    def _held(
        self, wanted: Mapping[str, Sequence[Range]], known: Mapping[str, list[Held]]
    ) -> dict[str, list[Held]]:
        """The wanted ranges by file; those of files that are not known are read at once."""
        new = [place for name, ranges in wanted.items() if name not in known for place in ranges]
        found = {name: known[name] for name in wanted if name in known}
        for (name, at, size), data in zip(new, self._read(new) if new else (), strict=True):
            found.setdefault(name, []).append(Held(at, at + size, data))
        return found

    def at_hand(self, place: Range) -> Buffer | None:
        """The bytes of a range, if they are in memory."""
        name, at, size = place
        for whole in self._files.get(name, ()):
            return memoryview(whole.data)[at : at + size]
        for begin, end, data in self._lists.get(name, ()):
            if begin <= at and at + size <= end:
                return memoryview(data)[at - begin : at - begin + size]
        return None

    def read(self, ranges: Sequence[Range]) -> list[Buffer]:
        """Some bytes of some files, in this order."""
        if self._promised:
            self._keep_promises(ranges)
        known = [self.at_hand(place) for place in ranges]
        far = [place for place, data in zip(ranges, known, strict=True) if data is None]
        read = iter(self._read(far) if far else ())
        return [next(read) if data is None else data for data in known]


def _has(whole: Range, place: Range) -> bool:
    end = whole.offset + whole.size
    return whole.offset <= place.offset and place.offset + place.size <= end


def _is_small(info: SegmentInfo) -> bool:
    return info.size <= SMALL
