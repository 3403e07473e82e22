"""QuotaStore over DynamoDB: a process takes units ahead, so that few links pay for a write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.adapters.aws.dynamodb import keys
from gossamer.adapters.aws.dynamodb.models import HostItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.adapters.aws.memory import Memory
from gossamer.ports.quotas import QuotaEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.aws.clients import Clients

AHEAD = 50  # units taken at once
SHARE = 16  # but never more than this part of what is left: other processes want some
MAX_KEYS = 50_000
QUOTA = "q#"  # what the part of a counter begins with


@dataclass(slots=True)
class _Held:
    """Units that this process has taken and not yet given out: the last `left` below `used`."""

    used: int = 0  # what the counter said last
    left: int = 0


class DynamoQuotaStore:
    """Counters with a ceiling. What a process took ahead and did not need is lost with it."""

    def __init__(self, clients: Clients, stack: str, collection: str) -> None:
        self._table = Table(clients, stack, HostItem)
        self._collection = collection
        self._held: Memory[str, _Held] = Memory(MAX_KEYS)

    def take(self, wanted: Mapping[str, tuple[int, int]]) -> dict[str, int]:
        return {key: self._take(key, count, ceiling) for key, (count, ceiling) in wanted.items()}

    def give_back(self, unused: Mapping[str, int]) -> None:
        for key, count in unused.items():
            held = self._held.get(key)
            if held is not None:
                held.left += count

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, QuotaEntry]]:
        for mark, item in self._table.scan_after(after, f"{self._collection}#"):
            if item.part.startswith(QUOTA):
                yield mark, QuotaEntry(item.part.removeprefix(QUOTA), item.used or 0)

    def load(self, entries: Sequence[QuotaEntry]) -> None:
        self._table.write_many(map(self._loaded, entries))

    def _loaded(self, entry: QuotaEntry) -> HostItem:
        host, part = self._key(entry.key)
        return HostItem(host=host, part=part, used=entry.used)

    def _take(self, key: str, count: int, ceiling: int) -> int:
        held = self._held.get(key) or _Held()
        self._held.put(key, held)
        granted = _give(held, count, ceiling)
        if granted < count and self._fetch(key, held, count - granted, ceiling):
            granted += _give(held, count - granted, ceiling)
        return granted

    def _fetch(self, key: str, held: _Held, missing: int, ceiling: int) -> bool:
        """Take more from the table; False if there is no more."""
        for _ in range(8):
            room = ceiling - held.used
            if room <= 0:
                return False
            chunk = min(room, max(missing, min(AHEAD, room // SHARE)))
            fits = HostItem.used.does_not_exist() | (HostItem.used <= ceiling - chunk)
            written = self._table.update(
                self._key(key), [HostItem.used.add(chunk)], fits, returns="UPDATED_NEW"
            )
            before, held.used = held.used, (written.item.used or 0) if written.item else 0
            if written.done:
                # Units left from before lie elsewhere on the counter if others took some between.
                held.left = chunk + (held.left if held.used == before + chunk else 0)
                return True
        return False

    def _key(self, key: str) -> tuple[str, str]:
        host = key.partition("/")[0]
        return keys.textual(self._collection, host), keys.short(QUOTA + key)


def _give(held: _Held, count: int, ceiling: int) -> int:
    """Units at hand that lie below the ceiling, which may have been lowered."""
    below = ceiling - (held.used - held.left)
    given = max(0, min(count, held.left, below))
    held.left -= given
    return given
