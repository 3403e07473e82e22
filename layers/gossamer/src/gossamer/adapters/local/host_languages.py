"""HostLanguages over SQLite: a row for each language of a host."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gossamer.core.page.host_language import MAX_COUNTED_PAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.adapters.local.database import Store

MAX_CACHED_HOSTS = 20_000

TABLES = """
CREATE TABLE IF NOT EXISTS host_languages (
    host TEXT, language TEXT, pages INTEGER NOT NULL, PRIMARY KEY (host, language)
) WITHOUT ROWID;
"""


class SqliteHostLanguages:
    """Counts that are cached, which only the one writer changes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cached: dict[str, Counter[str]] = {}

    def add(self, host: str, pages: Mapping[str, int]) -> None:
        counts = self._counts(host)
        if counts.total() >= MAX_COUNTED_PAGES:
            return
        counts.update(pages)
        rows = [(host, language, counts[language]) for language in pages]
        self._store.write_all("INSERT OR REPLACE INTO host_languages VALUES (?, ?, ?)", rows)

    def pages(self, host: str) -> Mapping[str, int]:
        return Counter(self._counts(host))

    def _counts(self, host: str) -> Counter[str]:
        counts = self._cached.get(host)
        if counts is None:
            if len(self._cached) >= MAX_CACHED_HOSTS:
                self._cached.clear()
            select = "SELECT language, pages FROM host_languages WHERE host = ?"
            counts = self._cached[host] = Counter(dict(self._store.rows(select, (host,))))
        return counts
