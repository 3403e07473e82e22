"""Small files of the index in memory: a fresh segment is read whole, once.

Beside a crawl there are dozens of segments of a hundred documents. Where each read takes tens of
milliseconds, asking every one of them for every word would be most of what a query does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.index.segments.layout import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.core.index.segments.numbers import Buffer

    Read = Callable[[Sequence[Range]], Sequence[Buffer]]

SMALL = 512 << 10  # bytes; so many come in about the time of the smallest read


class SmallFiles:
    """Reads ranges of files; those of small ones from memory."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: dict[str, Buffer] = {}

    def hold(self, infos: Iterable[SegmentInfo]) -> None:
        """Have the small ones of these segments in memory, and no others."""
        small = {info.name: info.size for info in infos if info.size <= SMALL}
        new = [Range(name, 0, size) for name, size in small.items() if name not in self._known]
        read = zip(new, self._read(new) if new else (), strict=True)
        known = self._known | {place.file: data for place, data in read}
        self._known = {name: known[name] for name in small}

    def read(self, ranges: Sequence[Range]) -> list[Buffer]:
        """Some bytes of some files, in this order."""
        known = self._known
        far = [place for place in ranges if place.file not in known]
        read = iter(self._read(far) if far else ())
        return [
            memoryview(known[name])[at : at + size] if name in known else next(read)
            for name, at, size in ranges
        ]
