"""ContentStore over SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.local.numbers import from_signed, to_signed
from gossamer.ports.contents import MAX_FOUNDERS, Founder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.adapters.local.store import Store


class SqliteContentStore:
    """Fingerprints and their owners, keys and their founders."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def own(self, fingerprint: bytes, url: str, instead_of: str = "") -> str:
        """The owner of a content."""
        row = self._store.row("SELECT url FROM contents WHERE md5 = ?", (fingerprint,))
        if row is not None and row[0] != instead_of:
            return str(row[0])
        self._store.write("INSERT OR REPLACE INTO contents VALUES (?, ?)", (fingerprint, url))
        return url

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        """Who is known under each of some keys."""
        query = "SELECT id, value FROM founders WHERE key = ?"
        rows = {key: self._store.rows(query, (key,)) for key in dict.fromkeys(keys)}
        return {
            key: [Founder(id, from_signed(value)) for id, value in known]
            for key, known in rows.items()
            if known
        }

    def found(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        """Let these be known under these keys."""
        self._store.write_all("DELETE FROM founders WHERE key = ?", ((key,) for key in founders))
        self._store.write_all(
            "INSERT OR REPLACE INTO founders (key, id, value) VALUES (?, ?, ?)",
            (
                (key, founder.id, to_signed(founder.value))
                for key, known in founders.items()
                for founder in known[:MAX_FOUNDERS]
            ),
        )
