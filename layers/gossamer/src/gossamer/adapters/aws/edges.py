"""EdgeStore over DynamoDB: the links of a page packed into as few items as hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import zstandard

from gossamer.adapters.aws import keys
from gossamer.adapters.aws.models import EdgeItem
from gossamer.adapters.aws.tables import Table
from gossamer.core.urls import url_id
from gossamer.messages import Link

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.urls import DynamoUrlStore

MAX_ITEM = 350_000  # bytes, of 400 KB that an item may have
ROOM = 1000  # items that one part of a page's links may take


class PackedLinks(msgspec.Struct, array_like=True):
    """The links of a page: 16-byte ids one after another, and beside each its words."""

    targets: bytes
    anchors: list[str]
    nofollow: list[int]  # positions of the links that are not followed


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(PackedLinks)


class DynamoEdgeStore:
    """The links of each page. Targets are ids: their URLs stand in the URL store."""

    def __init__(self, clients: Clients, stack: str, collection: str, urls: DynamoUrlStore) -> None:
        self._table = Table(clients, stack, EdgeItem)
        self._collection = collection
        self._urls = urls
        self._compressor = zstandard.ZstdCompressor(level=3)
        self._decompressor = zstandard.ZstdDecompressor()

    def put(self, source: bytes, links: Sequence[Link], part: int, parts: int) -> None:
        """Replace the links of a source."""
        key = keys.binary(self._collection, source)
        bodies = list(self._bodies(links))
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

    def _bodies(self, links: Sequence[Link]) -> Iterator[bytes]:
        """The links packed, halved until each half fits into an item."""
        packed = PackedLinks(
            b"".join([url_id(link.url) for link in links]),
            [link.anchor for link in links],
            [i for i, link in enumerate(links) if link.nofollow],
        )
        body = self._compressor.compress(_ENCODER.encode(packed))
        if len(body) <= MAX_ITEM or len(links) < 2:
            yield body
        else:
            half = len(links) // 2
            yield from self._bodies(links[:half])
            yield from self._bodies(links[half:])

    def get(self, source: bytes) -> list[Link]:
        """The links of a source."""
        items = self._table.query(keys.binary(self._collection, source))
        return [link for item in items for link in self._unpack(item)]

    def all(self, segments: int = 1) -> Iterator[tuple[bytes, list[Link]]]:
        """Sources with their links, one item at a time. Looks up the URL of every link."""
        ours = keys.binary(self._collection, b"")
        for item in self._table.scan(beginning=ours, segments=segments):
            yield keys.id_in(self._collection, item.key), self._unpack(item)

    def _unpack(self, item: EdgeItem) -> list[Link]:
        packed = _DECODER.decode(self._decompressor.decompress(item.body))
        nofollow = set(packed.nofollow)
        ids = [packed.targets[i : i + 16] for i in range(0, len(packed.targets), 16)]
        urls = self._urls.addresses(ids)
        return [
            Link(urls[id], anchor, number in nofollow)
            for number, (id, anchor) in enumerate(zip(ids, packed.anchors, strict=True))
            if id in urls
        ]
