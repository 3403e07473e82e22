"""ReputationStore over DynamoDB: three attributes of a host's item, read in batches.

Half a read unit for a host, and a write unit for one that changed. Its robots.txt is not touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import HostItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.hosts import RECORD
from gossamer.ports.reputation import Reputation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gossamer.adapters.aws.clients import Clients

_ATTRIBUTES = (HostItem.host, HostItem.part, HostItem.pages, HostItem.worth, HostItem.named)


class DynamoReputationStore:
    """Reputations of hosts."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, HostItem)
        self._collection = collection

    def _key(self, host: str) -> tuple[str, str]:
        return keys.textual(self._collection, host), RECORD

    def get(self, hosts: Iterable[str]) -> dict[str, Reputation]:
        by_key = {self._key(host): host for host in hosts}
        found = dict.fromkeys(by_key.values(), Reputation())
        for item in self._table.read_many(by_key, _ATTRIBUTES):
            host = by_key[item.host, item.part]
            found[host] = Reputation(item.pages or 0, item.worth or 0, bool(item.named))
        return found

    def set_worth(self, worths: Mapping[str, int]) -> None:
        known = self.get(worths)
        changed = [(host, worth) for host, worth in worths.items() if known[host].worth != worth]
        self._table.clients.each(
            lambda new: self._table.update(self._key(new[0]), [HostItem.worth.set(new[1])]), changed
        )

    def mark_named(self, hosts: Iterable[str]) -> None:
        named = [HostItem.named.set(1)]
        new = [host for host, known in self.get(hosts).items() if not known.named]
        self._table.clients.each(lambda host: self._table.update(self._key(host), named), new)
