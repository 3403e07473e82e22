"""The term dictionary: blocks of terms in order, with the postings of rare terms inside.

A block holds up to 256 neighbouring terms. Terms in fewer than 256 documents have their postings in
the block itself, because their lists are short and are read together for a prefix. A frequent term
has *layers*: its postings by falling impact, so that a ranked query can stop after the heaviest.
The positions of both lie apart: only phrases need them.

The sparse index is the first term of each block and where its parts begin in the three regions.
Offsets inside of a block are relative, so runs of blocks that were written apart can be joined.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.numbers import (
    Ints,
    Unpacker,
    compress,
    decompress,
    gaps,
    joined,
    pack,
    runs,
    starts_of,
    undo_gaps,
)
from gossamer.core.index.segments.table import Postings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.index.segments.numbers import Buffer

Impacts = npt.NDArray[np.uint8]

FREQUENT = 256  # documents; from here on a term has layers
LAYERS = (128, 512, 2048, 8192)  # postings; the last layer has the rest
BLOCK_TERMS = 256
BLOCK_POSTINGS = 4096  # of rare terms; a block of them takes about 4 KB
_HEAD = struct.Struct("<IIIIII")


class Layer(NamedTuple):
    """Some postings of a term, by ascending document."""

    documents: Ints
    impacts: Impacts


class LayerPlace(NamedTuple):
    """A layer of a frequent term, and where it lies."""

    size: int  # postings
    bound: int  # the highest impact in it
    postings: tuple[int, int]  # offset in the region of postings, size
    positions: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Frequent:
    """A term with layers."""

    df: int
    layers: tuple[LayerPlace, ...]


@dataclass(frozen=True, slots=True)
class Rare:
    """A term whose postings are in its block."""

    row: int
    layer: Layer

    @property
    def df(self) -> int:
        """In how many documents the term is."""
        return len(self.layer.documents)


class PackedBlock(NamedTuple):
    """A block as it is written: its parts in the regions of terms, postings and positions."""

    first_term: str
    terms: bytes
    postings: bytes
    positions: bytes


def pack_blocks(table: Postings) -> Iterator[PackedBlock]:
    """A table of postings as blocks."""
    sizes = np.diff(table.starts)
    rare = np.where(sizes < FREQUENT, sizes, 0)
    begin = 0
    filled = np.cumsum(rare)
    while begin < len(table.terms):
        before = int(filled[begin - 1]) if begin else 0
        end = int(np.searchsorted(filled, before + BLOCK_POSTINGS, side="right"))
        end = max(begin + 1, min(end, begin + BLOCK_TERMS))
        yield _pack_block(table.rows(begin, end), sizes[begin:end])
        begin = end


def _pack_block(table: Postings, sizes: Ints) -> PackedBlock:
    is_rare = sizes < FREQUENT
    rare = table if is_rare.all() else table.select(np.flatnonzero(is_rare))
    often = np.flatnonzero(~is_rare).tolist()
    layers = [_layers(table.rows(row, row + 1)) for row in often]
    packed = [(pack_layer(layer), pack_places(layer)) for each in layers for layer in each]
    rare_terms = "\n".join(rare.terms).encode()
    often_terms = "\n".join([table.terms[row] for row in often]).encode()
    places = pack_rare_places(rare)
    head = _HEAD.pack(
        len(rare.terms), len(rare), len(rare_terms), len(often), len(often_terms), len(packed)
    )
    flat = [layer for each in layers for layer in each]
    body = joined(
        [
            rare_terms,
            often_terms,
            pack(np.diff(rare.starts)),
            pack(gaps(rare.documents, rare.starts)),
            rare.impacts.tobytes(),
            pack(rare.counts()),
            pack(np.array([len(places)])),
            pack(np.array([len(each) for each in layers], np.int64)),
            pack(np.array([len(layer) for layer in flat], np.int64)),
            bytes([int(layer.impacts.max()) for layer in flat]),
            pack(np.array([len(postings) for postings, _ in packed], np.int64)),
            pack(np.array([len(positions) for _, positions in packed], np.int64)),
        ]
    )
    return PackedBlock(
        table.terms[0],
        head + body,
        b"".join([postings for postings, _ in packed]),
        places + b"".join([positions for _, positions in packed]),
    )


def _layers(table: Postings) -> list[Postings]:
    """The postings of one term by falling impact; in a layer documents ascend.

    Of equal impacts the lower documents come first: they win ties, so that what is left in the
    layers below cannot. A list without impacts is never ranked, so it is one layer.
    """
    if not table.impacts.any():
        return [table]
    best_first = np.argsort(255 - table.impacts, kind="stable")
    edges = [edge for edge in accumulate(LAYERS, initial=0) if edge < len(table)] + [len(table)]
    for low, high in pairwise(edges):
        best_first[low:high].sort()
    layered = table.pick(best_first, table.terms, table.starts)
    ends = [0, *layered.ends.tolist()]
    return [
        Postings(
            table.terms,
            np.array([0, high - low]),
            layered.documents[low:high],
            layered.impacts[low:high],
            layered.ends[low:high] - ends[low],
            layered.positions[ends[low] : ends[high]],
        )
        for low, high in pairwise(edges)
    ]


def pack_layer(layer: Postings) -> bytes:
    """The documents and impacts of a layer."""
    return joined([pack(gaps(layer.documents, layer.starts)), layer.impacts.tobytes()])


def pack_postings(layer: Layer) -> bytes:
    """Return the documents and impacts of a layer as `pack_layer` does."""
    starts = np.array([0, len(layer.documents)])
    return joined([pack(gaps(layer.documents, starts)), layer.impacts.tobytes()])


def split_by_impact(whole: Layer, first: int) -> list[Layer]:
    """Cut a list into the `first` heaviest postings and the others, if there are more.

    Of equal impacts the lower documents come first, as in the layers of frequent terms.
    """
    if len(whole.documents) <= first:
        return [whole]
    order = np.argsort(255 - whole.impacts, kind="stable")
    chosen = np.sort(order[:first]), np.sort(order[first:])
    return [Layer(whole.documents[rows], whole.impacts[rows]) for rows in chosen]


def unpack_layer(data: Buffer, count: int, what: str) -> Layer:
    """The documents and impacts of a layer of `count` postings."""
    unpacker = Unpacker(decompress(data, what), what)
    documents = np.cumsum(unpacker.numbers(count), dtype=np.int64)
    impacts = np.frombuffer(unpacker.raw(count), np.uint8)
    unpacker.end()
    return Layer(documents, impacts)


def pack_places(layer: Postings) -> bytes:
    """How many positions each posting of a layer has, and the positions."""
    starts = np.concatenate(([0], layer.ends))
    return joined([pack(layer.counts()), pack(gaps(layer.positions, starts))])


def unpack_places(
    data: Buffer, count: int, what: str, chosen: Ints | None = None
) -> tuple[Ints, Ints]:
    """How many positions each posting of a layer has, or each of some, and the positions."""
    unpacker = Unpacker(decompress(data, what), what)
    counts = unpacker.numbers(count)
    starts = starts_of(counts)
    steps = unpacker.numbers(int(starts[-1]))
    unpacker.end()
    if chosen is not None and len(chosen) < count:
        sizes = counts[chosen]
        steps, starts = steps[runs(starts[chosen], sizes)], starts_of(sizes)
    return np.diff(starts), undo_gaps(steps, starts)


def pack_rare_places(rare: Postings) -> bytes:
    """The positions of the rare terms of a block; nothing if there are none."""
    if not len(rare.positions):
        return b""
    return compress(pack(gaps(rare.positions, np.concatenate(([0], rare.ends)))))


class Block:
    """A block that was read. What is expensive to unpack is unpacked when it is asked for."""

    def __init__(self, data: Buffer, origin: tuple[int, int], what: str) -> None:
        """`origin`: where the block's parts begin in the regions of postings and positions."""
        self._what, self._origin = what, origin
        if len(data) < _HEAD.size:
            raise CorruptRecord(f"{what} is damaged: it is too short")
        rare, postings, rare_bytes, often, often_bytes, layers = _HEAD.unpack_from(data)
        unpacker = Unpacker(decompress(memoryview(data)[_HEAD.size :], what), what)
        self.rare_terms = _split(unpacker.raw(rare_bytes), rare, what)
        self.often_terms = _split(unpacker.raw(often_bytes), often, what)
        self._starts = starts_of(unpacker.numbers(rare))
        if int(self._starts[-1]) != postings:
            raise CorruptRecord(f"{what} is damaged: its parts do not fit together")
        self._steps = unpacker.numbers(postings)
        self._impacts = np.frombuffer(unpacker.raw(postings), np.uint8)
        self._counts = unpacker.numbers(postings)
        self._rare_places = int(unpacker.numbers(1)[0])
        self._layers = _Layers(unpacker, often, layers)
        unpacker.end()

    def find(self, term: str) -> Rare | Frequent | None:
        """A term of the block."""
        row = bisect_left(self.rare_terms, term)
        if row < len(self.rare_terms) and self.rare_terms[row] == term:
            low, high = int(self._starts[row]), int(self._starts[row + 1])
            documents = np.cumsum(self._steps[low:high], dtype=np.int64)
            return Rare(row, Layer(documents, self._impacts[low:high]))
        row = bisect_left(self.often_terms, term)
        if row < len(self.often_terms) and self.often_terms[row] == term:
            return self._frequent(row)
        return None

    def rare(self, least: int) -> Iterator[tuple[str, Rare]]:
        """Return the rare terms in `least` documents or more, in order."""
        for row in np.flatnonzero(np.diff(self._starts) >= least).tolist():
            low, high = int(self._starts[row]), int(self._starts[row + 1])
            layer = Layer(self.rare_documents[low:high], self._impacts[low:high])
            yield self.rare_terms[row], Rare(row, layer)

    def _frequent(self, row: int) -> Frequent:
        postings_at, positions_at = self._origin
        layers = tuple(self._layers.of(row, postings_at, positions_at + self._rare_places))
        return Frequent(sum(layer.size for layer in layers), layers)

    def frequent(self) -> list[Frequent]:
        """All frequent terms of the block, in order."""
        return [self._frequent(row) for row in range(len(self.often_terms))]

    @cached_property
    def rare_documents(self) -> Ints:
        """The documents of all rare terms, term by term."""
        return undo_gaps(self._steps, self._starts)

    def rare_between(self, low: str, high: str) -> Ints:
        """The documents of the rare terms from `low` up to, but not with, `high`."""
        first, last = self.rare_rows(low, high)
        return self.rare_documents[int(self._starts[first]) : int(self._starts[last])]

    def rare_rows(self, low: str, high: str) -> tuple[int, int]:
        """The first of the rare terms from `low` up to `high`, and the one behind the last."""
        return bisect_left(self.rare_terms, low), bisect_left(self.rare_terms, high)

    def frequent_between(self, low: str, high: str) -> list[Frequent]:
        """The frequent terms from `low` up to, but not with, `high`."""
        first, last = bisect_left(self.often_terms, low), bisect_left(self.often_terms, high)
        return [self._frequent(row) for row in range(first, last)]

    @property
    def rare_places(self) -> tuple[int, int]:
        """Where the positions of the rare terms lie: offset, size."""
        return self._origin[1], self._rare_places

    def rare_table(self, places: Buffer) -> Postings:
        """The rare terms with all their postings; `places` are the bytes at `rare_places`."""
        ends = np.cumsum(self._counts, dtype=np.int64)
        total = int(ends[-1]) if len(ends) else 0
        positions = np.zeros(0, np.int64)
        if total:
            what = f"the positions of {self._what}"
            unpacker = Unpacker(decompress(places, what), what)
            positions = undo_gaps(unpacker.numbers(total), np.concatenate(([0], ends)))
            unpacker.end()
        return Postings(
            self.rare_terms, self._starts, self.rare_documents, self._impacts, ends, positions
        )


class _Layers:
    """Sizes and bounds of all layers of a block."""

    def __init__(self, unpacker: Unpacker, terms: int, layers: int) -> None:
        self._starts = starts_of(unpacker.numbers(terms)).tolist()
        self._counts = unpacker.numbers(layers).tolist()
        self._bounds = bytes(unpacker.raw(layers))
        self._postings = starts_of(unpacker.numbers(layers)).tolist()
        self._positions = starts_of(unpacker.numbers(layers)).tolist()

    def of(self, row: int, postings_at: int, positions_at: int) -> Iterator[LayerPlace]:
        for number in range(self._starts[row], self._starts[row + 1]):
            postings, positions = self._postings, self._positions
            yield LayerPlace(
                self._counts[number],
                self._bounds[number],
                (postings_at + postings[number], postings[number + 1] - postings[number]),
                (positions_at + positions[number], positions[number + 1] - positions[number]),
            )


def _split(data: memoryview, count: int, what: str) -> list[str]:
    try:
        terms = bytes(data).decode().split("\n") if count else []
    except UnicodeDecodeError as error:
        raise CorruptRecord(f"{what} is damaged: {error}") from error
    if len(terms) != count:
        raise CorruptRecord(f"{what} is damaged: its terms are not as many as it says")
    return terms


@dataclass(frozen=True)
class SparseIndex:
    """Where each block lies. `terms`, `postings` and `positions` have one offset more than blocks.

    The last offset of each is the end of its region.
    """

    first_terms: list[str]
    terms: Ints
    postings: Ints
    positions: Ints

    def __len__(self) -> int:
        return len(self.first_terms)

    def block_of(self, term: str) -> int | None:
        """The block that has a term, if any has."""
        number = bisect_right(self.first_terms, term) - 1
        return number if number >= 0 else None

    def blocks_between(self, low: str, high: str) -> range:
        """The blocks that may have terms from `low` up to `high`."""
        first = max(0, bisect_right(self.first_terms, low) - 1)
        return range(first, bisect_left(self.first_terms, high))

    def place(self, number: int) -> tuple[int, int]:
        """Offset and size of a block in the region of terms."""
        begin, end = self.terms[number : number + 2].tolist()
        return begin, end - begin

    def origin(self, number: int) -> tuple[int, int]:
        """Where a block's parts begin in the regions of postings and positions."""
        return int(self.postings[number]), int(self.positions[number])

    def packed(self) -> bytes:
        """The sparse index as a region."""
        names = "\n".join(self.first_terms).encode()
        head = pack(np.array([len(self), len(names)]))
        none = np.array([0, len(self)])
        columns = [pack(gaps(column[1:], none)) for column in self._columns]
        return joined([head, names, *columns])

    @property
    def _columns(self) -> tuple[Ints, Ints, Ints]:
        return self.terms, self.postings, self.positions

    @classmethod
    def unpacked(cls, data: Buffer, what: str) -> SparseIndex:
        """The sparse index in a region."""
        unpacker = Unpacker(decompress(data, what), what)
        count, size = unpacker.numbers(2).tolist()
        names = _split(unpacker.raw(size), count, what)
        columns = [starts_of(unpacker.numbers(count)) for _ in range(3)]
        unpacker.end()
        return cls(names, *columns)
