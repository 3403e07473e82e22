"""CollectionSettingsStore over DynamoDB: an item beside the manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.adapters.aws.dynamodb.models import SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.collection import (
    CollectionSettings,
    decode_settings,
    list_name,
    packed,
    unpacked,
)

if TYPE_CHECKING:
    from gossamer.adapters.aws.clients import Clients

SETTINGS = "settings"  # the sort key
PART = 300_000  # bytes of a list in one item, which has 400 KB at most


class DynamoCollectionSettings:
    """The settings of a collection in one item.

    The name of a list says in how many items it is: the API may get items, and not look for them.
    """

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, SegmentItem)
        self._collection = collection

    def get(self) -> CollectionSettings:
        # At half the price: settings change rarely, and `put` names the version it replaces.
        item = self._table.get(self._collection, SETTINGS)
        return decode_settings(item.body) if item is not None else CollectionSettings()

    def put(self, settings: CollectionSettings) -> bool:
        version, before = settings.version, settings.version - 1
        body = msgspec.json.encode(settings)
        item = SegmentItem(self._collection, SETTINGS, body=body, version=version)
        is_next = SegmentItem.version == before if before else SegmentItem.version.does_not_exist()
        return self._table.put(item, is_next).done

    def read_list(self, name: str) -> str:
        items = [self._table.get(self._collection, sort) for sort in _sorts(name)]
        bodies = [item.body for item in items if item is not None]
        return unpacked(b"".join(bodies)) if items and len(bodies) == len(items) else ""

    def put_list(self, text: str) -> str:
        if not text:
            return ""
        body = packed(text)
        pieces = [body[at : at + PART] for at in range(0, len(body), PART)]
        name = f"{list_name(body)}.{len(pieces)}"
        for sort, piece in zip(_sorts(name), pieces, strict=True):
            self._table.put(SegmentItem(self._collection, sort, body=piece))
        return name

    def drop_list(self, name: str) -> None:
        for sort in _sorts(name):
            self._table.delete(self._collection, sort)


def _sorts(name: str) -> list[str]:
    """The sort keys of the items of a list."""
    digest, _, parts = name.partition(".")
    return [f"list#{digest}#{part}" for part in range(int(parts or 0))]
