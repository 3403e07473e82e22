"""DocumentStore over SQLite: a row for each page, its documents compressed together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import zstandard

from gossamer.adapters.local.database import UNREADABLE
from gossamer.core.fingerprint import FINGERPRINT_BYTES
from gossamer.core.index.anchors import digest, kept
from gossamer.core.page.packed_documents import pack, pack_parts, unpack, unpack_parts
from gossamer.ports.documents import Count, PageVersion, Stamp, Version, select

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.local.database import Store
    from gossamer.core.ids import DocumentId, UrlId
    from gossamer.core.page.document import Document

_ENCODER = msgspec.msgpack.Encoder()
_ANCHORS = msgspec.msgpack.Decoder(tuple[str, ...])

# Of the pages that are not just one document of their own. In a table apart: behind the bodies they
# would be reached only by reading these.
TABLES = "CREATE TABLE IF NOT EXISTS parts (page BLOB PRIMARY KEY, parts BLOB) WITHOUT ROWID;"
# An older file that is only read does not have the table.
HAS_PARTS = "SELECT 1 FROM sqlite_master WHERE name = 'parts'"


class SqliteDocumentStore:
    """The documents of each page."""

    reads = 0.0  # nothing is billed here

    def __init__(self, store: Store) -> None:
        self._store = store
        self._has_parts = False
        # Level 1: a document is written once and read rarely; level 3 saves 4 % for a quarter more.
        self._compressor = zstandard.ZstdCompressor(level=1)
        self._decompressor = zstandard.ZstdDecompressor()

    def put(self, page: UrlId, documents: Sequence[Document], fetched_at: float) -> None:
        parts, body = pack(documents)
        done = self._store.write(
            "INSERT INTO documents (id, fetched_at, body) VALUES (?, ?, ?) ON CONFLICT (id)"
            " DO UPDATE SET fetched_at = excluded.fetched_at, body = excluded.body"
            " WHERE excluded.fetched_at >= fetched_at",
            (page, fetched_at, self._compressor.compress(body)),
        )
        if done.rowcount and parts is None:
            self._store.write("DELETE FROM parts WHERE page = ?", (page,))
        elif done.rowcount:
            self._store.write("INSERT OR REPLACE INTO parts VALUES (?, ?)", (page, parts))

    def put_anchors(self, called: Mapping[UrlId, Sequence[str]]) -> int:
        packed = ((id, _packed(kept(anchors))) for id, anchors in called.items())
        query = "UPDATE documents SET anchors = ? WHERE id = ? AND anchors <> ?"
        return sum(self._store.write(query, (names, id, names)).rowcount for id, names in packed)

    def pages(self, ids: Sequence[UrlId], *, newest: bool = True) -> list[PageVersion]:
        del newest  # here there is nothing else
        query = f"SELECT * FROM {self._with_parts()} WHERE id IN"  # noqa: S608 constant
        found = {row[0]: row for row in self._store.rows_of(query, list(dict.fromkeys(ids)))}
        return [self._page(*found[id]) for id in ids if id in found]

    def _with_parts(self) -> str:
        """The rows of documents, with their parts behind the other columns."""
        if self._knows_parts():
            return "(SELECT documents.*, parts.parts FROM documents LEFT JOIN parts ON page = id)"
        return "(SELECT *, NULL AS parts FROM documents)"

    def _knows_parts(self) -> bool:
        """Asked again until it is so: another process may upgrade the file."""
        self._has_parts = self._has_parts or self._store.row(HAS_PARTS) is not None
        return self._has_parts

    def _page(self, id: UrlId, fetched_at: float, body: bytes, *more: bytes | None) -> PageVersion:
        *anchors, parts = more  # an older file that is only read has no anchors
        try:
            documents = unpack(parts, self._decompressor.decompress(body))
            return PageVersion(id, fetched_at, documents, _unpacked(*anchors))
        except UNREADABLE as error:
            raise self._store.unreadable(error) from error

    def peek(self, ids: Sequence[DocumentId]) -> list[Version]:
        return self.read(ids)

    def read(self, ids: Sequence[DocumentId], *, newest: bool = True) -> list[Version]:
        return select(self, ids, newest=newest)

    def all(self, segments: int = 1) -> Iterator[PageVersion]:
        for row in self._store.iterate(f"SELECT * FROM {self._with_parts()}"):  # noqa: S608 constant
            yield self._page(*row)

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, PageVersion]]:
        query = f"SELECT * FROM {self._with_parts()} WHERE id > ? ORDER BY id"  # noqa: S608 constant
        for row in self._store.iterate(query, (after,)):
            yield row[0], self._page(*row)

    def load(self, entries: Sequence[PageVersion]) -> None:
        packed = [(page, *pack_parts(page.documents)) for page in entries]
        self._store.write_all(
            "INSERT OR REPLACE INTO documents (id, fetched_at, body, anchors) VALUES (?, ?, ?, ?)",
            (
                (page.id, page.fetched_at, self._compressor.compress(body), _packed(page.anchors))
                for page, _, body in packed
            ),
        )
        self._store.write_all("DELETE FROM parts WHERE page = ?", ((page.id,) for page in entries))
        parted = ((page.id, parts) for page, parts, _ in packed if parts is not None)
        self._store.write_all("INSERT INTO parts VALUES (?, ?)", parted)

    def stamps(self) -> Iterator[Stamp]:
        # SQLite cuts NULL out of an empty blob.
        digest = f"COALESCE(substr(anchors, 1, {FINGERPRINT_BYTES}), x'')"
        query = f"SELECT id, fetched_at, {digest}, parts FROM {self._with_parts()} ORDER BY id"  # noqa: S608 constant
        for id, fetched_at, anchors, parts in self._store.iterate(query):
            yield Stamp(id, fetched_at, anchors, unpack_parts(parts))

    def empty(self) -> Iterator[UrlId]:
        return (page for page, parts in self._parts() if not parts)

    def _parts(self) -> Iterator[tuple[UrlId, tuple[int, ...]]]:
        """The parts of the pages that have not just their own."""
        rows = self._store.rows("SELECT page, parts FROM parts") if self._knows_parts() else []
        return ((page, unpack_parts(parts)) for page, parts in rows)

    def count(self) -> Count:
        others = [len(parts) for _, parts in self._parts()]
        row = self._store.row("SELECT COUNT(*) FROM documents")
        plain = int(row[0]) - len(others) if row else 0
        return Count(plain + sum(map(bool, others)), plain + sum(others))


def _packed(anchors: tuple[str, ...]) -> bytes:
    """Anchors behind their digest, by which the index tells whether it has them."""
    return digest(anchors) + _ENCODER.encode(anchors) if anchors else b""


def _unpacked(packed: bytes | None = b"") -> tuple[str, ...]:
    return _ANCHORS.decode(packed[FINGERPRINT_BYTES:]) if packed else ()
