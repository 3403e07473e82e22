"""DocumentStore over SQLite: each document compressed, read whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import zstandard

from gossamer.core.index.anchors import digest, kept
from gossamer.core.page.document import Document
from gossamer.core.page.fingerprint import FINGERPRINT_BYTES
from gossamer.ports.documents import Version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.local.database import Store
    from gossamer.core.ids import DocumentId

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Document)
_ANCHORS = msgspec.msgpack.Decoder(tuple[str, ...])


class SqliteDocumentStore:
    """What was understood of each page."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # Level 1: a document is written once and read rarely; level 3 saves 4 % for a quarter more.
        self._compressor = zstandard.ZstdCompressor(level=1)
        self._decompressor = zstandard.ZstdDecompressor()

    def put(self, id: DocumentId, document: Document, fetched_at: float) -> None:
        self._store.write(
            "INSERT INTO documents (id, fetched_at, body) VALUES (?, ?, ?) ON CONFLICT (id)"
            " DO UPDATE SET fetched_at = excluded.fetched_at, body = excluded.body"
            " WHERE excluded.fetched_at >= fetched_at",
            (id, fetched_at, self._compressor.compress(_ENCODER.encode(document))),
        )

    def put_anchors(self, called: Mapping[DocumentId, Sequence[str]]) -> int:
        packed = ((id, _packed(kept(anchors))) for id, anchors in called.items())
        query = "UPDATE documents SET anchors = ? WHERE id = ? AND anchors <> ?"
        return sum(self._store.write(query, (names, id, names)).rowcount for id, names in packed)

    def get(self, id: DocumentId) -> Document | None:
        row = self._store.row("SELECT body FROM documents WHERE id = ?", (id,))
        return self._decode(row[0]) if row else None

    def read(self, ids: Sequence[DocumentId], *, newest: bool = True) -> list[Version]:
        del newest  # here there is nothing else
        found: list[Version] = []
        for id in ids:
            # All columns: an older file that is only read has no anchors.
            row = self._store.row("SELECT * FROM documents WHERE id = ?", (id,))
            if row is not None:
                _, fetched_at, body, *anchors = row
                found.append(Version(id, fetched_at, self._decode(body), _unpacked(*anchors)))
        return found

    def all(self, segments: int = 1) -> Iterator[tuple[Document, float]]:
        for fetched_at, body in self._store.iterate("SELECT fetched_at, body FROM documents"):
            yield self._decode(body), fetched_at

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, Version]]:
        query = "SELECT * FROM documents WHERE id > ? ORDER BY id"
        for id, fetched_at, body, *anchors in self._store.iterate(query, (after,)):
            yield id, Version(id, fetched_at, self._decode(body), _unpacked(*anchors))

    def load(self, entries: Sequence[Version]) -> None:
        compress = self._compressor.compress
        self._store.write_all(
            "INSERT OR REPLACE INTO documents (id, fetched_at, body, anchors) VALUES (?, ?, ?, ?)",
            (
                (v.id, v.fetched_at, compress(_ENCODER.encode(v.document)), _packed(v.anchors))
                for v in entries
            ),
        )

    def stamps(self) -> Iterator[tuple[DocumentId, float, bytes]]:
        # SQLite cuts NULL out of an empty blob.
        digest = f"COALESCE(substr(anchors, 1, {FINGERPRINT_BYTES}), x'')"
        yield from self._store.iterate(
            f"SELECT id, fetched_at, {digest} FROM documents ORDER BY id"  # noqa: S608 constant
        )

    def count(self) -> int:
        row = self._store.row("SELECT COUNT(*) FROM documents")
        return int(row[0]) if row else 0

    def _decode(self, body: bytes) -> Document:
        return _DECODER.decode(self._decompressor.decompress(body))


def _packed(anchors: tuple[str, ...]) -> bytes:
    """Anchors behind their digest, by which the index tells whether it has them."""
    return digest(anchors) + _ENCODER.encode(anchors) if anchors else b""


def _unpacked(packed: bytes = b"") -> tuple[str, ...]:
    return _ANCHORS.decode(packed[FINGERPRINT_BYTES:]) if packed else ()
