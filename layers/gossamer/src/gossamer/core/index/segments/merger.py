"""Merge segments into one, without their dead documents, in bounded memory.

Terms are read in order, some blocks of each segment at a time: what is known of all terms up to the
smallest last term that was read can be merged and written. So memory depends on how much is read at
once, and on the longest list, not on the size of the segments.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.index.segments.identities import ID_BYTES, concatenated
from gossamer.core.index.segments.merged_columns import merged_columns
from gossamer.core.index.segments.numbers import Ints, decompress, starts_of
from gossamer.core.index.segments.parts import Part, joined_parts
from gossamer.core.index.segments.stored import StoredBlock, unpack_raw
from gossamer.core.index.segments.table import Postings, merge
from gossamer.core.index.segments.writer import Documents
from gossamer.core.index.suggestions.region import SUGGESTIONS, EntryRegion, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import msgspec

    from gossamer.core.index.segments.dictionary import Block, Frequent
    from gossamer.core.index.segments.identities import Identities
    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.numbers import Buffer
    from gossamer.core.index.segments.reader import Segment
    from gossamer.core.index.suggestions.entries import Entries

    Fetch = Callable[[Sequence[Range]], Sequence[Buffer]]

AT_ONCE = 1_500_000  # bytes of all segments that are read together
DEAD = -1
PAGE_BYTES = 16  # of an id: which page a document is of


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A segment to merge; `live` by document; `levels` are the present ranks."""

    segment: Segment
    live: npt.NDArray[np.bool_]
    levels: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """How documents are numbered after a merge."""

    numbers: list[Ints]  # by source and document; DEAD for what is left out
    owners: Ints  # by new number: the source
    places: Ints  # by new number: the document in it

    def __len__(self) -> int:
        return len(self.owners)


def order_of(sources: Sequence[Source], forget_gone_before: float) -> Order:
    """Number the live documents of all sources by id.

    A document that is gone is kept as long as an older version of it may still arrive. Each id is
    there once: of a document that has come back only the version that lives.
    """
    kept = [_kept(source, forget_gone_before) for source in sources]
    known = concatenated(
        [s.segment.identities.select(k) for s, k in zip(sources, kept, strict=True)]
    )
    owners = np.repeat(np.arange(len(sources)), [len(each) for each in kept])
    places = np.concatenate(kept)
    by_id = _by_id(known)
    owners, places = owners[by_id], places[by_id]
    numbers = []
    for number, source in enumerate(sources):
        new = np.full(len(source.segment.identities), DEAD, np.int64)
        ours = np.flatnonzero(owners == number)
        new[places[ours]] = ours
        numbers.append(new)
    return Order(numbers, owners, places)


def _kept(source: Source, forget_gone_before: float) -> Ints:
    known = source.segment.identities
    return np.flatnonzero(source.live | (known.gone & (known.versions >= forget_gone_before)))


def _by_id(known: Identities) -> Ints:
    """The order of ids, each once; three numbers sort ten times faster than strings do.

    A removal has the id of what was removed. If that came back, only the document is kept, and of
    several removals the newest.
    """
    ids = np.ascontiguousarray(known.ids)
    octets = ids.view(np.uint8).reshape(len(ids), ID_BYTES)
    high = octets[:, :8].copy().view(">u8").reshape(-1).astype(np.uint64)
    low = octets[:, 8:16].copy().view(">u8").reshape(-1).astype(np.uint64)
    part = octets[:, 16:].copy().view(">u4").reshape(-1).astype(np.uint32)
    if not known.gone.any():
        return np.lexsort((part, low, high))
    order = np.lexsort((-known.versions, known.gone, part, low, high))
    ordered = ids[order]
    first = np.ones(len(ids), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return order[first]


def newest_pages(sources: Sequence[Source]) -> list[Source]:
    """The sources with one version of each page alive: the newest, of equal ones the last.

    All documents of a version are in one source.
    """
    counts = [len(source.segment.identities) for source in sources]
    known = concatenated([source.segment.identities for source in sources])
    owners = np.repeat(np.arange(len(sources)), counts)
    octets = np.ascontiguousarray(known.ids).view(np.uint8).reshape(len(owners), ID_BYTES)
    _, page = np.unique(octets[:, :PAGE_BYTES], axis=0, return_inverse=True)
    order = np.lexsort((owners, known.versions, page))
    last = np.append(page[order][1:] != page[order][:-1], True)
    winner = np.zeros(len(order), np.int64)
    winner[page[order][last]] = owners[order][last]
    lives = np.split(winner[page] == owners, np.cumsum(counts)[:-1])
    return [replace(s, live=s.live & live) for s, live in zip(sources, lives, strict=True)]


def merged_terms(
    sources: Sequence[Source], order: Order, fetch: Fetch, low: str = "", high: str = ""
) -> Iterator[Postings]:
    """All terms from `low` up to `high`, in ascending order, table by table."""
    if any(source.segment.is_part for source in sources):
        both = zip(sources, order.numbers, strict=True)
        yield from joined_parts([Part(s.segment, numbers, low, high) for s, numbers in both])
        return
    most = AT_ONCE // max(1, len(sources))
    streams = [
        _Terms(source.segment, numbers, fetch, low, high, most)
        for source, numbers in zip(sources, order.numbers, strict=True)
    ]
    while open_streams := [stream for stream in streams if stream.more()]:
        until = min(stream.last for stream in open_streams)
        table = merge([part for stream in open_streams for part in stream.take(until)])
        if table.terms:
            yield table


def term_cuts(segment: Segment, count: int) -> list[str]:
    """Terms that cut a segment into so many pieces of about one size."""
    if segment.is_part:
        part = Part(segment, np.zeros(0, np.int64))
        names, ends = part.terms, part.sizes()
    else:
        sparse = segment.sparse
        names, ends = sparse.first_terms, (sparse.terms + sparse.postings + sparse.positions)[1:]
    wanted = [int(ends[-1]) * piece // count for piece in range(1, count)] if len(ends) else []
    return [names[int(np.searchsorted(ends, place))] for place in wanted]


def term_edges(segments: Sequence[Segment], width: int) -> list[str]:
    """Terms that cut the largest segment into parts of about one size; "" is an open end."""
    largest = max(segments, key=attrgetter("footer.postings"))
    return ["", *sorted(set(term_cuts(largest, width)) - {""}), ""]


class _Terms:
    """The terms of one segment in order, with the new numbers of their documents."""

    def __init__(
        self, segment: Segment, numbers: Ints, fetch: Fetch, low: str, high: str, most: int
    ) -> None:
        self._segment, self._numbers, self._fetch = segment, numbers, fetch
        self._low, self._high, self._most = low, high, most
        blocks = segment.sparse.blocks_between(low, high) if high else range(len(segment.sparse))
        self._blocks = iter(
            blocks if high or not low else blocks[segment.sparse.block_of(low) or 0 :]
        )
        self._waiting: list[Postings] = []
        self.last = ""

    def more(self) -> bool:
        """Whether there are terms left; reads some if none are waiting."""
        while not self._waiting:
            numbers = self._next()
            if not numbers:
                return False
            self._read(numbers)
        return True

    def _next(self) -> list[int]:
        """Blocks that are read together: so many that they have enough postings."""
        sparse, found, size = self._segment.sparse, [], 0
        for number in self._blocks:
            found.append(number)
            ends = sparse.terms[number + 1], sparse.postings[number + 1]
            begins = sparse.terms[number], sparse.postings[number]
            size += int(sum(ends) - sum(begins))
            if size > self._most:
                break
        return found

    def _read(self, numbers: list[int]) -> None:
        segment = self._segment
        fetched = self._fetch([segment.block_range(number) for number in numbers])
        blocks = [segment.block(n, data) for n, data in zip(numbers, fetched, strict=True)]
        places = self._fetch([segment.rare_places_range(block) for block in blocks])
        for block, data in zip(blocks, places, strict=True):
            for table in (block.rare_table(data), *self._frequent(block)):
                ours = self._inside(_renumbered(table, self._numbers))
                if ours.terms:
                    self._waiting.append(ours)
        self.last = max((table.terms[-1] for table in self._waiting), default="")

    def _frequent(self, block: Block) -> list[Postings]:
        """Frequent terms; their documents are in the order of layers, which merging mends."""
        found = zip(block.often_terms, block.frequent(), strict=True)
        return [self._list(term, frequent) for term, frequent in found]

    def _list(self, term: str, frequent: Frequent) -> Postings:
        segment, layers = self._segment, frequent.layers
        postings = self._fetch([segment.layer_range(layer) for layer in layers])
        places = self._fetch([segment.places_range(layer) for layer in layers])
        parts = [segment.layer(*each) for each in zip(layers, postings, strict=True)]
        counted = [segment.places(*each) for each in zip(layers, places, strict=True)]
        return Postings(
            [term],
            np.array([0, frequent.df]),
            np.concatenate([part.documents for part in parts]),
            np.concatenate([part.impacts for part in parts]),
            np.cumsum(np.concatenate([count for count, _ in counted])),
            np.concatenate([positions for _, positions in counted]),
        )

    def _inside(self, table: Postings) -> Postings:
        if not table.terms or (self._low <= table.terms[0] and not self._high):
            return table
        first = bisect_left(table.terms, self._low) if self._low else 0
        last = bisect_left(table.terms, self._high) if self._high else len(table.terms)
        return table.rows(first, max(first, last))

    def take(self, until: str) -> list[Postings]:
        """The waiting terms up to and with `until`."""
        taken, left = [], []
        for table in self._waiting:
            if table.terms[-1] <= until:
                taken.append(table)
            elif table.terms[0] > until:
                left.append(table)
            else:
                end = bisect_right(table.terms, until)
                taken.append(table.rows(0, end))
                left.append(table.rows(end, len(table.terms)))
        self._waiting = left
        return taken


def _renumbered(table: Postings, numbers: Ints) -> Postings:
    """With new numbers, which ascend as the old ones do, and without dead documents."""
    documents = numbers[table.documents]
    alive = documents != DEAD
    if alive.all():
        return replace(table, documents=documents)
    kept = np.flatnonzero(alive)
    sizes = np.diff(np.searchsorted(kept, table.starts))
    left = table.pick(kept, table.terms, starts_of(sizes))
    rows = np.flatnonzero(sizes)
    return Postings(
        [table.terms[row] for row in rows.tolist()],
        starts_of(sizes[rows]),
        documents[kept],
        left.impacts,
        left.ends,
        left.positions,
    )


def merged_documents(sources: Sequence[Source], order: Order, fetch: Fetch) -> Documents:
    """Everything but the postings."""
    known = concatenated([source.segment.identities for source in sources])
    begins = starts_of(np.array([len(source.segment.identities) for source in sources]))
    chosen = begins[order.owners] + order.places
    levels = np.concatenate([source.levels for source in sources])[chosen]
    identities = replace(known.select(chosen), levels=levels)
    lengths = _together([source.segment.lengths() for source in sources])[chosen]
    segments = [source.segment for source in sources]
    columns = list(merged_columns(segments, order.owners, order.places))
    stored = merged_stored(sources, order, fetch)
    suggestions = merged(_suggestions(sources, order), levels)
    return Documents(identities, stored, lengths, packed_columns=columns, suggestions=suggestions)


def _suggestions(sources: Sequence[Source], order: Order) -> Iterator[tuple[Entries, Ints]]:
    """What is suggested in each source; segments of older programs have nothing."""
    for source, numbers in zip(sources, order.numbers, strict=True):
        if source.segment.has(SUGGESTIONS):
            what = f"the region {SUGGESTIONS} of the segment {source.segment.name}"
            region = EntryRegion(source.segment.load(SUGGESTIONS), what)
            yield region.entries(), numbers


def _together(parts: list[Ints]) -> Ints:
    width = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in parts])


def merged_stored(
    sources: Sequence[Source],
    order: Order,
    fetch: Fetch,
    first: int = 0,
    end: int | None = None,
) -> Iterator[msgspec.Raw | StoredBlock]:
    """What is stored of the documents from `first` up to `end`; sources are read front to back.

    A block whose documents stay together is copied as it is.
    """
    readers = [_StoredIn(source.segment, fetch) for source in sources]
    owners, places = order.owners[first:end].tolist(), order.places[first:end].tolist()
    at = 0
    while at < len(owners):
        reader, place = readers[owners[at]], places[at]
        size = reader.block_at(place)
        last = at + size - 1
        # Documents of a source keep their order: if as many of it follow each other as the block
        # has, and the last is its last, they are the block. In place of one that died another
        # source may have a newer version, so all are looked at.
        if (
            size
            and last < len(owners)
            and places[last] == place + size - 1
            and owners[at : last + 1].count(owners[at]) == size
        ):
            yield StoredBlock(size, reader.packed(place))
            at += size
        else:
            yield reader.document(place)
            at += 1


class _StoredIn:
    """What is stored in a segment, read front to back."""

    def __init__(self, segment: Segment, fetch: Fetch) -> None:
        self._segment, self._fetch = segment, fetch
        self._what = f"the stored documents of the segment {segment.name}"
        self._where: Range | None = None
        self._known: list[msgspec.Raw] = []

    def block_at(self, document: int) -> int:
        return self._segment.stored_places.block_at(document)

    def packed(self, document: int) -> bytes:
        packed = bytes(self._fetch([self._segment.stored_range(document)])[0])
        decompress(packed, self._what)  # a damaged block must not get a new checksum
        return packed

    def document(self, document: int) -> msgspec.Raw:
        where = self._segment.stored_range(document)
        if where != self._where:
            self._where, self._known = where, unpack_raw(self._fetch([where])[0], self._what)
        return self._known[self._segment.stored_places.place(document).number]
