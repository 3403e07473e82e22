"""IndexStore over SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.adapters.local.database import from_signed, to_signed
from gossamer.core.crawl.removal import CLOSED_TO_SEARCH, NEVER_DOCUMENTS, is_no_document
from gossamer.core.crawl.url_state import State
from gossamer.core.index.manifest import Manifest, Packed
from gossamer.core.page.fingerprint import FINGERPRINT_BYTES
from gossamer.ports.live_documents import Ordinal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.adapters.local.database import Row, Store
    from gossamer.core.ids import DocumentId

# All columns, in the order of `Ordinal`: an older file that is only read has fewer.
ORDINALS = "SELECT * FROM ordinals"
COLUMNS = "key, sort, postings, positions, df, impact"
_STATES = ", ".join(f"'{state}'" for state in sorted(NEVER_DOCUMENTS))
VANISHED = f"(u.state IN ({_STATES}) OR u.reason = '{CLOSED_TO_SEARCH}')"
# Anchors lie behind their digest; SQLite cuts NULL out of an empty blob.
ANCHORS_DIGEST = f"COALESCE(substr(d.anchors, 1, {FINGERPRINT_BYTES}), x'')"
RANKS = "r"  # the key under which ranks lie among the items
RANKS_PER_ITEM = 32_768


class SqliteIndexStore:
    """Items, manifest and ordinals of a collection."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def manifest(self) -> Manifest:
        row = self._store.row("SELECT body FROM manifest")
        return msgspec.json.decode(row[0], type=Manifest) if row else Manifest()

    def publish(self, manifest: Manifest) -> bool:
        if self.manifest().version != manifest.version - 1:
            return False
        self._replace(manifest)
        self._store.commit()
        return True

    def _replace(self, manifest: Manifest) -> None:
        self._store.write("DELETE FROM manifest")
        self._store.write("INSERT INTO manifest VALUES (?)", (msgspec.json.encode(manifest),))

    def _renew(self) -> None:
        """Other documents are live: readers must drop what they cached."""
        manifest = self.manifest()
        self._replace(msgspec.structs.replace(manifest, version=manifest.version + 1))

    def put(self, items: Iterable[Packed]) -> None:
        self._store.write_all(
            f"INSERT OR REPLACE INTO index_items ({COLUMNS})"  # noqa: S608 constant
            " VALUES (?, ?, ?, ?, ?, ?)",
            ((i.key, i.sort, i.postings, i.positions, i.df, i.impact) for i in items),
        )

    def get(
        self, key: str, sorts: Sequence[str] | None = None, *, positions: bool = True
    ) -> list[Packed]:
        rows = self._store.rows(
            f"SELECT {COLUMNS} FROM index_items WHERE key = ? ORDER BY sort",  # noqa: S608 constant
            (key,),
        )
        wanted = None if sorts is None else set(sorts)
        return [Packed(*row) for row in rows if wanted is None or row[1] in wanted]

    def dictionary(self, key: str, prefix: str) -> list[Packed]:
        first = self._store.row(
            "SELECT MAX(sort) FROM index_items WHERE key = ? AND sort <= ?", (key, prefix)
        )
        rows = self._store.rows(
            f"SELECT {COLUMNS} FROM index_items"  # noqa: S608 constant
            " WHERE key = ? AND sort >= ? AND sort < ? ORDER BY sort",
            (key, (first and first[0]) or "", prefix + "\U0010ffff"),
        )
        return [Packed(*row) for row in rows]

    def drop(self, key: str, sort: str | None = None) -> None:
        if key.endswith("*"):
            low, high = key[:-1], key[:-1] + "\U0010ffff"
            self._store.write("DELETE FROM index_items WHERE key >= ? AND key < ?", (low, high))
        elif sort is None:
            self._store.write("DELETE FROM index_items WHERE key = ?", (key,))
        else:
            self._store.write("DELETE FROM index_items WHERE key = ? AND sort = ?", (key, sort))

    def lease_ordinals(self, count: int) -> int:
        first = self._store.counters.get("next_ordinal", 0)
        if not count:  # a reader's counters are as old as its connection, and it must not write
            row = self._store.row("SELECT value FROM counters WHERE name = 'next_ordinal'")
            return max(first, row[0] if row else 0)
        self._store.count("next_ordinal", count)
        return first

    def set_live(self, ordinals: Sequence[Ordinal]) -> None:
        self._store.write_all(
            "INSERT INTO ordinals (ordinal, id, fetched_at, url, language, anchors, cluster)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
            " ordinal = excluded.ordinal, fetched_at = excluded.fetched_at,"
            " url = excluded.url, language = excluded.language, anchors = excluded.anchors,"
            " cluster = excluded.cluster"
            " WHERE excluded.fetched_at >= fetched_at",
            map(_row, ordinals),
        )
        self._renew()

    def remove(self, ids: Sequence[bytes]) -> None:
        self._store.write_all("DELETE FROM ordinals WHERE id = ?", ((id,) for id in ids))
        self._renew()

    def put_ranks(self, ranks: bytes) -> None:
        self.drop(RANKS)
        chunks = range(0, len(ranks), RANKS_PER_ITEM)
        self.put(Packed(RANKS, f"{i:010}", ranks[i : i + RANKS_PER_ITEM]) for i in chunks)
        self._renew()

    def ranks(self) -> bytes:
        return b"".join(item.postings for item in self.get(RANKS))

    def live(self) -> list[int]:
        return [row[0] for row in self._store.rows("SELECT ordinal FROM ordinals ORDER BY 1")]

    def look_up(self, ordinals: Sequence[int]) -> dict[int, Ordinal]:
        rows = self._store.rows_of(f"{ORDINALS} WHERE ordinal IN", ordinals)
        return {row[0]: _ordinal(row) for row in rows}

    def all_live(self) -> list[Ordinal]:
        return [_ordinal(row) for row in self._store.rows(ORDINALS)]

    def unindexed(self) -> list[DocumentId]:
        query = (
            "SELECT d.id FROM documents d LEFT JOIN ordinals o ON o.id = d.id"  # noqa: S608 constant
            " WHERE (o.id IS NULL OR o.fetched_at < d.fetched_at"
            f" OR o.fetched_at = d.fetched_at AND o.anchors <> {ANCHORS_DIGEST}) AND NOT EXISTS"
            f" (SELECT 1 FROM urls u WHERE u.id = d.id AND {VANISHED})"
        )
        return [row[0] for row in self._store.rows(query)]

    def vanished(self) -> list[DocumentId]:
        query = (
            "SELECT o.id, u.state, u.reason, u.history FROM ordinals o"  # noqa: S608 constant
            f" JOIN urls u ON u.id = o.id WHERE {VANISHED}"
        )
        return [
            id
            for id, state, *rest in self._store.rows(query)
            if is_no_document(State(state), *rest)
        ]

    def size(self) -> int:
        row = self._store.row(
            "SELECT SUM(LENGTH(postings) + LENGTH(positions) + LENGTH(key) + LENGTH(sort))"
            " FROM index_items"
        )
        return int(row[0] or 0) if row else 0


def _row(page: Ordinal) -> Row:
    facts = page.ordinal, page.id, page.fetched_at, page.url, page.language, page.anchors
    return *facts, to_signed(page.cluster)


def _ordinal(row: Row) -> Ordinal:
    return Ordinal(*row[:6], *map(from_signed, row[6:]))
