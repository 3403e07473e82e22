"""CollectionSettingsStore over DynamoDB: an item beside the manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.adapters.aws.dynamodb.models import SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.collection import CollectionSettings, decode_settings

if TYPE_CHECKING:
    from gossamer.adapters.aws.clients import Clients

SETTINGS = "settings"  # the sort key


class DynamoCollectionSettings:
    """The settings of a collection in one item."""

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
