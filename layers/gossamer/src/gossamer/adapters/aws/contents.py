"""ContentStore over DynamoDB: one conditional put, which tells the owner if there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.aws import keys
from gossamer.adapters.aws.models import ContentItem
from gossamer.adapters.aws.tables import Table

if TYPE_CHECKING:
    from gossamer.adapters.aws.clients import Clients


class DynamoContentStore:
    """Fingerprints and their owners."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, ContentItem)
        self._collection = collection

    def own(self, fingerprint: bytes, url: str, instead_of: str = "") -> str:
        """The owner of a content.

        Not read first: most contents are new, and a refused put costs no more than a good one.
        """
        item = ContentItem(key=keys.binary(self._collection, fingerprint), owner=url)
        free = ContentItem.key.does_not_exist()
        written = self._table.put(item, free | (ContentItem.owner == instead_of))
        return url if written.done or written.item is None else written.item.owner
