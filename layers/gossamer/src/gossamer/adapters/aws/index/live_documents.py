"""Live ordinals: a pointer from each page to its ordinal, and bitmaps for searches.

The pointer (on the item of the URL) decides; the bitmaps follow it. An ordinal that a pointer
leaves is named on the same item by the same write, and the writer marks it dead. Dead
is for ever: a slower process that was about to set the bit of that ordinal finds it dead, so the
order in which two of them write bits does not matter. If one dies between pointer and bits, its
message comes again, and the next to move the pointer finds in `old` all that may still be alive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.adapters.aws.clients import retrying
from gossamer.adapters.aws.dynamodb.models import SegmentItem, UrlItem
from gossamer.adapters.aws.dynamodb.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gossamer.adapters.aws.clients import Clients
    from gossamer.ports.live_documents import Ordinal

CHUNK = 7168  # ordinals; their bits take 896 bytes, which is one write unit with its key
PREFIX = "live#"


class LiveBits:
    """The bitmaps of a collection."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._segments = Table(clients, stack, SegmentItem)
        self._collection = collection

    def change(self, live: Collection[int], dead: Collection[int]) -> None:
        """Let ordinals live, unless they are dead, and others die for ever.

        The living first: a page may be found twice for a moment, but never not at all.
        """
        for number in _chunks(live):
            self._change(number, _inside(live, number), _inside(dead, number))
        for number in _chunks(dead) - _chunks(live):
            self._change(number, [], _inside(dead, number))

    def _change(self, number: int, live: list[int], dead: list[int]) -> None:
        for _ in retrying(f"changing chunk {number} of the live ordinals"):
            item = self._chunk(number)
            alive, died = _bits(item.body), _bits(item.dead)
            before = alive.copy(), died.copy()
            died[dead] = True
            alive[live] = True
            alive &= ~died
            if np.array_equal(alive, before[0]) and np.array_equal(died, before[1]):
                return
            if self._replace(item, alive, died):
                return

    def _replace(self, item: SegmentItem, alive: Bits, died: Bits) -> bool:
        """Write a chunk unless another writer did meanwhile."""
        version = item.version
        item.version = (version or 0) + 1
        item.body, item.dead = _packed(alive), _packed(died)
        unchanged = (
            SegmentItem.version == version if version else SegmentItem.version.does_not_exist()
        )
        return self._segments.put(item, unchanged).done

    def _chunk(self, number: int) -> SegmentItem:
        key = self._collection, f"{PREFIX}{number:06}"
        return self._segments.get(*key, newest=True) or SegmentItem(*key)

    def dead_among(self, ordinals: Iterable[int]) -> set[int]:
        """Which of these are dead for ever."""
        ordinals = list(ordinals)
        found: set[int] = set()
        for number in _chunks(ordinals):
            died = _bits(self._chunk(number).dead)
            found.update(number * CHUNK + at for at in _inside(ordinals, number) if died[at])
        return found

    def ordinals(self) -> npt.NDArray[np.int64]:
        """All live ordinals, ascending: a megabyte, one request, for eight million."""
        items = self._segments.query(
            self._collection, SegmentItem.sort.startswith(PREFIX), newest=True
        )
        parts = [
            np.flatnonzero(_bits(item.body)) + int(item.sort[len(PREFIX) :]) * CHUNK
            for item in items
        ]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)


Bits = npt.NDArray[np.bool_]


def _bits(packed: bytes | None) -> Bits:
    bits = np.zeros(CHUNK, np.bool_)
    if packed:
        known = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")
        bits[: len(known)] = known
    return bits


def _packed(bits: Bits) -> bytes | None:
    return np.packbits(bits, bitorder="little").tobytes().rstrip(b"\0") or None


def _chunks(ordinals: Iterable[int]) -> set[int]:
    return {ordinal // CHUNK for ordinal in ordinals}


def _inside(ordinals: Iterable[int], number: int) -> list[int]:
    return [ordinal % CHUNK for ordinal in ordinals if ordinal // CHUNK == number]


class Pointers:
    """Which ordinal each page points to."""

    def __init__(self, clients: Clients, stack: str, collection: str, bits: LiveBits) -> None:
        self._clients = clients
        self._urls = Table(clients, stack, UrlItem)
        self._prefix = collection.encode() + b"#"
        self._bits = bits

    def set_live(self, pages: Iterable[Ordinal]) -> None:
        pages = list(pages)
        replaced = self._clients.each(self._point, pages)
        won = [page.ordinal for page, old in zip(pages, replaced, strict=True) if old is not None]
        self._bits.change(won, [ordinal for old in replaced for ordinal in old or ()])

    def remove(self, ids: Iterable[bytes]) -> None:
        left = self._clients.each(self._detach, ids)
        self._bits.change([], [ordinal for old in left for ordinal in old])

    def _point(self, page: Ordinal) -> list[int] | None:
        """Point a page to an ordinal; what it replaced, or None if a newer version is there."""
        to = [UrlItem.ordinal.set(page.ordinal), UrlItem.version.set(page.fetched_at)]
        # A page that was removed comes back by a later version only, not by a late message.
        never = UrlItem.version.does_not_exist() | (UrlItem.version < page.fetched_at)
        free = UrlItem.ordinal.does_not_exist() & never
        done = self._urls.update(self._key(page.id), to, free, "ALL_NEW")
        while not done.done:
            item = done.item
            if item is None:  # expired between the write and the read of why it failed
                done = self._urls.update(self._key(page.id), to, free, "ALL_NEW")
                continue
            if item.ordinal is None or item.version > page.fetched_at:
                return None
            if item.ordinal == page.ordinal:  # our own write, whose answer was lost
                break
            done = self._urls.update(
                self._key(page.id),
                [*to, UrlItem.old.set(self._left(item))],
                UrlItem.ordinal == item.ordinal,
                "ALL_NEW",
            )
        return (done.item.old if done.item else None) or []

    def _detach(self, id: bytes) -> list[int]:
        item = self._urls.get(*self._key(id), newest=True)
        while item is not None and item.ordinal is not None:
            left = self._left(item)
            done = self._urls.update(
                self._key(id),
                [UrlItem.ordinal.remove(), UrlItem.old.set(left)],
                UrlItem.ordinal == item.ordinal,
            )
            if done.done:
                return left
            item = done.item
        return (item.old if item else None) or []

    def _left(self, item: UrlItem) -> list[int]:
        """What a pointer leaves behind; what is known to be dead need not be named any more."""
        old = item.old or []
        dead = self._bits.dead_among(old) if old else set()
        return [*(ordinal for ordinal in old if ordinal not in dead), item.ordinal]

    def _key(self, id: bytes) -> tuple[bytes]:
        return (self._prefix + id,)
