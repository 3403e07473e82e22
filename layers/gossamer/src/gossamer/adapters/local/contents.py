"""ContentStore over SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.adapters.local.store import Store


class SqliteContentStore:
    """Fingerprints and their owners."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def own(self, fingerprint: bytes, url: str, instead_of: str = "") -> str:
        """The owner of a content."""
        row = self._store.row("SELECT url FROM contents WHERE md5 = ?", (fingerprint,))
        if row is not None and row[0] != instead_of:
            return str(row[0])
        self._store.write("INSERT OR REPLACE INTO contents VALUES (?, ?)", (fingerprint, url))
        return url
