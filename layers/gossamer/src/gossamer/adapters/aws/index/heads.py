"""Heads of frequent terms in DynamoDB, the heaviest first.

A row per term and segment holds the first layer and where the others lie; of a short list a second
row holds the rest. The index `by_tfidf` hands the rows of a term out by falling bound, and reading
ends when every segment that is searched was met: what is left is lighter. Which rows a segment has
is kept in a file beside the segment, written before them: whatever a process that died has written
can be found and deleted.
"""

from __future__ import annotations

from itertools import groupby, islice
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import zstandard
from msgspec.structs import replace

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import IndexItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.cost.aws_units import read_units
from gossamer.ports.segments import IN_BLOCK, Head

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.dynamodb.table import Raw
    from gossamer.adapters.aws.index.files import Files

LIST = ".heads"  # what the name of a segment's list of terms ends with
REST = "+"  # what the sort key of a second row ends with, after the name of its segment
WITH_REST = "\t"  # what a line of the list ends with if there is a second row
AT_ONCE = 10_000  # heads in memory, about a kilobyte each
Key: TypeAlias = tuple[str, str]  # a term and a segment, or the sort key of a row
Places: TypeAlias = tuple[tuple[int, int, int, int, int, int], ...]
_LAYERS = msgspec.msgpack.Decoder(Places)
_SHORT, _SHORT_ROW = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(tuple[Places, bytes])


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
                self._list(segment, {_line(head) for head in of_segment}, listed)
            rests = (self._rest(head) for head in some if head.rest)
            self._table.write_many([*map(self._item, some), *rests])

    def _list(self, segment: str, lines: set[str], listed: dict[str, set[str]]) -> None:
        known = listed.setdefault(segment, set())
        if not known:
            known.update(_lines_in(self._files.get(segment + LIST)))
        if not lines <= known:
            known |= lines
            body = "\n".join(sorted(known)).encode()
            self._files.replace(segment + LIST, zstandard.ZstdCompressor().compress(body))

    def _item(self, head: Head) -> IndexItem:
        key = self._key(head.term)
        is_short = head.layers[0][2:] == IN_BLOCK
        return IndexItem(
            key,
            head.segment,
            term=key,
            impact=head.layers[0][1],
            df=sum(layer[0] for layer in head.layers),
            # Programs before 1.1 know no short lists; they read rows with this attribute.
            layers=None if is_short else msgspec.msgpack.encode(head.layers),
            first=_SHORT.encode((head.layers, head.first)) if is_short else head.first,
        )

    def _rest(self, head: Head) -> IndexItem:
        key, bound = self._key(head.term), head.layers[1][1]
        return IndexItem(key, head.segment + REST, term=key, impact=bound, first=head.rest)

    def read(
        self, terms: Iterable[str], segments: Iterable[str], *, are_all: bool
    ) -> dict[Key, Head]:
        """Return the heads of some terms in some segments; those of a term by falling bound."""
        rows = self._read([(t, s) for t in dict.fromkeys(terms) for s in segments], are_all)
        heads = [_head(term, row) for (term, s), row in rows.items() if not s.endswith(REST)]
        heads.sort(key=lambda head: -head.layers[0][1])
        rests = {key: bytes(row["x"]["B"]) for key, row in rows.items()}
        return {
            (h.term, h.segment): replace(h, rest=rests.get((h.term, h.segment + REST), b""))
            for h in heads
        }

    def read_rests(self, keys: Iterable[Key], *, are_all: bool) -> dict[Key, bytes]:
        """Return the second rows of some heads."""
        rows = self._read([(term, segment + REST) for term, segment in keys], are_all)
        return {
            (term, sort.removesuffix(REST)): bytes(row["x"]["B"])
            for (term, sort), row in rows.items()
            if sort.endswith(REST)
        }

    def _read(self, keys: Sequence[Key], are_all: bool) -> dict[Key, Raw]:
        """Return rows by term and sort key: these, and lighter ones that came with them."""
        if not are_all:
            return self._rows(keys)
        wanted: dict[str, set[str]] = {}
        for term, sort in keys:
            wanted.setdefault(term, set()).add(sort)
        read = self._clients.each(lambda each: self._heaviest(*each), wanted.items())
        found: dict[Key, Raw] = {}
        for term, rows in zip(wanted, read, strict=True):
            # About: a row is its head and some bytes more.
            self.units += read_units(sum(_size(term, row) for row in rows.values()))
            found |= {(term, sort): row for sort, row in rows.items()}
        return found

    def _heaviest(self, term: str, sorts: set[str]) -> dict[str, Raw]:
        """Return the rows of a term by falling bound, until those that are wanted were met.

        A page has as many rows as are wanted: mostly these. The index may be a moment old: what is
        missed is read from its segment.
        """
        key, most = IndexItem.term == self._key(term), len(sorts)
        rows = self._table.query_raw(key, index="by_tfidf", backwards=True, limit=most)
        segments = sorts | {sort.removesuffix(REST) for sort in sorts}
        found: dict[str, Raw] = {}
        for row in rows:
            sort = row["g"]["S"]
            if sort.removesuffix(REST) in segments:
                found[sort] = row
            if sorts <= found.keys():
                break
        return found

    def _rows(self, keys: Sequence[Key]) -> dict[Key, Raw]:
        """Return rows by term and sort key, whatever else there is of these terms."""
        named = {self._table.name_of(self._raw_key(*key)): key for key in keys}
        found = self._table.raw_by_key(self._raw_key(*key) for key in keys)
        self.units += sum(read_units(_size(named[name][0], row)) for name, row in found.items())
        self.units += read_units(0) * (len(named) - len(found))
        return {named[name]: row for name, row in found.items()}

    def _raw_key(self, term: str, sort: str) -> Raw:
        return {"k": {"S": self._key(term)}, "g": {"S": sort}}

    def delete(self, segments: Sequence[str]) -> list[str]:
        """Delete the heads of segments; returns the names of their lists, which are left."""
        lists = self._clients.each(lambda name: self._files.get(name + LIST), segments)
        left = []
        for segment, packed in zip(segments, lists, strict=True):
            if packed is not None:
                self._table.write_many(deletes=self._keys(segment, _lines_in(packed)))
                left.append(segment + LIST)
        return left

    def _keys(self, segment: str, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Return the keys of the rows that a list names."""
        for line in lines:
            term = line.removesuffix(WITH_REST)
            yield self._key(term), segment
            if line != term:
                yield self._key(term), segment + REST

    def _key(self, term: str) -> str:
        return keys.textual(self._collection, term)


def _size(term: str, row: Raw) -> int:
    """Return about how many bytes a row has."""
    return sum(len(row[name]["B"]) for name in ("x", "n") if "B" in row.get(name, {})) + (
        2 * len(term) + 100
    )


def _line(head: Head) -> str:
    return head.term + WITH_REST if head.rest else head.term


def _segment(head: Head) -> str:
    return head.segment


def _head(term: str, row: Raw) -> Head:
    segment, body = row["g"]["S"], bytes(row["x"]["B"])
    if "n" not in row:
        return Head(term, segment, *_SHORT_ROW.decode(body))
    return Head(term, segment, _LAYERS.decode(row["n"]["B"]), body)


def _lines_in(packed: bytes | None) -> list[str]:
    if packed is None:
        return []
    return zstandard.ZstdDecompressor().decompress(packed).decode().split("\n")
