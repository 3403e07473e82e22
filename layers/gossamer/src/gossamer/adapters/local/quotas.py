"""QuotaStore over SQLite: counters live in memory and are written with the next commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.ports.quotas import QuotaEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.local.database import Store

MAX_CACHED = 50_000

TABLES = """
CREATE TABLE IF NOT EXISTS quotas (key TEXT PRIMARY KEY, used INTEGER NOT NULL) WITHOUT ROWID;
"""


class SqliteQuotaStore:
    """Counters with a ceiling."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._used: dict[str, int] = {}
        self._dirty: set[str] = set()
        store.before_commit.append(self._flush)

    def take(self, wanted: Mapping[str, tuple[int, int]]) -> dict[str, int]:
        return {key: self._take(key, count, ceiling) for key, (count, ceiling) in wanted.items()}

    def _take(self, key: str, count: int, ceiling: int) -> int:
        used = self._get(key)
        granted = max(0, min(count, ceiling - used))
        if granted:
            self._used[key] = used + granted
            self._dirty.add(key)
            self._store.touch()
        return granted

    def give_back(self, unused: Mapping[str, int]) -> None:
        for key, count in unused.items():
            self._used[key] = max(0, self._get(key) - count)
            self._dirty.add(key)
            self._store.touch()

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, QuotaEntry]]:
        if self._dirty:
            self._flush()
        query = "SELECT key, used FROM quotas WHERE key > ? ORDER BY key"
        for key, used in self._store.iterate(query, (after.decode(),)):
            yield key.encode(), QuotaEntry(key, used)

    def load(self, entries: Sequence[QuotaEntry]) -> None:
        self._used |= {entry.key: entry.used for entry in entries}
        self._dirty |= {entry.key for entry in entries}
        self._store.touch()

    def _get(self, key: str) -> int:
        used = self._used.get(key)
        if used is None:
            row = self._store.row("SELECT used FROM quotas WHERE key = ?", (key,))
            used = self._used[key] = int(row[0]) if row else 0
        return used

    def _flush(self) -> None:
        rows = [(key, self._used[key]) for key in self._dirty]
        self._dirty.clear()
        self._store.write_all("INSERT OR REPLACE INTO quotas VALUES (?, ?)", rows)
        if len(self._used) > MAX_CACHED:
            self._used.clear()
