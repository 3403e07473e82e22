"""EdgeStore over DynamoDB: the links of a page packed into as few items as hold them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import msgspec
import zstandard

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import EdgeItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.ids import UrlId
from gossamer.ports.edges import EdgeEntry, InLinks, PackedLinks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.urls import DynamoUrlStore
    from gossamer.messages import Link

MAX_ITEM = 350_000  # bytes, of 400 KB that an item may have
ROOM = 1000  # items that one part of a page's links may take
INLINKS = -1  # the part under which those lie that lead to a page

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(PackedLinks)
_INLINKS = msgspec.msgpack.Decoder(InLinks)


class DynamoEdgeStore:
    """The links of each page. Targets are ids: their URLs stand in the URL store."""

    def __init__(self, clients: Clients, stack: str, collection: str, urls: DynamoUrlStore) -> None:
        self._table = Table(clients, stack, EdgeItem)
        self._collection = collection
        self._urls = urls
        self._compressor = zstandard.ZstdCompressor(level=3)
        self._decompressor = zstandard.ZstdDecompressor()

    def put(self, source: UrlId, links: Sequence[Link], part: int, parts: int) -> None:
        key = keys.binary(self._collection, source)
        bodies = list(self._bodies(PackedLinks.of(links)))
        for number, body in enumerate(bodies, part * ROOM):
            self._table.put(EdgeItem(key=key, part=number, body=body))
        first, last = part * ROOM + len(bodies), (part + 1) * ROOM
        if part == 0:
            self._drop(key, first, last, beyond=parts * ROOM)
        elif len(bodies) > 1:
            self._drop(key, first, last, beyond=1 << 60)

    def _drop(self, key: bytes, first: int, last: int, beyond: int) -> None:
        """Forget what an earlier, longer page has left behind."""
        found = self._table.query(
            key, EdgeItem.part >= first, attributes=(EdgeItem.key, EdgeItem.part), newest=True
        )
        left = [item.part for item in found if item.part < last or item.part >= beyond]
        self._table.write_many(deletes=[(key, number) for number in left])

    def _bodies(self, links: PackedLinks) -> Iterator[bytes]:
        """The links, halved until each half fits into an item."""
        body = self._compressor.compress(_ENCODER.encode(links))
        if len(body) <= MAX_ITEM or len(links.anchors) < 2:
            yield body
        else:
            for half in links.halves():
                yield from self._bodies(half)

    def get(self, source: UrlId) -> list[Link]:
        items = self._table.query(keys.binary(self._collection, source), EdgeItem.part >= 0)
        return [link for item in items for link in self._unpack(item)]

    def all(self, segments: int = 1) -> Iterator[tuple[bytes, list[Link]]]:
        for item in self._scan(segments):
            yield keys.id_in(self._collection, item.key), self._unpack(item)

    def packed(self, segments: int = 1) -> Iterator[tuple[bytes, PackedLinks]]:
        for item in self._scan(segments):
            yield keys.id_in(self._collection, item.key), self._read(item)

    def _scan(self, segments: int) -> Iterator[EdgeItem]:
        ours = keys.binary(self._collection, b"")
        found = self._table.scan(beginning=ours, segments=segments)
        return (item for item in found if item.part != INLINKS)

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, EdgeEntry]]:
        found = self._table.scan_after(after, keys.binary(self._collection, b""))
        for key, of_page in groupby(found, key=lambda marked: marked[1].key):
            marked = list(of_page)
            items = sorted((item for _, item in marked), key=lambda item: item.part)
            packed = [self._read(item) for item in items if item.part != INLINKS]
            yield (
                marked[-1][0],
                EdgeEntry(
                    UrlId(keys.id_in(self._collection, key)),
                    PackedLinks.joined(packed) if packed else None,
                    self._read_inlinks(items[0]) if items[0].part == INLINKS else None,
                ),
            )

    def load(self, entries: Sequence[EdgeEntry]) -> None:
        self._table.write_many(
            EdgeItem(key=keys.binary(self._collection, entry.page), part=number, body=body)
            for entry in entries
            if entry.links is not None
            for number, body in enumerate(self._bodies(entry.links))
        )
        self.put_inlinks({e.page: e.inlinks for e in entries if e.inlinks is not None})

    def put_inlinks(self, found: Mapping[UrlId, InLinks]) -> None:
        self._table.write_many(
            EdgeItem(
                key=keys.binary(self._collection, target), part=INLINKS, body=self._fitting(links)
            )
            for target, links in found.items()
        )

    def _fitting(self, found: InLinks) -> bytes:
        """As many links as an item holds: addresses may be very long."""
        body = self._compressor.compress(_ENCODER.encode(found))
        if len(body) <= MAX_ITEM:
            return body
        fewer = found.links[: len(found.links) // 2]
        return self._fitting(msgspec.structs.replace(found, links=fewer))

    def inlinks(self, targets: Sequence[UrlId]) -> dict[UrlId, InLinks]:
        wanted = [(keys.binary(self._collection, target), INLINKS) for target in targets]
        return {
            UrlId(keys.id_in(self._collection, item.key)): self._read_inlinks(item)
            for item in self._table.read_many(wanted)
        }

    def _read_inlinks(self, item: EdgeItem) -> InLinks:
        return _INLINKS.decode(self._decompressor.decompress(item.body))

    def _read(self, item: EdgeItem) -> PackedLinks:
        return _DECODER.decode(self._decompressor.decompress(item.body))

    def _unpack(self, item: EdgeItem) -> list[Link]:
        packed = self._read(item)
        return packed.links(self._urls.addresses(packed.ids()))
