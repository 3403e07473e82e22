"""One segment as a search sees it: lists of documents by term, columns, stored documents.

A segment never changes, so everything that was read of it stays right for ever, whatever happens to
the manifest. Only which of its documents are live changes; that is no part of a view.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.anchors import NAMED
from gossamer.core.index.segments.dictionary import (
    Frequent,
    Layer,
    LayerPlace,
    Rare,
    split_by_impact,
)
from gossamer.core.index.segments.identities import ID_BYTES, IDS
from gossamer.core.index.segments.stored import Stored
from gossamer.core.index.segments.vocabulary import VOCABULARY
from gossamer.ports.segments import IN_BLOCK
from gossamer.search.budget import UNLIMITED
from gossamer.search.prefixes import packed, unpacked, with_beginning
from gossamer.search.scores.candidates import Scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from gossamer.core.index.segments.columns import Column
    from gossamer.core.index.segments.dictionary import Block, Impacts
    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.name_filter import NameFilter
    from gossamer.core.index.segments.numbers import Buffer, Ints
    from gossamer.core.index.segments.reader import Segment
    from gossamer.core.index.segments.vocabulary import Vocabulary
    from gossamer.ports.segments import Head
    from gossamer.search.budget import Budget
    from gossamer.search.memory import Memory
    from gossamer.search.prefixes import Packed

    Mask = npt.NDArray[np.bool_]

T = TypeVar("T")
POSITION_SHIFT = 25  # a position and a phrase's offset fit below it
FEW_IDS = 400_000  # documents, eight megabytes
# Documents of which at least one has a term: then its impacts are kept for all documents, too. That
# is a byte for each, where a posting takes nine, and a document is looked up in a nanosecond.
SHORT = 32
PER_BLOCK = 40_000  # bytes that an unpacked block takes, about
NONE = np.zeros(0, np.int64)
NOWHERE = IN_BLOCK[:2]  # in the region of postings
NO_LAYER = Layer(NONE, np.zeros(0, np.uint8))


@dataclass(frozen=True, slots=True)
class Begun:
    """A term whose postings are in a block that was not read: a head has the heaviest of them."""

    term: str
    layers: tuple[LayerPlace, ...]
    first: Layer

    @property
    def df(self) -> int:
        """In how many documents the term is."""
        return sum(place.size for place in self.layers)


@dataclass(frozen=True, slots=True)
class TermList:
    """The postings of a term in layers of falling impact; a layer is read when it is asked for."""

    view: SegmentView
    entry: Rare | Frequent | Begun | None

    @property
    def df(self) -> int:
        """In how many documents the term is, dead ones included."""
        return self.entry.df if self.entry else 0

    @property
    def bounds(self) -> list[int]:
        """The highest impact in each layer."""
        if isinstance(self.entry, Frequent | Begun):
            return [place.bound for place in self.entry.layers]
        return [int(self.entry.layer.impacts.max(initial=0))] if self.entry else []

    def layer(self, number: int) -> Layer:
        """A layer."""
        if isinstance(self.entry, Frequent):
            return self.view.layer(self.entry.layers[number])
        if isinstance(self.entry, Begun):
            return self.view.rest(self.entry) if number else self.entry.first
        return self.entry.layer if self.entry else NO_LAYER

    def known(self, number: int) -> Layer | None:
        """A layer, if it was read."""
        if isinstance(self.entry, Frequent):
            return self.view.known_layer(self.entry.layers[number])
        if isinstance(self.entry, Begun) and number:
            return self.view.known_rest(self.entry.term)
        return self.layer(number)

    def is_known(self) -> bool:
        """Whether all layers were read."""
        if isinstance(self.entry, Begun):
            return self.known(len(self.entry.layers) - 1) is not None
        return not isinstance(self.entry, Frequent) or self.view.knows_layers(self.entry.layers)

    def layers(self) -> Iterator[Layer]:
        """All layers."""
        return (self.layer(number) for number in range(len(self.bounds)))

    def by_document(self) -> Impacts | None:
        """The impact in every document, if the term is in so many that this is small."""
        entry = self.entry
        if not isinstance(entry, Frequent) or SHORT * entry.df <= self.view.documents:
            return None
        return self.view.by_document(entry.layers) if entry.layers[0].bound else None


class SegmentView:
    """A segment, and what was read of it."""

    def __init__(self, segment: Segment, memory: Memory) -> None:
        self.segment = segment
        self.name = segment.name
        self.names: NameFilter | None = None  # of the pages, if there is one beside the segment
        self._memory = memory

    @cached_property
    def scratch(self) -> Scratch:
        """Room for scores; a view is used by one query at a time."""
        return Scratch(self.documents)

    @property
    def documents(self) -> int:
        """How many documents the segment has, dead ones included."""
        return self.segment.footer.documents

    def term(self, term: str) -> TermList:
        """The postings of a term."""
        key = self.name, term
        return self._memory.recall(key, lambda: TermList(self, self._find(term)), _entry_bytes)

    def _find(self, term: str) -> Rare | Frequent | None:
        number = self.segment.sparse.block_of(term)
        return None if number is None else self._block(number).find(term)

    def _block(self, number: int) -> Block:
        key = self.name, "block", number

        def read() -> Block:
            [data] = self.segment.fetch([self.segment.block_range(number)])
            return self.segment.block(number, data)

        return self._memory.recall(key, read, lambda _: PER_BLOCK)

    def knows(self, term: str) -> bool:
        """Whether a term was looked up before, and is remembered."""
        return self._memory.get((self.name, term)) is not None

    def learn(self, head: Head) -> None:
        """Take the beginning of a term's list, which was kept elsewhere."""
        places = [
            LayerPlace(size, bound, (a, b), (c, d)) for size, bound, a, b, c, d in head.layers
        ]
        if places[0].postings == NOWHERE:
            first = self.segment.layer(places[0], head.first)
            begun = Begun(head.term, tuple(places), first)
            self._memory.put((self.name, head.term), TermList(self, begun), 500 + 9 * begun.df)
            if head.rest:
                self.learn_rest(head.term, head.rest)
            return
        frequent = Frequent(sum(place.size for place in places), tuple(places))
        self._memory.put((self.name, head.term), TermList(self, frequent), 500)
        self.learn_layer(places[0], head.first)

    def learn_absence(self, term: str) -> bool:
        """Take that no page is called by a name, if the filter says so."""
        if self.names is None or not term.startswith(NAMED) or self.names.may_have(term):
            return False
        self._memory.put((self.name, term), TermList(self, None), 100)
        return True

    def lacks_rest(self, term: str) -> bool:
        """Whether only the first row of a short list was read."""
        return isinstance(self.term(term).entry, Begun) and not self.term(term).is_known()

    def learn_rest(self, term: str, data: Buffer) -> None:
        """Take the second row of a short list."""
        entry = self.term(term).entry
        if isinstance(entry, Begun) and len(entry.layers) > 1:
            layer = self.segment.layer(entry.layers[1], data)
            self._memory.put((self.name, "rest", term), layer, 9 * entry.layers[1].size)

    def known_rest(self, term: str) -> Layer | None:
        """The second row of a short list, if it is in memory."""
        found = self._memory.get((self.name, "rest", term))
        return found if isinstance(found, Layer) else None

    def rest(self, entry: Begun) -> Layer:
        """The second row of a short list; if it was not read, it is made of the block."""

        def make() -> Layer:
            whole = self._find(entry.term)
            if not isinstance(whole, Rare):
                raise CorruptRecord(f"a head of the segment {self.name} is damaged")
            return split_by_impact(whole.layer, entry.layers[0].size)[1]

        key = self.name, "rest", entry.term
        return self._memory.recall(key, make, _layer_bytes)

    def learn_block(self, number: int, data: Buffer) -> None:
        """Take a block that was fetched."""
        key = self.name, "block", number
        self._memory.put(key, self.segment.block(number, data), PER_BLOCK)

    def learn_layer(self, place: LayerPlace, data: Buffer) -> None:
        """Take a layer that was fetched."""
        layer = self.segment.layer(place, data)
        self._memory.put((self.name, "layer", place.postings), layer, 9 * place.size)

    def learner_of_block(self, number: int) -> Callable[[Buffer], None]:
        """What takes a block when it is fetched."""
        return partial(self.learn_block, number)

    def learner_of_layer(self, place: LayerPlace) -> Callable[[Buffer], None]:
        """What takes a layer when it is fetched."""
        return partial(self.learn_layer, place)

    def missing_block(self, term: str) -> int | None:
        """The block to fetch for a term; None if it is known, or if there is none."""
        number = self.segment.sparse.block_of(term)
        known = number is None or self._memory.get((self.name, "block", number)) is not None
        return None if known else number

    def missing_layers(self, term: str, depth: int) -> list[LayerPlace]:
        """The layers to fetch for a term, down to a depth."""
        entry = self.term(term).entry
        places = entry.layers[:depth] if isinstance(entry, Frequent) else ()
        return [p for p in places if self._memory.get((self.name, "layer", p.postings)) is None]

    def missing_column(self, name: str) -> Iterator[tuple[Range, Callable[[Buffer], None]]]:
        """What to fetch for a column, and what takes it."""
        if self._memory.get((self.name, "column", name)) is None:
            for region in self.segment.regions_of(name):
                yield self.segment.region_range(region), partial(self.segment.learn, region)

    def missing_places(self, term: str) -> Iterator[tuple[Range, Callable[[Buffer], None]]]:
        """What to fetch for the positions of a term, and what takes it."""
        entry = self.term(term).entry
        if entry is None:
            return
        if isinstance(entry, Frequent):
            ranges = [self.segment.places_range(place) for place in entry.layers]
        else:
            number = self.segment.sparse.block_of(term)
            ranges = [self.segment.rare_places_range(self._block(number or 0))]
        for place in ranges:
            if self._raw(place) is None:
                yield place, partial(self._learn_raw, place)

    def _raw(self, place: Range) -> Buffer | None:
        found = self._memory.get((self.name, "raw", place))
        return found if isinstance(found, bytes | memoryview) else None

    def _learn_raw(self, place: Range, data: Buffer) -> None:
        self._memory.put((self.name, "raw", place), data, len(data))

    def _fetch(self, ranges: Sequence[Range]) -> list[Buffer]:
        """Bytes that were fetched already are taken from memory."""
        known = {place: self._raw(place) for place in ranges}
        missing = [place for place, data in known.items() if data is None]
        known.update(zip(missing, self.segment.fetch(missing) if missing else (), strict=True))
        return [data for place in ranges if (data := known[place]) is not None]

    def layer(self, place: LayerPlace) -> Layer:
        """A layer of a frequent term."""
        key = self.name, "layer", place.postings
        return self._memory.recall(key, partial(self._read, place), _layer_bytes)

    def _read(self, place: LayerPlace) -> Layer:
        [data] = self.segment.fetch([self.segment.layer_range(place)])
        return self.segment.layer(place, data)

    def knows_layers(self, places: Sequence[LayerPlace]) -> bool:
        """Whether nothing has to be read to look documents up in all these layers of a term."""
        if self._memory.get((self.name, "by document", places[0].postings)) is not None:
            return True
        return all([self.known_layer(place) is not None for place in places])

    def by_document(self, places: Sequence[LayerPlace]) -> Impacts:
        """The impact of a frequent term in every document, 0 where it is not."""
        key = self.name, "by document", places[0].postings

        def read() -> Impacts:
            impacts = np.zeros(self.documents, np.uint8)
            for place in places:  # those that are not kept are not needed any more
                layer = self.known_layer(place) or self._read(place)
                impacts[layer.documents] = layer.impacts
            return impacts

        return self._memory.recall(key, read, lambda impacts: impacts.nbytes)

    def known_layer(self, place: LayerPlace) -> Layer | None:
        """A layer, if it is in memory."""
        found = self._memory.get((self.name, "layer", place.postings))
        return found if isinstance(found, Layer) else None

    def having(self, term: str) -> Mask:
        """Documents by number, whether a term is in them."""
        found = self.term(term)
        impacts = found.by_document()
        if impacts is not None:
            there: Mask = impacts != 0
            return there
        return self.mask(layer.documents for layer in found.layers())

    def mask(self, lists: Iterable[Ints]) -> Mask:
        """Documents by number, whether they are in one of the lists."""
        mask = np.zeros(self.documents, np.bool_)
        for documents in lists:
            mask[documents] = True
        return mask

    def places(self, term: str, among: Mask) -> Ints:
        """Where a term stands in some documents: these and positions in one number, ascending."""
        entry = self.term(term).entry
        if entry is None:
            return NONE
        if not isinstance(entry, Frequent):
            places = self._rare_places(term)
            inside: Ints = places[among[places >> POSITION_SHIFT]]
            return inside
        fetched = self._fetch([self.segment.places_range(p) for p in entry.layers])
        parts = []
        for place, data in zip(entry.layers, fetched, strict=True):
            documents = (self.known_layer(place) or self._read(place)).documents
            chosen = np.flatnonzero(among[documents])
            if len(chosen):
                counts, positions = self.segment.places(place, data, chosen)
                owners = np.repeat(documents[chosen], counts)
                parts.append((owners << POSITION_SHIFT) | positions)
        # Each layer is in order: a stable sort merges them, at a tenth of what another takes.
        return np.sort(np.concatenate([NONE, *parts]), kind="stable")

    def _rare_places(self, term: str) -> Ints:
        number = self.segment.sparse.block_of(term)
        block = self._block(number or 0)
        [data] = self._fetch([self.segment.rare_places_range(block)])
        table = block.rare_table(data)
        entry = block.find(term)
        row = table.rows(entry.row, entry.row + 1) if isinstance(entry, Rare) else table.rows(0, 0)
        return (np.repeat(row.documents, row.counts()) << POSITION_SHIFT) | row.positions

    def beginning(self, prefix: str, budget: Budget = UNLIMITED, *, in_title: bool = False) -> Mask:
        """By document, whether a word of it, as it is written, begins with a prefix."""
        key = "title prefix" if in_title else "prefix", prefix
        return self.kept(key, lambda: with_beginning(self, prefix, budget, in_title=in_title))

    def kept(self, key: tuple[Hashable, ...], find: Callable[[], Mask]) -> Mask:
        """Documents that took long to find, and are kept as bits or numbers."""
        documents: Packed = self._memory.recall(
            (self.name, *key),
            lambda: packed(find()),
            lambda documents: documents.nbytes,
            is_derived=True,
        )
        return unpacked(documents, self.documents)

    def remembered(
        self, key: tuple[Hashable, ...], make: Callable[[], T], size: Callable[[T], int]
    ) -> T:
        """What was made of lists of the segment, as long as there is room for it."""
        return self._memory.recall((self.name, *key), make, size)

    def keeps(self, key: tuple[Hashable, ...]) -> bool:
        """Whether documents were found already."""
        return self._memory.get((self.name, *key)) is not None

    def blocks(self, numbers: Sequence[int]) -> list[Block]:
        """Some blocks; those that are not in memory are read together, and not kept."""
        known = {n: self._memory.get((self.name, "block", n)) for n in numbers}
        missing = [number for number in numbers if known[number] is None]
        fetched = self.segment.fetch([self.segment.block_range(number) for number in missing])
        read = dict(zip(missing, fetched, strict=True))
        return [
            self.segment.block(number, read[number]) if number in read else self._block(number)
            for number in numbers
        ]

    def missing_vocabulary(self) -> Iterator[tuple[Range, Callable[[Buffer], None]]]:
        """What to fetch for the words of the segment, and what takes it."""
        known = self._memory.get((self.name, VOCABULARY)) is not None
        if self.segment.has_vocabulary and not known:
            yield self.segment.region_range(VOCABULARY), self._learn_vocabulary

    def _learn_vocabulary(self, data: Buffer) -> None:
        self.segment.learn(VOCABULARY, data)
        self.vocabulary()

    def vocabulary(self) -> Vocabulary | None:
        """The words of the segment; None if it was written before there was a list of them."""
        if not self.segment.has_vocabulary:
            return None
        key = self.name, VOCABULARY
        return self._memory.recall(key, self.segment.vocabulary, lambda known: known.nbytes)

    def column(self, name: str) -> Column | None:
        """A column."""
        key = self.name, "column", name
        return self._memory.recall(key, lambda: self.segment.column(name), lambda _: 0)

    def missing_id(self, number: int) -> Iterator[tuple[Range, Callable[[Buffer], None]]]:
        """What to fetch for the id of a document, and what takes it.

        Ids of a small segment are read together and checked, those of a large one singly.
        """
        if self._memory.get((self.name, "id", number)) is not None or self.segment.has_ids:
            return
        if self.documents > FEW_IDS:
            yield self.segment.id_range(number), partial(self._learn_id, number)
        else:
            yield self.segment.region_range(IDS), partial(self.segment.learn, IDS)

    def _learn_id(self, number: int, data: Buffer) -> None:
        self._memory.put((self.name, "id", number), bytes(data), len(data))

    def id(self, number: int) -> bytes:
        """The id of a document."""
        found = self._memory.get((self.name, "id", number))
        if isinstance(found, bytes):
            return found
        return bytes(self.segment.ids[number * ID_BYTES : (number + 1) * ID_BYTES])

    def version(self, number: int) -> float:
        """When the page of a document was fetched."""
        return float(self.segment.versions[number])

    def known_document(self, number: int) -> Stored | None:
        """A document as it is shown, if it was read before."""
        found = self._memory.get((self.name, "stored", number))
        return found if isinstance(found, Stored) else None

    def learn_document(self, number: int, data: Buffer) -> Stored:
        """Take a document of a block that was fetched."""
        return self.keep_document(number, self.segment.stored(number, data))

    def keep_document(self, number: int, document: Stored) -> Stored:
        """Remember a document as it is shown."""
        self._memory.put((self.name, "stored", number), document, 2 * len(document.text))
        return document


def _layer_bytes(layer: Layer) -> int:
    return 9 * len(layer.documents)


def _entry_bytes(found: TermList) -> int:
    return 500 if isinstance(found.entry, Frequent) else 9 * found.df
