"""ContentStore over SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.local.database import from_signed, to_signed
from gossamer.ports.content_owners import MAX_FOUNDERS, ContentEntry, Founder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.local.database import Store

_OWNED, _FOUNDED = b"o", b"s"  # which table an entry's mark is of

TABLES = """
CREATE TABLE IF NOT EXISTS contents (md5 BLOB PRIMARY KEY, url TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS founders (
    key BLOB NOT NULL, id BLOB NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (key, id)
) WITHOUT ROWID;  -- pages that others may be similar to
"""


class SqliteContentStore:
    """Fingerprints and their owners, keys and their founders."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._absent: set[bytes] = set()  # keys that had no founder when they were asked for last

    def own(self, fingerprint: bytes, url: str, instead_of: str = "") -> str:
        row = self._store.row("SELECT url FROM contents WHERE md5 = ?", (fingerprint,))
        if row is not None and row[0] != instead_of:
            return str(row[0])
        self._store.write("INSERT OR REPLACE INTO contents VALUES (?, ?)", (fingerprint, url))
        return url

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        found: dict[bytes, list[Founder]] = {}
        query = "SELECT key, id, value FROM founders WHERE key IN"
        for key, id, value in self._store.rows_of(query, list(dict.fromkeys(keys))):
            found.setdefault(key, []).append(Founder(id, from_signed(value)))
        self._absent = set(keys) - found.keys()
        return found

    def put_founders(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        keys = sorted(founders)  # neighbours lie in one page of the database
        old = [(key,) for key in keys if key not in self._absent]
        self._absent.clear()
        self._store.write_all("DELETE FROM founders WHERE key = ?", old)
        self._store.write_all(
            "INSERT OR REPLACE INTO founders (key, id, value) VALUES (?, ?, ?)",
            [
                (key, founder.id, to_signed(founder.value))
                for key in keys
                for founder in founders[key][:MAX_FOUNDERS]
            ],
        )

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, ContentEntry]]:
        kind, key = after[:1] or _OWNED, after[1:]
        if kind == _OWNED:
            query = "SELECT md5, url FROM contents WHERE md5 > ? ORDER BY md5"
            for md5, url in self._store.iterate(query, (key,)):
                yield _OWNED + md5, ContentEntry(md5, url)
        keys = "SELECT DISTINCT key FROM founders WHERE key > ? ORDER BY key"
        for (found,) in self._store.iterate(keys, (key if kind == _FOUNDED else b"",)):
            yield _FOUNDED + found, ContentEntry(found, "", tuple(self.founders([found])[found]))

    def load(self, entries: Sequence[ContentEntry]) -> None:
        owned = [(entry.key, entry.owner) for entry in entries if entry.owner]
        self._store.write_all("INSERT OR REPLACE INTO contents VALUES (?, ?)", owned)
        self.put_founders({entry.key: entry.founders for entry in entries if entry.founders})
