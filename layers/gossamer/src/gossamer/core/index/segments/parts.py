"""Parts: what indexing much writes of each lot of documents, before all become one segment.

A part is a segment whose postings are not packed yet, but arrays as they came out of inverting. It
is read once, within minutes, so that packing and unpacking it would only take time.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.segments.numbers import Ints, runs, starts_of
from gossamer.core.index.segments.table import Postings, merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from gossamer.core.index.segments.layout import Content
    from gossamer.core.index.segments.numbers import Buffer

AT_ONCE = 500_000  # postings that are merged together
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


def _wide(data: Buffer, count: int) -> npt.NDArray[np.unsignedinteger]:
    return np.frombuffer(data, f"<u{len(data) // count}" if count else "<u1")


class Part:
    """A part that is being read."""

    def __init__(self, load: Callable[[str], Buffer], numbers: Ints) -> None:
        """`numbers`: the new number of each document; below 0, it is left out."""
        names = bytes(load(NAMES)).decode()
        self.terms = names.split("\n") if names else []
        self.starts = starts_of(np.frombuffer(load(SIZES), "<u4"))
        self._places = starts_of(np.frombuffer(load(PLACES), "<u4"))
        self._impacts = np.frombuffer(load(IMPACTS), np.uint8)
        self._documents = _wide(load(DOCUMENTS), len(self._impacts))
        self._counts = _wide(load(COUNTS), len(self._impacts))
        self._positions = np.frombuffer(load(POSITIONS), "<u4")
        self._numbers = numbers
        if len(numbers) and numbers.min() < 0:
            self._drop(numbers[self._documents] < 0)

    def _drop(self, dead: npt.NDArray[np.bool_]) -> None:
        """Leave postings out, and terms that have no others."""
        live, starts = ~dead, self.starts
        sizes = np.diff(starts_of(live.astype(np.int64))[starts])
        places = np.diff(starts_of(np.where(live, self._counts, 0))[starts])
        self._positions = self._positions[np.repeat(live, self._counts)]
        self._impacts, self._counts = self._impacts[live], self._counts[live]
        self._documents = self._documents[live]
        kept = sizes > 0
        self.terms = [term for term, is_kept in zip(self.terms, kept, strict=True) if is_kept]
        self.starts, self._places = starts_of(sizes[kept]), starts_of(places[kept])

    def between(self, low: str, high: str) -> range:
        """The rows of the terms from `low` up to, but not with, `high`."""
        first = bisect_left(self.terms, low)
        return range(first, bisect_left(self.terms, high) if high else len(self.terms))

    def table(self, first: int, last: int) -> Postings:
        """The postings of some rows."""
        low, high = int(self.starts[first]), int(self.starts[last])
        begin, end = int(self._places[first]), int(self._places[last])
        return Postings(
            self.terms[first:last],
            self.starts[first : last + 1] - low,
            self._numbers[self._documents[low:high]],
            self._impacts[low:high],
            np.cumsum(self._counts[low:high], dtype=np.int64),
            self._positions[begin:end].astype(np.int64),
        )


def joined_parts(parts: Sequence[Part], low: str = "", high: str = "") -> Iterator[Postings]:
    """The terms of all parts from `low` up to `high`, in ascending order, table by table."""
    inside = [part.between(low, high) for part in parts]
    own = [part.terms[rows.start : rows.stop] for part, rows in zip(parts, inside, strict=True)]
    names = sorted(set().union(*own))
    rank = dict(zip(names, range(len(names)), strict=True))
    ranks = [np.array([rank[term] for term in terms], np.int64) for terms in own]
    for first, last in _chunks(parts, inside, ranks, len(names)):
        pieces = []
        for part, rows, known in zip(parts, inside, ranks, strict=True):
            begin, end = np.searchsorted(known, (first, last)).tolist()
            table = part.table(rows.start + begin, rows.start + end)
            pieces.append((known[begin:end] - first, table))
        yield _joined(names[first:last], pieces)


def _chunks(
    parts: Sequence[Part], inside: Sequence[range], ranks: Sequence[Ints], count: int
) -> Iterator[tuple[int, int]]:
    """Terms in runs of about so many postings as are merged together."""
    sizes = np.zeros(count, np.int64)
    for part, rows, known in zip(parts, inside, ranks, strict=True):
        sizes[known] += np.diff(part.starts[rows.start : rows.stop + 1])
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
