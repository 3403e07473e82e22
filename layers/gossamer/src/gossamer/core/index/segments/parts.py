"""Parts: what indexing much writes of each lot of documents, before all become one segment.

A part is a segment whose postings are not packed yet, but arrays as they came out of inverting. It
is read once, within minutes, so that packing and unpacking it would only take time.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.numbers import Ints, runs, starts_of
from gossamer.core.index.segments.table import Postings, merge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from gossamer.core.index.segments.layout import Content
    from gossamer.core.index.segments.numbers import Buffer
    from gossamer.core.index.segments.reader import Segment

AT_ONCE = 500_000  # postings that are merged together
POSITIONS_PER_POSTING = 4  # of a page; a posting with more counts for several
NAMES, SIZES, PLACES = "part.terms", "part.sizes", "part.places"  # regions; per term
DOCUMENTS, IMPACTS, COUNTS = "part.documents", "part.impacts", "part.counts"  # per posting
POSITIONS = "part.positions"


def pack_part(table: Postings) -> list[tuple[str, Content]]:
    """The regions of the postings of a part."""
    ends = np.concatenate(([0], table.ends))
    return [
        (NAMES, "\n".join(table.terms).encode()),
        (SIZES, np.diff(table.starts).astype("<u4").tobytes()),
        (PLACES, np.diff(ends[table.starts]).astype("<u4").tobytes()),
        (DOCUMENTS, _narrow(table.documents)),
        (IMPACTS, table.impacts.tobytes()),
        (COUNTS, _narrow(table.counts())),
        (POSITIONS, table.positions.astype("<u4").tobytes()),
    ]


def _narrow(values: Ints) -> bytes:
    most = int(values.max(initial=0))
    return values.astype("<u1" if most < 1 << 8 else "<u2" if most < 1 << 16 else "<u4").tobytes()


class Part:
    """A part that is being read, some terms at a time."""

    def __init__(self, segment: Segment, numbers: Ints, low: str = "", high: str = "") -> None:
        """Its terms from `low` up to, but not with, `high`.

        `numbers`: the new number of each document; below 0, it is left out.
        """
        self._segment, self._numbers = segment, numbers
        self.has_dead = bool((numbers < 0).any())
        names = bytes(segment.load(NAMES)).decode()
        terms = names.split("\n") if names else []
        first = bisect_left(terms, low)
        self.rows = range(first, bisect_left(terms, high) if high else len(terms))
        # Most terms are in many parts: all of them hold one string.
        self.terms = list(map(sys.intern, terms[first : self.rows.stop]))
        self.starts = starts_of(np.frombuffer(segment.load(SIZES), "<u4"))
        self._places = starts_of(np.frombuffer(segment.load(PLACES), "<u4"))
        for region in (DOCUMENTS, IMPACTS, COUNTS, POSITIONS):
            segment.load(region)  # its checksum is verified; read again by ranges, it stays small

    def sizes(self) -> Ints:
        """Terms, postings and positions up to and with each term: what they cost to merge."""
        return (np.arange(len(self.starts)) + self.starts + self._places)[1:]

    def weights(self) -> Ints:
        """Return how many postings each of its terms counts for when terms are merged."""
        rows = slice(self.rows.start, self.rows.stop + 1)
        places = np.diff(self._places[rows])
        weights: Ints = np.maximum(np.diff(self.starts[rows]), places // POSITIONS_PER_POSTING)
        return weights

    def table(self, begin: int, end: int) -> Postings:
        """The postings of some of its terms."""
        first, last = self.rows.start + begin, self.rows.start + end
        total, low, high = self.starts[[-1, first, last]].tolist()
        places, low_place, high_place = self._places[[-1, first, last]].tolist()
        documents, impacts, counts, positions = self._segment.fetch(
            [
                self._range(DOCUMENTS, total, low, high),
                self._range(IMPACTS, total, low, high),
                self._range(COUNTS, total, low, high),
                self._range(POSITIONS, places, low_place, high_place),
            ]
        )
        found = Postings(
            self.terms[begin:end],
            self.starts[first : last + 1] - low,
            self._numbers[_wide(documents, high - low)],
            np.frombuffer(impacts, np.uint8),
            np.cumsum(_wide(counts, high - low), dtype=np.int64),
            np.frombuffer(positions, "<u4").astype(np.int64),
        )
        return _without_dead(found) if self.has_dead else found

    def _range(self, region: str, total: int, begin: int, end: int) -> Range:
        """Where some of a region's numbers are, of so many."""
        place = self._segment.footer.regions[region]
        width = place.size // total if total else 0
        return Range(self._segment.name, place.offset + begin * width, (end - begin) * width)


def _without_dead(table: Postings) -> Postings:
    """Without the postings of documents that have no number, and terms that have no others."""
    live, counts = table.documents >= 0, table.counts()
    sizes = np.diff(starts_of(live.astype(np.int64))[table.starts])
    return Postings(
        [term for term, size in zip(table.terms, sizes.tolist(), strict=True) if size],
        starts_of(sizes[sizes > 0]),
        table.documents[live],
        table.impacts[live],
        np.cumsum(counts[live], dtype=np.int64),
        table.positions[np.repeat(live, counts)],
    )


def _wide(data: Buffer, count: int) -> npt.NDArray[np.unsignedinteger]:
    return np.frombuffer(data, f"<u{len(data) // count}" if count else "<u1")


def joined_parts(parts: Sequence[Part]) -> Iterator[Postings]:
    """The terms of all parts in ascending order, table by table."""
    names = sorted(set().union(*[part.terms for part in parts]))
    rank = dict(zip(names, range(len(names)), strict=True))
    ranks = [np.array([rank[term] for term in part.terms], np.int64) for part in parts]
    for first, last in _chunks(parts, ranks, len(names)):
        pieces = []
        for part, known in zip(parts, ranks, strict=True):
            begin, end = np.searchsorted(known, (first, last)).tolist()
            pieces.append((known[begin:end] - first, part.table(begin, end)))
        if not any(part.has_dead for part in parts):
            yield _joined(names[first:last], pieces)
        elif tables := [table for _, table in pieces if len(table)]:
            yield merge(tables)


def _chunks(parts: Sequence[Part], ranks: Sequence[Ints], count: int) -> Iterator[tuple[int, int]]:
    """Terms in runs of about so many postings as are merged together.

    Of long documents the positions count: a book has a hundred of them for each posting.
    """
    sizes = np.zeros(count, np.int64)
    for part, known in zip(parts, ranks, strict=True):
        sizes[known] += part.weights()
    ends = np.cumsum(sizes)
    first = 0
    while first < count:
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + AT_ONCE, side="right")))
        yield first, last
        first = last


def _joined(names: list[str], pieces: Sequence[tuple[Ints, Postings]]) -> Postings:
    tables = [table for _, table in pieces if len(table)]
    edges = [(int(table.documents.min()), int(table.documents.max())) for table in tables]
    if any(low <= high for (_, high), (low, _) in pairwise(edges)):
        return merge(tables)
    return _appended(names, pieces)


def _appended(names: list[str], pieces: Sequence[tuple[Ints, Postings]]) -> Postings:
    """One table out of several, each with lower documents than the next: nothing is sorted."""
    starts = starts_of(_sums(len(names), [(rows, np.diff(t.starts)) for rows, t in pieces]))
    total = int(starts[-1])
    documents, impacts = np.empty(total, np.int64), np.empty(total, np.uint8)
    counts, free = np.empty(total, np.int64), starts[:-1].copy()
    places = []
    for rows, table in pieces:
        sizes = np.diff(table.starts)
        there = runs(free[rows], sizes)
        documents[there], impacts[there] = table.documents, table.impacts
        counts[there] = table.counts()
        places.append(free[rows])
        free[rows] += sizes
    ends = np.cumsum(counts)
    positions = np.empty(int(ends[-1]) if total else 0, np.int64)
    begins = ends - counts
    for first, (_, table) in zip(places, pieces, strict=True):
        sizes = np.diff(np.concatenate(([0], table.ends))[table.starts])
        positions[runs(begins[first], sizes)] = table.positions
    return Postings(names, starts, documents, impacts, ends, positions)


def _sums(count: int, parts: Sequence[tuple[Ints, Ints]]) -> Ints:
    sums = np.zeros(count, np.int64)
    for rows, sizes in parts:
        sums[rows] += sizes
    return sums
