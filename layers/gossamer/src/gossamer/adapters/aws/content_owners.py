"""ContentStore over DynamoDB: one conditional put, which tells the owner if there is one.

Founders lie in files: see `founders.store`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import ContentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.ports.content_owners import MAX_FOUNDERS, ContentEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.aws.clients import Clients
    from gossamer.adapters.aws.founders.store import FounderRuns
    from gossamer.ports.content_owners import Founder

SIMILAR = b"~"  # begins the marks of founders; those of owners are maps of msgpack


class DynamoContentStore:
    """Fingerprints and their owners, keys and their founders."""

    def __init__(self, clients: Clients, stack: str, collection: str, bucket: str) -> None:
        self._table = Table(clients, stack, ContentItem)
        self._clients, self._stack, self._bucket = clients, stack, bucket
        self._collection = collection

    @cached_property
    def _founders(self) -> FounderRuns:
        # It needs numpy, which FETCH has not: only INDEX and copies ask for founders.
        from gossamer.adapters.aws.founders.store import FounderRuns

        return FounderRuns(self._clients, self._stack, self._collection, self._bucket)

    def own(self, fingerprint: bytes, url: str, instead_of: str = "") -> str:
        # Not read first: most contents are new, and a refused put costs no more than a good one.
        item = ContentItem(key=keys.binary(self._collection, fingerprint), owner=url)
        free = ContentItem.key.does_not_exist()
        written = self._table.put(item, free | (ContentItem.owner == instead_of))
        return url if written.done or written.item is None else written.item.owner

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        return self._founders.founders(keys) if keys else {}

    def put_founders(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        self._founders.put({key: known[:MAX_FOUNDERS] for key, known in founders.items()})

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, ContentEntry]]:
        is_founder = after.startswith(SIMILAR)
        if not is_founder:
            for mark, item in self._table.scan_after(after, keys.binary(self._collection, b"")):
                if item.owner is not None:
                    key = keys.id_in(self._collection, item.key)
                    yield mark, ContentEntry(key, item.owner)
        for key, known in self._founders.entries(after[1:] if is_founder else b""):
            yield SIMILAR + key, ContentEntry(key, "", tuple(known))

    def load(self, entries: Sequence[ContentEntry]) -> None:
        self._table.write_many(
            ContentItem(key=keys.binary(self._collection, entry.key), owner=entry.owner)
            for entry in entries
            if entry.owner
        )
        self.put_founders({entry.key: entry.founders for entry in entries if entry.founders})
