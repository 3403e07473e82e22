"""Read a segment: what is in it, and which bytes a caller must fetch for what it wants to know.

A reader never reads by itself: it names ranges, and unpacks what was fetched. So a search can fetch
what it needs of many segments at once, from files or from S3 alike.
"""

from __future__ import annotations

import operator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments import parts
from gossamer.core.index.segments.columns import COLUMN_TYPES, is_region_of, read_column
from gossamer.core.index.segments.dictionary import Block, SparseIndex, unpack_layer, unpack_places
from gossamer.core.index.segments.identities import (
    ID_BYTES,
    IDS,
    read_gone,
    read_identities,
    read_levels,
    read_versions,
)
from gossamer.core.index.segments.layout import (
    ALIGNMENT,
    TAIL,
    Range,
    checked,
    magic_of,
    read_tail,
)
from gossamer.core.index.segments.numbers import Unpacker, decompress
from gossamer.core.index.segments.stored import BLOCKS, PLACES, StoredPlaces, unpack_stored
from gossamer.core.index.segments.vocabulary import VOCABULARY, Vocabulary
from gossamer.core.index.segments.writer import (
    LENGTHS,
    POSITIONS,
    POSTINGS,
    SPARSE,
    TERMS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from gossamer.core.index.segments.columns import Column
    from gossamer.core.index.segments.dictionary import Layer, LayerPlace
    from gossamer.core.index.segments.identities import Bits, Identities
    from gossamer.core.index.segments.layout import Footer, Region
    from gossamer.core.index.segments.numbers import Buffer, Ints
    from gossamer.core.index.segments.stored import Stored

    Fetch = Callable[[Sequence[Range]], Sequence[Buffer]]

BETWEEN = "between regions"  # where damage may be, besides


def tail_of(name: str, size: int, wanted: int = TAIL) -> Range:
    """The end of a segment file, by which it is opened."""
    wanted = min(size, wanted)
    return Range(name, size - wanted, wanted)


class Segment:
    """An open segment: its footer and sparse index are in memory, the rest is fetched."""

    def __init__(self, name: str, size: int, fetch: Fetch, tail: Buffer | None = None) -> None:
        """`tail`: the bytes at `tail_of`, if they were fetched already."""
        self.name, self.size, self.fetch = name, size, fetch
        self._fetched: dict[str, Buffer] = {}  # regions that wait to be loaded
        self.footer, self.format, tail = self._open(tail)
        self.sparse = self._sparse(tail)

    def _open(self, tail: Buffer | None) -> tuple[Footer, int, Buffer]:
        """Return what is known of the file, without columns of types that are not read yet."""
        tail = self._tail(TAIL) if tail is None else tail
        footer, needed, format = read_tail(self.name, tail)
        if needed > len(tail):
            tail = self._tail(needed)
            footer, _, _ = read_tail(self.name, tail)
        columns = [info for info in footer.columns if info.type in COLUMN_TYPES]
        return replace(footer, columns=columns), format, tail

    def _tail(self, size: int) -> Buffer:
        [tail] = self.fetch([tail_of(self.name, self.size, size)])
        return tail

    def _sparse(self, tail: Buffer) -> SparseIndex:
        place = self._place(SPARSE)
        begin = place.offset - (self.size - len(tail))
        data = memoryview(tail)[begin : begin + place.size] if begin >= 0 else self.load(SPARSE)
        what = f"the sparse index of the segment {self.name}"
        return SparseIndex.unpacked(checked(self.name, SPARSE, place, data), what)

    @property
    def is_part(self) -> bool:
        """Whether its postings are not packed yet: it can be merged, not searched."""
        return parts.NAMES in self.footer.regions

    def _place(self, region: str) -> Region:
        try:
            return self.footer.regions[region]
        except KeyError:
            raise CorruptRecord(f"the segment {self.name} has no region {region}") from None

    def load(self, region: str) -> Buffer:
        """A whole region, checked."""
        place, data = self._place(region), self._fetched.pop(region, None)
        if data is None:
            [data] = self.fetch([self.region_range(region)]) if place.size else [b""]
        return checked(self.name, region, place, data)

    def has(self, region: str) -> bool:
        """Whether a region is there and not empty."""
        place = self.footer.regions.get(region)
        return place is not None and place.size > 0

    def region_range(self, region: str) -> Range:
        """Where a region is."""
        place = self._place(region)
        return Range(self.name, place.offset, place.size)

    def learn(self, region: str, data: Buffer) -> None:
        """Take a region that was fetched; it is loaded once without being read."""
        self._fetched[region] = data

    def regions_of(self, column: str) -> list[str]:
        """The regions of a column; none if the segment does not have it."""
        return [name for name in self.footer.regions if is_region_of(name, column)]

    def verify(self) -> Iterator[tuple[str, str]]:
        """Every region that is damaged, and how; and what lies between regions."""
        for region in self.footer.regions:
            try:
                self.load(region)
            except CorruptRecord as error:
                yield region, str(error)
        expected = dict(self._between())
        if any(map(operator.ne, self.fetch(list(expected)), expected.values())):
            yield BETWEEN, f"the segment {self.name} is damaged between its regions"

    def _between(self) -> Iterator[tuple[Range, bytes]]:
        """What is in no region: the magic, and zeros up to where the next region may begin."""
        magic = magic_of(self.format)
        yield Range(self.name, 0, len(magic)), magic
        for place in self.footer.regions.values():
            end = place.offset + place.size
            if padding := -end % ALIGNMENT:
                yield Range(self.name, end, padding), bytes(padding)

    def _range(self, region: str, offset: int, size: int) -> Range:
        return Range(self.name, self._place(region).offset + offset, size)

    def block_range(self, number: int) -> Range:
        """Where a block of the dictionary is."""
        return self._range(TERMS, *self.sparse.place(number))

    def block(self, number: int, data: Buffer) -> Block:
        """A block that was fetched."""
        what = f"the block {number} of the segment {self.name}"
        return Block(data, self.sparse.origin(number), what)

    def list_ranges(self, blocks: range) -> list[Range]:
        """Where some neighbouring blocks are, and the layers of their terms."""
        begin, end = blocks.start, blocks.stop
        edges = (self.sparse.terms[[begin, end]], self.sparse.postings[[begin, end]])
        (terms, terms_end), (postings, postings_end) = (each.tolist() for each in edges)
        return [
            self._range(TERMS, terms, terms_end - terms),
            self._range(POSTINGS, postings, postings_end - postings),
        ]

    def layer_range(self, place: LayerPlace) -> Range:
        """Where the documents and impacts of a layer are."""
        return self._range(POSTINGS, *place.postings)

    def layer(self, place: LayerPlace, data: Buffer) -> Layer:
        """A layer that was fetched."""
        return unpack_layer(data, place.size, f"a layer of the segment {self.name}")

    def places_range(self, place: LayerPlace) -> Range:
        """Where the positions of a layer are."""
        return self._range(POSITIONS, *place.positions)

    def places(
        self, place: LayerPlace, data: Buffer, chosen: Ints | None = None
    ) -> tuple[Ints, Ints]:
        """How many positions each posting of a layer has, or each of some, and the positions."""
        return unpack_places(data, place.size, f"positions of the segment {self.name}", chosen)

    def rare_places_range(self, block: Block) -> Range:
        """Where the positions of the rare terms of a block are."""
        return self._range(POSITIONS, *block.rare_places)

    @cached_property
    def ids(self) -> Buffer:
        """The ids of its documents, in order, one behind the other."""
        return self.load(IDS)

    @property
    def has_ids(self) -> bool:
        """Whether the ids were fetched."""
        return "ids" in vars(self) or IDS in self._fetched

    @cached_property
    def versions(self) -> npt.NDArray[np.float64]:
        """When the page of each document was fetched."""
        return read_versions(self.load)

    def id_range(self, document: int) -> Range:
        """Where the id of a document is."""
        return self._range(IDS, ID_BYTES * document, ID_BYTES)

    @cached_property
    def gone(self) -> Bits:
        """Which documents only say that they were removed."""
        count = self.footer.documents
        return read_gone(self.load, count) if self.footer.gone else np.zeros(count, np.bool_)

    @cached_property
    def levels(self) -> npt.NDArray[np.uint8]:
        """The PageRank of its documents when they were indexed."""
        return read_levels(self.load, self.footer.documents)

    @cached_property
    def identities(self) -> Identities:
        """Its documents."""
        return read_identities(self.load, self.footer.documents)

    def column(self, name: str) -> Column | None:
        """A column, if the segment has it."""
        for info in self.footer.columns:
            if info.name == name:
                what = f"the column {name} of the segment {self.name}"
                return read_column(info, self.load, self.footer.documents, what)
        return None

    @property
    def has_vocabulary(self) -> bool:
        """Whether similar words can be found; older segments have no list of grams."""
        return self.has(VOCABULARY)

    def vocabulary(self) -> Vocabulary:
        """Its words as they are written, and their grams."""
        return Vocabulary(self.load(VOCABULARY), f"the vocabulary of the segment {self.name}")

    @cached_property
    def stored_places(self) -> StoredPlaces:
        """In which block each document is stored."""
        return StoredPlaces(self.load(PLACES))

    def stored_range(self, document: int) -> Range:
        """Where the block is that a document is stored in."""
        place = self.stored_places.place(document)
        return self._range(BLOCKS, place.offset, place.size)

    def stored(self, document: int, data: Buffer) -> Stored:
        """A document of a block that was fetched."""
        what = f"the stored documents of the segment {self.name}"
        return unpack_stored(data, what)[self.stored_places.place(document).number]

    def lengths(self) -> Ints:
        """How many words each document has in each text field: a row per document."""
        what = f"the lengths of the segment {self.name}"
        data = decompress(self.load(LENGTHS), what)
        count = self.footer.documents
        if not count:
            return np.zeros((0, 0), np.int64)
        fields = (len(data) - 1) // (data[0] * count)
        return Unpacker(data, what).numbers(count * fields).reshape(count, fields).astype(np.int64)
