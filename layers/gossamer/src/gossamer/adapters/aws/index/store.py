"""IndexStore over DynamoDB: packed items, a manifest, and the ordinals that are live.

What is put is found by who reads the manifest that names it. Reads for a query are eventually
consistent at half the price, except in the first seconds after a publication; reads with positions
(compaction, phrases) are always consistent, because what a compaction misses is lost.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import zstandard

from gossamer.adapters.aws.counters import DynamoCounters
from gossamer.adapters.aws.dynamodb.models import DocumentItem, RankItem, SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.index.items import Items
from gossamer.adapters.aws.index.live_documents import LiveBits, Pointers
from gossamer.core.ids import DocumentId
from gossamer.core.index.manifest import Manifest
from gossamer.ports.live_documents import Ordinal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.core.index.manifest import Packed

SETTLED = 10.0  # seconds after which eventually consistent reads have seen a write
MANIFEST = "manifest"
PLAIN = 900  # bytes; a longer manifest is worth compressing, to stay within a write unit
RANKS_PER_ITEM = 32_768
_ZSTD = b"\x28\xb5\x2f\xfd"


class AwsIndexStore:
    """The index of a collection."""

    def __init__(
        self, clients: Clients, stack: str, collection: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._clients = clients
        self._collection = collection
        self._clock = clock
        self._segments = Table(clients, stack, SegmentItem)
        self._counters = DynamoCounters(clients, stack, collection)
        self._documents = Table(clients, stack, DocumentItem)
        self._ranked = Table(clients, stack, RankItem)
        self._bits = LiveBits(clients, stack, collection)
        self._pointers = Pointers(clients, stack, collection, self._bits)
        self._items = Items(clients, stack, collection, clock)
        self._version = -1  # of the manifest that was read last
        self._live = (-1, np.zeros(0, np.int64))  # and which version of the manifest that was at
        self._ranks: tuple[int, bytes] = (-1, b"")

    def manifest(self) -> Manifest:
        return self._manifest()[0]

    def _manifest(self) -> tuple[Manifest, int]:
        """The manifest, and how often ranks were written."""
        item = self._segments.get(self._collection, MANIFEST, newest=True)
        if item is None:
            self._version = 0
            return Manifest(), 0
        body = _plain(item.body) if item.body else b"{}"
        manifest = msgspec.json.decode(body, type=Manifest)
        manifest = msgspec.structs.replace(manifest, version=item.version)
        self._version = manifest.version
        self._items.know(manifest, settled=self._clock() - (item.at or 0.0) > SETTLED)
        return manifest, item.ranks or 0

    def publish(self, manifest: Manifest) -> bool:
        before = manifest.version - 1
        done = self._segments.update(
            (self._collection, MANIFEST),
            [
                SegmentItem.body.set(_packed(msgspec.json.encode(manifest))),
                SegmentItem.version.set(manifest.version),
                SegmentItem.at.set(self._clock()),
            ],
            SegmentItem.version == before if before else SegmentItem.version.does_not_exist(),
        )
        return done.done

    def _renew(self, *, ranks: bool = False) -> None:
        """Raise the manifest's version, so that readers drop what they cached."""
        actions = [SegmentItem.version.add(1)]
        if ranks:
            actions.append(SegmentItem.ranks.add(1))
        self._segments.update((self._collection, MANIFEST), actions)

    def put(self, items: Iterable[Packed]) -> None:
        self._items.put(items)

    def get(
        self, key: str, sorts: Sequence[str] | None = None, *, positions: bool = True
    ) -> list[Packed]:
        return self._items.get(key, sorts, positions=positions)

    def dictionary(self, key: str, prefix: str) -> list[Packed]:
        return self._items.dictionary(key, prefix)

    def drop(self, key: str, sort: str | None = None) -> None:
        self._items.drop(key)

    def lease_ordinals(self, count: int) -> int:
        return self._counters.lease_ordinals(count)

    def set_live(self, ordinals: Sequence[Ordinal]) -> None:
        if not ordinals:
            return
        self._documents.write_many(
            DocumentItem(
                self._ordinal_key(page.ordinal),
                id=page.id,
                url=page.url,
                fetched_at=page.fetched_at,
                language=page.language or None,
                anchors=page.anchors or None,
                cluster=page.cluster or None,
            )
            for page in ordinals
        )
        self._pointers.set_live(ordinals)
        self._renew()

    def remove(self, ids: Sequence[bytes]) -> None:
        self._pointers.remove(ids)
        self._renew()

    def put_ranks(self, ranks: bytes) -> None:
        chunks = range(0, len(ranks), RANKS_PER_ITEM)
        there = [item.chunk for item in self._ranked.query(self._collection)]
        self._ranked.write_many(
            (
                RankItem(self._collection, number, body=ranks[i : i + RANKS_PER_ITEM])
                for number, i in enumerate(chunks)
            ),
            [(self._collection, number) for number in there if number >= len(chunks)],
        )
        self._renew(ranks=True)

    def ranks(self) -> bytes:
        written = self._manifest()[1]
        if self._ranks[0] != written:
            found = self._ranked.query(self._collection, newest=True)
            self._ranks = written, b"".join(item.body or b"" for item in found)
        return self._ranks[1]

    def live(self) -> list[int]:
        version = self._version  # as it was before: what is read now may be newer, never older
        self._live = version, self._bits.ordinals()
        found: list[int] = self._live[1].tolist()
        return found

    def look_up(self, ordinals: Sequence[int]) -> dict[int, Ordinal]:
        if self.manifest().version != self._live[0]:
            self.live()
        wanted = np.intersect1d(np.asarray(ordinals, np.int64), self._live[1]).tolist()
        found = self._look_up(wanted, newest=False)
        if missing := [ordinal for ordinal in wanted if ordinal not in found]:
            found |= self._look_up(missing, newest=True)
        return found

    def _look_up(self, ordinals: Sequence[int], *, newest: bool) -> dict[int, Ordinal]:
        keys = [(self._ordinal_key(ordinal),) for ordinal in ordinals]
        found = {}
        for item in self._documents.read_many(keys, newest=newest):
            number = int.from_bytes(item.key[-8:], "big")
            found[number] = Ordinal(
                number,
                DocumentId(item.id or b""),
                item.fetched_at or 0.0,
                item.url or "",
                item.language or "",
                anchors=item.anchors or b"",
                cluster=item.cluster or 0,
            )
        return found

    def _ordinal_key(self, ordinal: int) -> bytes:
        return self._collection.encode() + b"#o" + ordinal.to_bytes(8, "big")

    def all_live(self) -> list[Ordinal]:
        found = self.look_up(self.live())
        return [found[ordinal] for ordinal in sorted(found)]

    def size(self) -> int:
        return self._items.size()

    def purge(self) -> None:
        self._items.purge()


def _packed(body: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(body) if len(body) > PLAIN else body


def _plain(body: bytes) -> bytes:
    if not body.startswith(_ZSTD):
        return body
    plain: bytes = zstandard.ZstdDecompressor().decompress(body)
    return plain
