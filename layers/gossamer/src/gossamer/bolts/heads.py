"""Keep the beginnings of a segment's most frequent lists where a query finds them without S3."""

from __future__ import annotations

import heapq
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.index.anchors import NAMED
from gossamer.core.index.segments.dictionary import Frequent, pack_postings, split_by_impact
from gossamer.core.index.segments.name_filter import pack_names
from gossamer.core.index.segments.reader import Segment
from gossamer.ports.segments import IN_BLOCK, Head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.dictionary import Block, Layer, Rare
    from gossamer.core.index.segments.manifest import SideFile
    from gossamer.core.index.segments.merger import Fetch

# Terms of a segment that get heads, and documents for each of them in a small segment. A row is
# written and deleted at two units each, $0.10 a million pages in all (docs/decisions/0128).
MAX_HEADS, DOCUMENTS_PER_HEAD = 2_000, 4
LEAST_DOCUMENTS = 8  # with a term that gets a head
# Postings of a list of fewer than 256 documents that its first row has. Two pages of results are
# chosen from half of them.
FIRST_POSTINGS = 64
MAIN_SHARE = 0.5  # of all documents that can be found; a segment with so many gets heads


class KeptHeads(NamedTuple):
    """What is kept apart of a segment."""

    has_heads: bool
    names: SideFile | None


NO_HEADS = KeptHeads(False, None)


def put_heads(
    writer: IndexWriter, name: str, size: int, documents: int, fetch: Fetch, live: int = 0
) -> KeptHeads:
    """Keep the heads of a segment if it is large, or most of an index of `live` documents.

    A home whose files are as near keeps none; there, large segments are only marked.
    """
    if not writer.store.is_far:
        return KeptHeads(documents >= writer.heads_from, None)
    is_large = documents >= writer.heads_from
    if not is_large and (documents < MAIN_SHARE * live or not live):
        return NO_HEADS
    segment = Segment(name, size, fetch)
    most = MAX_HEADS if is_large else min(MAX_HEADS, documents // DOCUMENTS_PER_HEAD)
    writer.store.put_heads(heads_of(segment, most))
    return KeptHeads(True, writer.put_side(pack_names(_names(segment))))


def heads_of(segment: Segment, most: int = MAX_HEADS) -> Iterator[Head]:
    """Return the beginnings of the longest lists that queries rank by."""
    for term, entry in _most_frequent(segment, most):
        if isinstance(entry, Frequent):
            [first] = segment.fetch([segment.layer_range(entry.layers[0])])
            places = tuple((p.size, p.bound, *p.postings, *p.positions) for p in entry.layers)
            yield Head(term, segment.name, places, bytes(first))
        else:
            yield _head_of_short(term, segment.name, entry.layer)


def _most_frequent(segment: Segment, most: int) -> list[tuple[str, Rare | Frequent]]:
    """Return the terms in most documents in the order of terms; of equals the first ones.

    Those without impacts are left out: only prefixes ask for them, and read all of them.
    """
    chosen: list[tuple[str, Rare | Frequent]] = heapq.nsmallest(most, _long(segment), key=_order)
    if len(chosen) < most:
        chosen += heapq.nsmallest(most - len(chosen), _short(segment), key=_order)
    return sorted(chosen, key=itemgetter(0))


def _order(entry: tuple[str, Rare | Frequent]) -> tuple[int, str]:
    return -entry[1].df, entry[0]


def _long(segment: Segment) -> Iterator[tuple[str, Frequent]]:
    for block in _blocks(segment, range(len(segment.sparse))):
        entries = zip(block.often_terms, block.frequent(), strict=True)
        yield from (entry for entry in entries if entry[1].layers[0].bound)


def _short(segment: Segment) -> Iterator[tuple[str, Rare]]:
    for block in _blocks(segment, range(len(segment.sparse))):
        yield from (row for row in block.rare(LEAST_DOCUMENTS) if row[1].layer.impacts.any())


def _head_of_short(term: str, segment: str, whole: Layer) -> Head:
    """Return a list whose postings are in its block in two rows, the heaviest first."""
    rows = split_by_impact(whole, FIRST_POSTINGS)
    places = tuple((len(row.documents), int(row.impacts.max()), *IN_BLOCK) for row in rows)
    packed = [pack_postings(row) for row in rows]
    return Head(term, segment, places, *packed)


def _names(segment: Segment) -> Iterator[str]:
    """Return the names of pages, which are neighbours in the dictionary."""
    end = chr(ord(NAMED) + 1)
    for block in _blocks(segment, segment.sparse.blocks_between(NAMED, end)):
        names = (*block.rare_terms, *block.often_terms)
        yield from (term for term in names if term.startswith(NAMED))


def _blocks(segment: Segment, numbers: range) -> Iterator[Block]:
    for number in numbers:
        [data] = segment.fetch([segment.block_range(number)])
        yield segment.block(number, data)
