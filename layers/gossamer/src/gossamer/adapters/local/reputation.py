"""ReputationStore over SQLite: a host's standing is a part of its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.crawl.host_record import HostChange
from gossamer.ports.reputation import Reputation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gossamer.adapters.local.hosts import SqliteHostStore


class SqliteReputationStore:
    """Reputations of hosts."""

    def __init__(self, hosts: SqliteHostStore) -> None:
        self._hosts = hosts

    def get(self, hosts: Iterable[str]) -> dict[str, Reputation]:
        records = {host: self._hosts.get(host) for host in hosts}
        return {host: Reputation(r.pages, r.worth, r.named) for host, r in records.items()}

    def set_worth(self, worths: Mapping[str, int]) -> None:
        for host, worth in worths.items():
            if self._hosts.get(host).worth != worth:
                self._hosts.change(host, HostChange(worth=worth))

    def mark_named(self, hosts: Iterable[str]) -> None:
        for host in hosts:
            if not self._hosts.get(host).named:
                self._hosts.change(host, HostChange(named=True))
