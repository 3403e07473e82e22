"""Garbage collection: delete generations that no reader uses any more.

Deleting is billed by size, so it is done once and completely: what is given up is noted first, and
deleted by the first compaction that comes a minute later. By then no query reads it any more, and
what a process that died left undone is still noted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.aws.dynamodb.models import IndexItem, SegmentItem, TermsItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.index.large_items import join
from gossamer.core.index.segment import terms_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.dynamodb.table import Raw
    from gossamer.core.index.manifest import Generation

GRACE = 60.0  # seconds that a query may still read what the manifest before named
AT_ONCE = 200  # keys whose items are deleted together
PREFIX = "gone#"


class Generations:
    """The generations of a collection, as far as they are to be deleted."""

    def __init__(
        self, clients: Clients, stack: str, collection: str, clock: Callable[[], float]
    ) -> None:
        self._clients = clients
        self._collection = collection
        self._clock = clock
        self._segments = Table(clients, stack, SegmentItem)
        self._main = Table(clients, stack, IndexItem)
        self._terms = Table(clients, stack, TermsItem)
        self._buckets: dict[int, int] = {}
        self._given_up: set[int] = set()

    def know(self, generations: Iterable[Generation]) -> None:
        """How many tail buckets generations have; their keys cannot be listed otherwise."""
        for generation in generations:
            self._buckets[generation.number] = generation.buckets

    def note(self, key: str) -> None:
        """An item is being put: its generation may have to be deleted unpublished."""
        kind, *rest = key.split("#", 2)
        if kind == "b":
            number, bucket = map(int, rest)
            self._buckets[number] = max(self._buckets.get(number, 0), bucket + 1)

    def give_up(self, number: int) -> None:
        """Note a generation as one to delete, and delete those that were noted before."""
        if number in self._given_up:
            return
        self._given_up.add(number)
        self.purge()
        self._segments.put(
            SegmentItem(
                self._collection,
                f"{PREFIX}{number}",
                at=self._clock(),
                buckets=self._buckets.get(number, 0),
            )
        )

    def purge(self) -> None:
        """Delete the generations that were given up long enough ago."""
        noted = self._segments.query(
            self._collection, SegmentItem.sort.startswith(PREFIX), newest=True
        )
        for item in list(noted):
            if self._clock() - (item.at or 0.0) >= GRACE:
                self._delete(item.sort.removeprefix(PREFIX), item.buckets or 0)
                self._segments.delete(item.key, item.sort)

    def _delete(self, number: str, buckets: int) -> None:
        """The list of terms is deleted last: without it their blocks could not be found."""
        key = f"{self._collection}#{number}"
        terms = join(key, self._terms.query_raw(TermsItem.key == key, newest=True), "s")
        names = [term for item in terms for term in terms_in(item)]
        wanted = [
            *((f"{self._collection}#b#{number}#{bucket}", "") for bucket in range(buckets)),
            *((f"{self._collection}#t#{name}", f"{number}#") for name in names),
            (f"{self._collection}#d#{number}", ""),
        ]
        for begin in range(0, len(wanted), AT_ONCE):
            found = self._clients.each(self._rows, wanted[begin : begin + AT_ONCE])
            self._main.write_many(deletes=[row for rows in found for row in rows])
        rows = self._terms.query_raw(TermsItem.key == key, newest=True)
        self._terms.write_many(deletes=[(key, row["s"]["S"]) for row in rows])

    def _rows(self, wanted: tuple[str, str]) -> list[tuple[str, str]]:
        key, prefix = wanted
        where = IndexItem.sort.startswith(prefix) if prefix else None
        return list(_keys(self._main.query_raw(IndexItem.key == key, where)))


def _keys(rows: Iterable[Raw]) -> Iterator[tuple[str, str]]:
    for row in rows:
        yield row["k"]["S"], row["g"]["S"]
