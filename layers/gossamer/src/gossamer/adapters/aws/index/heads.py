"""Heads of frequent terms in DynamoDB, the heaviest first.

An item per term and segment holds the first layer and where the others lie. The index `by_tfidf`
hands the heads of a term out in falling order of their bounds. Which terms of a segment have heads
is kept in a file beside the segment, written before the items: whatever a process that died has
written can be found and deleted.
"""

from __future__ import annotations

from itertools import groupby, islice
from typing import TYPE_CHECKING

import msgspec
import zstandard

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import IndexItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.cost.aws_units import read_units
from gossamer.ports.segments import Head

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.dynamodb.table import Raw
    from gossamer.adapters.aws.index.files import Files

LIST = ".heads"  # what the name of a segment's list of terms ends with
AT_ONCE = 10_000  # heads in memory, about a kilobyte each
_LAYERS = msgspec.msgpack.Decoder(tuple[tuple[int, int, int, int, int, int], ...])


class Heads:
    """The heads of a collection."""

    def __init__(self, clients: Clients, stack: str, collection: str, files: Files) -> None:
        self._clients, self._collection, self._files = clients, collection, files
        self._table = Table(clients, stack, IndexItem)
        self.units = 0.0  # that reading took

    def put(self, heads: Iterable[Head]) -> None:
        """Write heads, the names of their terms first."""
        listed: dict[str, set[str]] = {}
        waiting = iter(heads)
        while some := list(islice(waiting, AT_ONCE)):
            for segment, of_segment in groupby(sorted(some, key=_segment), key=_segment):
                self._list(segment, {head.term for head in of_segment}, listed)
            self._table.write_many(map(self._item, some))

    def _list(self, segment: str, terms: set[str], listed: dict[str, set[str]]) -> None:
        known = listed.setdefault(segment, set())
        if not known:
            known.update(_terms_in(self._files.get(segment + LIST)))
        if not terms <= known:
            known |= terms
            body = "\n".join(sorted(known)).encode()
            self._files.replace(segment + LIST, zstandard.ZstdCompressor().compress(body))

    def _item(self, head: Head) -> IndexItem:
        key = self._key(head.term)
        return IndexItem(
            key,
            head.segment,
            term=key,
            impact=head.layers[0][1],
            df=sum(layer[0] for layer in head.layers),
            layers=msgspec.msgpack.encode(head.layers),
            first=head.first,
        )

    def read(self, terms: Iterable[str]) -> dict[tuple[str, str], Head]:
        """The heads of some terms by term and segment; those of a term by falling bound."""
        found = self._clients.each(self._of_term, dict.fromkeys(terms))
        # About: a row is its head and some bytes more, and a query of the index reads all of them.
        self.units += sum(read_units(sum(map(_size, heads))) for heads in found)
        return {(head.term, head.segment): head for heads in found for head in heads}

    def _of_term(self, term: str) -> list[Head]:
        # May be a moment old: the layer of a head that is missed is read from its segment.
        rows = self._table.query_raw(
            IndexItem.term == self._key(term), index="by_tfidf", backwards=True
        )
        return [_head(term, row) for row in rows if "B" in row.get("n", {})]

    def delete(self, segments: Sequence[str]) -> list[str]:
        """Delete the heads of segments; returns the names of their lists, which are left."""
        lists = self._clients.each(lambda name: self._files.get(name + LIST), segments)
        left = []
        for segment, packed in zip(segments, lists, strict=True):
            if packed is not None:
                gone = [(self._key(term), segment) for term in _terms_in(packed)]
                self._table.write_many(deletes=gone)
                left.append(segment + LIST)
        return left

    def _key(self, term: str) -> str:
        return keys.textual(self._collection, term)


def _size(head: Head) -> int:
    return len(head.first) + 2 * len(head.term) + 30 * len(head.layers) + 100


def _segment(head: Head) -> str:
    return head.segment


def _head(term: str, row: Raw) -> Head:
    return Head(term, row["g"]["S"], _LAYERS.decode(row["n"]["B"]), bytes(row["x"]["B"]))


def _terms_in(packed: bytes | None) -> list[str]:
    if packed is None:
        return []
    return zstandard.ZstdDecompressor().decompress(packed).decode().split("\n")
