"""The pages that are in the index, as batch jobs look at them: all at once, by number.

A number is a place in all segments laid one behind the other; it holds for one manifest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gossamer.core.ids import URL_ID_BYTES, page_of
from gossamer.core.index import schema
from gossamer.core.index.segments.columns import TEXTS_PER_BLOCK, KeywordColumn, TextColumn
from gossamer.core.index.segments.numbers import starts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.ids import UrlId
    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.index.segments.reader import Segment


class IndexedPage(NamedTuple):
    """A page as it was indexed."""

    id: UrlId
    url: str
    fetched_at: float
    anchors: bytes  # a digest of the names that it was indexed with


@dataclass(frozen=True, slots=True, eq=False)
class IndexedPages:
    """The live pages of an index. A page with several documents is here by its first."""

    infos: Sequence[SegmentInfo]
    segments: Sequence[Segment]
    begins: Ints  # the first number of each segment, and how many numbers there are
    live: Ints  # numbers of live pages
    ids: npt.NDArray[np.bytes_]  # of these pages

    def hosts(self) -> tuple[Ints, list[str]]:
        """The host of each live page, as a place in the list of their names."""
        known: dict[str, int] = {}
        parts = []
        for segment in self.segments:
            column = segment.column(schema.HOST)
            if isinstance(column, KeywordColumn):
                places = [known.setdefault(host, len(known)) for host in ("", *column.keywords)]
                parts.append(np.array(places, np.int64)[column.codes])
        hosts = np.concatenate(parts)[self.live] if parts else np.zeros(0, np.int64)
        return hosts, list(known)

    def urls(self, numbers: Sequence[int]) -> Iterator[str]:
        """The URLs of some pages; cheap if the numbers ascend."""
        columns = [segment.column(schema.URL) for segment in self.segments]
        for owner, place in self._places(numbers):
            column = columns[owner]
            block, line = divmod(place, TEXTS_PER_BLOCK)
            yield column.block(block)[line] if isinstance(column, TextColumn) else ""

    def look_up(self, numbers: Sequence[int]) -> Iterator[IndexedPage]:
        """Some pages; cheap if the numbers ascend."""
        for url, (owner, place) in zip(self.urls(numbers), self._places(numbers), strict=True):
            known = self.segments[owner].identities
            yield IndexedPage(
                page_of(known.id(place)),
                url,
                float(known.versions[place]),
                bytes(known.anchors[place]).ljust(16, b"\0") if known.anchors[place] else b"",
            )

    def _places(self, numbers: Sequence[int]) -> Iterable[tuple[int, int]]:
        found = np.array(numbers, np.int64)
        owners = np.searchsorted(self.begins, found, side="right") - 1
        return zip(owners.tolist(), (found - self.begins[owners]).tolist(), strict=True)


def indexed_pages(writer: IndexWriter) -> IndexedPages:
    """The pages that can be found now."""
    infos = writer.store.manifest().segments
    segments = [writer.opened.segment(info) for info in infos]
    begins = starts_of(np.array([info.documents for info in infos], np.int64))
    live = [np.flatnonzero(writer.opened.live(info)) for info in infos]
    numbers = [begin + found for begin, found in zip(begins[:-1], live, strict=True)]
    ids = [s.identities.ids[found] for s, found in zip(segments, live, strict=True)]
    if not infos:
        return IndexedPages([], [], begins, np.zeros(0, np.int64), np.zeros(0, "S20"))
    return IndexedPages(infos, segments, begins, np.concatenate(numbers), np.concatenate(ids))


def page_ids(ids: npt.NDArray[np.bytes_]) -> bytes:
    """The ids of the pages of some documents, one behind the other."""
    octets = np.ascontiguousarray(ids).view(np.uint8).reshape(-1, ids.itemsize)
    return octets[:, :URL_ID_BYTES].tobytes()
