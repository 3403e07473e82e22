"""ContentStore over SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.local.founders import TABLES as FOUNDERS
from gossamer.adapters.local.founders import SqliteFounders
from gossamer.ports.content_owners import ContentEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.local.database import Store
    from gossamer.ports.content_owners import Founder

_OWNED, _FOUNDED = b"o", b"s"  # which table an entry's mark is of

TABLES = f"""
CREATE TABLE IF NOT EXISTS contents (md5 BLOB PRIMARY KEY, url TEXT NOT NULL) WITHOUT ROWID;
{FOUNDERS}
"""


class SqliteContentStore:
    """Fingerprints and their owners, keys and their founders."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._founders = SqliteFounders(store)

    def own(self, fingerprint: bytes, url: str, instead_of: str = "") -> str:
        row = self._store.row("SELECT url FROM contents WHERE md5 = ?", (fingerprint,))
        if row is not None and row[0] != instead_of:
            return str(row[0])
        self._store.write("INSERT OR REPLACE INTO contents VALUES (?, ?)", (fingerprint, url))
        return url

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        return self._founders.get(keys)

    def put_founders(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        self._founders.put(founders)

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, ContentEntry]]:
        kind, key = after[:1] or _OWNED, after[1:]
        if kind == _OWNED:
            query = "SELECT md5, url FROM contents WHERE md5 > ? ORDER BY md5"
            for md5, url in self._store.iterate(query, (key,)):
                yield _OWNED + md5, ContentEntry(md5, url)
        for found, known in self._founders.entries(key if kind == _FOUNDED else b""):
            yield _FOUNDED + found, ContentEntry(found, "", tuple(known))

    def load(self, entries: Sequence[ContentEntry]) -> None:
        owned = [(entry.key, entry.owner) for entry in entries if entry.owner]
        self._store.write_all("INSERT OR REPLACE INTO contents VALUES (?, ?)", owned)
        self.put_founders({entry.key: entry.founders for entry in entries if entry.founders})
