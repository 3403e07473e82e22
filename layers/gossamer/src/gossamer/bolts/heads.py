"""Keep the beginnings of the long lists of a large segment where one read finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.index.segments.reader import Segment
from gossamer.ports.segments import Head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.merger import Fetch


def put_heads(writer: IndexWriter, name: str, size: int, documents: int, fetch: Fetch) -> bool:
    """Keep the heads of a segment if it is large enough; False if it is not."""
    if documents < writer.heads_from:
        return False
    writer.store.put_heads(heads_of(Segment(name, size, fetch)))
    return True


def heads_of(segment: Segment) -> Iterator[Head]:
    """The beginnings of the lists of all frequent terms that queries rank by."""
    for number in range(len(segment.sparse)):
        [data] = segment.fetch([segment.block_range(number)])
        block = segment.block(number, data)
        for term, frequent in zip(block.often_terms, block.frequent(), strict=True):
            if not frequent.layers[0].bound:  # only prefixes ask for these, and read all of them
                continue
            [first] = segment.fetch([segment.layer_range(frequent.layers[0])])
            places = tuple(
                (at.size, at.bound, *at.postings, *at.positions) for at in frequent.layers
            )
            yield Head(term, segment.name, places, bytes(first))
