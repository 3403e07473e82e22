"""Small files of the index in memory, and the lists of those that are not much larger.

Beside a crawl there are dozens of segments of a hundred documents, and some of a few thousand whose
lists have no heads yet. Where each read takes tens of milliseconds, asking every one of them for
every word would be most of what a query does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.index.segments.layout import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.core.index.segments.numbers import Buffer

    Read = Callable[[Sequence[Range]], Sequence[Buffer]]

SMALL = 512 << 10  # bytes; so many come in about the time of the smallest read
MOST_LISTS = 8 << 20  # bytes of the lists of one segment: those of 16,000 documents take 3 or 4 MB


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

    def hold(self, infos: Iterable[SegmentInfo]) -> None:
        """Have the small ones of these segments in memory, and no others."""
        small = {info.name: [Range(info.name, 0, info.size)] for info in infos if _is_small(info)}
        self._files = self._held(small, self._files)

    def hold_lists(self, wanted: Mapping[str, Sequence[Range]]) -> None:
        """Have these ranges of files in memory, and no others besides small files."""
        few = {
            name: ranges
            for name, ranges in wanted.items()
            if name not in self._files and sum(place.size for place in ranges) <= MOST_LISTS
        }
        self._lists = self._held(few, self._lists)

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
        known = [self.at_hand(place) for place in ranges]
        far = [place for place, data in zip(ranges, known, strict=True) if data is None]
        read = iter(self._read(far) if far else ())
        return [next(read) if data is None else data for data in known]


def _is_small(info: SegmentInfo) -> bool:
    return info.size <= SMALL
