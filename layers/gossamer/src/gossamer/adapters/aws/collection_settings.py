"""CollectionSettingsStore over DynamoDB: an item for the settings, and some for each list.

Stacks older than the table of settings have these items in the table of segments. They are read
there until the first write, which puts them into the table of settings. The former items stay, for
functions of the release before, and are not read again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.adapters.aws.dynamodb.models import SegmentItem, SettingsItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.collection import (
    LISTS,
    CollectionSettings,
    decode_settings,
    list_name,
    packed,
    unpacked,
)

if TYPE_CHECKING:
    from gossamer.adapters.aws.clients import Clients

SETTINGS = "settings"  # the sort key
MAX_PART_BYTES = 300_000  # of a list in one item, which has 400 KB at most


class DynamoCollectionSettings:
    """The settings of a collection in one item.

    The name of a list says in how many items it is: the API may get items, and not look for them.
    """

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, SettingsItem)
        self._former_table = Table(clients, stack, SegmentItem)
        self._collection = collection

    def get(self) -> CollectionSettings:
        # At half the price: settings change rarely, and `put` names the version it replaces.
        item = self._read_item(SETTINGS)
        return decode_settings(item.body) if item is not None else CollectionSettings()

    def put(self, settings: CollectionSettings) -> bool:
        version, before = settings.version, settings.version - 1
        body = msgspec.json.encode(settings)
        item = SettingsItem(self._collection, SETTINGS, body=body, version=version)
        if self._table.get(self._collection, SETTINGS, newest=True) is not None:
            return self._table.put(item, SettingsItem.version == before).done
        if self._former_version() != before:
            return False
        self._move_lists(settings)  # before the settings that name them
        return self._table.put(item, SettingsItem.version.does_not_exist()).done

    def read_list(self, name: str) -> str:
        items = [self._read_item(sort) for sort in _sorts(name)]
        bodies = [item.body for item in items if item is not None]
        return unpacked(b"".join(bodies)) if items and len(bodies) == len(items) else ""

    def put_list(self, text: str) -> str:
        if not text:
            return ""
        body = packed(text)
        parts = [body[at : at + MAX_PART_BYTES] for at in range(0, len(body), MAX_PART_BYTES)]
        name = f"{list_name(body)}.{len(parts)}"
        for sort, part in zip(_sorts(name), parts, strict=True):
            self._table.put(SettingsItem(self._collection, sort, body=part))
        return name

    def drop_list(self, name: str) -> None:
        for sort in _sorts(name):
            self._table.delete(self._collection, sort)

    def _read_item(self, sort: str) -> SettingsItem | SegmentItem | None:
        item = self._table.get(self._collection, sort)
        return item if item is not None else self._former_table.get(self._collection, sort)

    def _former_version(self) -> int:
        item = self._former_table.get(self._collection, SETTINGS, newest=True)
        return item.version if item is not None else 0

    def _move_lists(self, settings: CollectionSettings) -> None:
        """Copy the lists that the settings name and the former table has."""
        for sort in (sort for name in LISTS for sort in _sorts(getattr(settings, name))):
            item = self._former_table.get(self._collection, sort)
            if item is not None:
                self._table.put(SettingsItem(self._collection, sort, body=item.body))


def _sorts(name: str) -> list[str]:
    """Return the sort keys of the items of a list."""
    digest, _, parts = name.partition(".")
    return [f"list#{digest}#{part}" for part in range(int(parts or 0))]
