"""Divide postings into the items of a segment.

A *delta segment* is what one batch of documents becomes: its terms spread over buckets by hash,
one item per bucket. A *generation* is what compaction writes: terms in many documents get items of
their own, in layers of falling impact; the rest is packed into tail buckets. Both have a dictionary
of the words as they are written, by which prefixes are found.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import zstandard
from xxhash import xxh32_intdigest

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.codec import compress, decompress, pack_positions, pack_postings, unpack
from gossamer.core.index.manifest import Generation, Packed
from gossamer.core.index.postings import AS_WRITTEN, Postings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# 64 buckets for a batch of 100 pages make items of about 2 KB; compaction goes bucket by bucket.
PARTITIONS = 64
# From 256 documents on a term fills an item of its own.
OWN_BLOCK_DF = 256
LAYERS = (128, 512, 2048, 8192)  # postings; the last size repeats
TAIL_BYTES = 4096  # what a tail bucket should take, packed
DICTIONARY_TERMS = 2000  # in one item

Ints = npt.NDArray[np.int64]


def term_hash(term: str) -> int:
    """What decides the bucket of a term."""
    return xxh32_intdigest(term.encode())


def sort_key(segment: int) -> str:
    """Segment numbers that sort as text."""
    return f"{segment:010}"


def delta_key(term: str) -> str:
    """The key of the delta buckets that a term lies in."""
    return f"0#{term_hash(term) % PARTITIONS}"


def tail_key(generation: Generation, term: str) -> str:
    """The key of the tail bucket that a term lies in."""
    return f"b#{generation.number}#{term_hash(term) % generation.buckets}"


def block_key(generation: Generation, term: str) -> str:
    """The key of a term's own blocks."""
    return f"t#{generation.number}#{term}"


def delta_items(table: Postings, segment: int) -> Iterator[Packed]:
    """The items of a delta segment."""
    sort = sort_key(segment)
    for bucket, part in _split(table, PARTITIONS):
        yield Packed(f"0#{bucket}", sort, pack_postings(part), pack_positions(part))
    yield Packed("d#0", sort, _pack_terms(words_of(table.terms)))


def _split(table: Postings, buckets: int) -> Iterator[tuple[int, Postings]]:
    """The table by bucket."""
    if not table.terms:
        return
    hashes = np.array([term_hash(term) for term in table.terms], np.int64) % buckets
    for bucket in np.unique(hashes).tolist():
        yield bucket, select(table, np.flatnonzero(hashes == bucket))


def select(table: Postings, rows: Ints) -> Postings:
    """The postings of some rows of a table, in their order."""
    sizes = np.diff(table.starts)[rows]
    terms = [table.terms[row] for row in rows.tolist()]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return _pick(table, _runs(table.starts[:-1][rows], sizes), terms, starts)


def _runs(begins: Ints, sizes: Ints) -> Ints:
    """begin, begin + 1, … for each run, one after another."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    runs: Ints = np.arange(total) + np.repeat(begins - (ends - sizes), sizes)
    return runs


def generation_items(table: Postings, generation: Generation) -> Iterator[Packed]:
    """The blocks and tail buckets of one partition of a generation."""
    dfs = np.diff(table.starts)
    for row in np.flatnonzero(dfs >= OWN_BLOCK_DF).tolist():
        yield from _blocks(table.rows(row, row + 1), generation)
    tail = select(table, np.flatnonzero(dfs < OWN_BLOCK_DF))
    for bucket, part in _split(tail, generation.buckets):
        key = f"b#{generation.number}#{bucket}"
        yield Packed(key, "0", pack_postings(part), pack_positions(part))


def _blocks(table: Postings, generation: Generation) -> Iterator[Packed]:
    """A term's postings in layers of falling impact; within a layer documents ascend."""
    term, df = table.terms[0], len(table)
    best_first = np.lexsort((table.ordinals, -table.impacts.astype(np.int64)))
    begin = number = 0
    while begin < df:
        size = LAYERS[min(number, len(LAYERS) - 1)]
        chosen = np.sort(best_first[begin : begin + size])
        layer = _pick(table, chosen, table.terms, np.array([0, len(chosen)]))
        yield Packed(
            block_key(generation, term),
            f"{number:04}",
            pack_postings(layer),
            pack_positions(layer),
            df,
            int(layer.impacts.max()),
        )
        begin, number = begin + size, number + 1


def _pick(table: Postings, postings: Ints, terms: list[str], starts: Ints) -> Postings:
    """Some postings of a table, of which those of `terms` begin at `starts`."""
    counts = table.counts()[postings]
    begins = np.concatenate(([0], table.ends))[:-1][postings]
    return Postings(
        terms,
        starts,
        table.ordinals[postings],
        table.impacts[postings],
        np.cumsum(counts),
        table.positions[_runs(begins, counts)],
    )


def dictionary_items(words: Sequence[str], generation: Generation) -> Iterator[Packed]:
    """The words of a generation in order, in items whose sort key is their first word."""
    for begin in range(0, len(words), DICTIONARY_TERMS):
        part = words[begin : begin + DICTIONARY_TERMS]
        yield Packed(f"d#{generation.number}", part[0], _pack_terms(part))


def words_of(terms: Sequence[str]) -> list[str]:
    """The words as written among the terms of a table, in order."""
    return [term[len(AS_WRITTEN) :] for term in terms if term.startswith(AS_WRITTEN)]


def own_blocks_item(terms: Sequence[str], generation: Generation) -> Packed:
    """Which terms have blocks of their own: the next compaction asks."""
    return Packed(f"o#{generation.number}", "0", _pack_terms(terms))


def has_own_blocks(table: Postings) -> list[str]:
    """The terms of a table that are in enough documents."""
    rows = np.flatnonzero(np.diff(table.starts) >= OWN_BLOCK_DF)
    return [table.terms[row] for row in rows.tolist()]


def _pack_terms(terms: Sequence[str]) -> bytes:
    return compress("\n".join(terms).encode())


def terms_in(item: Packed) -> list[str]:
    """The terms of a dictionary item, in order; CorruptRecord names one that is damaged."""
    try:
        text = decompress(item.postings).decode()
    except (zstandard.ZstdError, ValueError) as error:
        raise _damaged(item, error) from error
    return text.split("\n") if text else []


def postings_in(item: Packed, *, positions: bool = True) -> Postings:
    """The table in an item; CorruptRecord names one that is damaged."""
    try:
        return unpack(item.postings, item.positions if positions else b"")
    except CorruptRecord as error:
        raise _damaged(item, error) from error


def _damaged(item: Packed, error: Exception) -> CorruptRecord:
    return CorruptRecord(f"the item {item.key} {item.sort} of the index is damaged: {error}")


def tail_buckets(packed_bytes: int) -> int:
    """How many tail buckets a generation should have: a multiple of the partitions."""
    return PARTITIONS << math.ceil(math.log2(packed_bytes / TAIL_BYTES / PARTITIONS + 1))
