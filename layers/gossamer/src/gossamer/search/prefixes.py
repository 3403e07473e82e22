"""The documents with a word that begins so: words lie in order, so this is a stretch of blocks.

Blocks and lists are read many at a time, which is one round where the index is far away, and turned
into documents as arrays. They are not kept in memory: a prefix of one letter reads a tenth of the
index, and would push out what other queries need. The documents are kept, as bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.index.schema import FIRST_POSITION, STRETCH, TITLE
from gossamer.search.budget import AFTER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.index.segments.dictionary import Block, LayerPlace
    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.numbers import Buffer, Ints
    from gossamer.search.budget import Budget
    from gossamer.search.segment_view import SegmentView

    Mask = npt.NDArray[np.bool_]
    Packed = npt.NDArray[np.uint8] | npt.NDArray[np.int64]

TOGETHER = 64  # blocks: 16,000 words


def with_beginning(view: SegmentView, prefix: str, budget: Budget, *, in_title: bool) -> Mask:
    """By document, whether a word of it, as it is written, begins so; raises OverBudget."""
    low, high = AS_WRITTEN + prefix, AS_WRITTEN + prefix + AFTER
    mask = np.zeros(view.documents, np.bool_)
    numbers = view.segment.sparse.blocks_between(low, high)
    read = _in_titles if in_title else _anywhere
    for first in range(0, len(numbers), TOGETHER):
        budget.check()
        for documents in read(view, view.blocks(numbers[first : first + TOGETHER]), low, high):
            budget.check()
            mask[documents] = True
    return mask


def _anywhere(view: SegmentView, blocks: Sequence[Block], low: str, high: str) -> Iterator[Ints]:
    for block in blocks:
        yield block.rare_between(low, high)
    yield from _documents(view, _places(blocks, low, high))


def _places(blocks: Sequence[Block], low: str, high: str) -> list[LayerPlace]:
    """Where the lists of frequent words lie."""
    found = [frequent for block in blocks for frequent in block.frequent_between(low, high)]
    return [place for frequent in found for place in frequent.layers]


def _documents(view: SegmentView, places: Sequence[LayerPlace]) -> Iterator[Ints]:
    """The documents of some layers."""
    known = [view.known_layer(place) for place in places]
    missing = [place for place, layer in zip(places, known, strict=True) if layer is None]
    fetched = _fetched(view, [view.segment.layer_range(place) for place in missing])
    new = (view.segment.layer(*pair).documents for pair in zip(missing, fetched, strict=True))
    for layer in known:
        yield layer.documents if layer is not None else next(new)


def _in_titles(view: SegmentView, blocks: Sequence[Block], low: str, high: str) -> Iterator[Ints]:
    segment = view.segment
    having = [block for block in blocks if len(block.rare_between(low, high))]
    fetched = _fetched(view, [segment.rare_places_range(block) for block in having])
    for block, data in zip(having, fetched, strict=True):
        rows = block.rare_table(data).rows(*block.rare_rows(low, high))
        yield np.repeat(rows.documents, rows.counts())[_are_in_title(rows.positions)]
    places = _places(blocks, low, high)
    fetched = _fetched(view, [segment.places_range(place) for place in places])
    for place, data, documents in zip(places, fetched, _documents(view, places), strict=True):
        counts, positions = segment.places(place, data)
        yield np.repeat(documents, counts)[_are_in_title(positions)]


def _fetched(view: SegmentView, ranges: Sequence[Range]) -> Sequence[Buffer]:
    return view.segment.fetch(ranges) if ranges else ()


def _are_in_title(positions: Ints) -> Mask:
    first = FIRST_POSITION[TITLE]
    inside: Mask = (positions >= first) & (positions < first + STRETCH)
    return inside


def packed(mask: Mask) -> Packed:
    """Documents as numbers or as bits, whichever is smaller."""
    few = np.flatnonzero(mask) if np.count_nonzero(mask) * 64 < len(mask) else None
    return np.packbits(mask) if few is None else few


def unpacked(documents: Packed, count: int) -> Mask:
    """Which documents were packed, of so many in the segment."""
    if documents.dtype == np.int64:
        mask = np.zeros(count, np.bool_)
        mask[documents] = True
        return mask
    return np.unpackbits(documents.astype(np.uint8, copy=False), count=count).view(np.bool_)
