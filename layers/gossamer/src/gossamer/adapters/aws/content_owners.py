"""ContentStore over DynamoDB: one conditional put, which tells the owner if there is one.

Founders lie in the same table. Their keys are shorter than fingerprints, so the two never meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import ContentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.ports.content_owners import MAX_FOUNDERS, ContentEntry, Founder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.aws.clients import Clients

SIMILAR = b"~"
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(list[Founder])


class DynamoContentStore:
    """Fingerprints and their owners, keys and their founders."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, ContentItem)
        self._collection = collection

    def own(self, fingerprint: bytes, url: str, instead_of: str = "") -> str:
        # Not read first: most contents are new, and a refused put costs no more than a good one.
        item = ContentItem(key=keys.binary(self._collection, fingerprint), owner=url)
        free = ContentItem.key.does_not_exist()
        written = self._table.put(item, free | (ContentItem.owner == instead_of))
        return url if written.done or written.item is None else written.item.owner

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        # A read unit each. Consistent, because copies of a page are often indexed one by one.
        by_key = {self._key(key): key for key in keys}
        items = self._table.read_many([(key,) for key in by_key], newest=True)
        return {by_key[item.key]: _DECODER.decode(item.founders) for item in items}

    def put_founders(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        self._table.write_many(
            (
                ContentItem(key=self._key(key), founders=_ENCODER.encode(known[:MAX_FOUNDERS]))
                for key, known in founders.items()
                if known
            ),
            [(self._key(key),) for key, known in founders.items() if not known],
        )

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, ContentEntry]]:
        for mark, item in self._table.scan_after(after, keys.binary(self._collection, b"")):
            key = keys.id_in(self._collection, item.key)
            if item.owner is not None:
                yield mark, ContentEntry(key, item.owner)
            elif item.founders is not None:
                known = tuple(_DECODER.decode(item.founders))
                yield mark, ContentEntry(key.removeprefix(SIMILAR), "", known)

    def load(self, entries: Sequence[ContentEntry]) -> None:
        self._table.write_many(
            ContentItem(key=keys.binary(self._collection, entry.key), owner=entry.owner)
            for entry in entries
            if entry.owner
        )
        self.put_founders({entry.key: entry.founders for entry in entries if entry.founders})

    def _key(self, key: bytes) -> bytes:
        return keys.binary(self._collection, SIMILAR + key)
