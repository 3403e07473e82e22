"""EdgeStore over SQLite: one compressed row per source."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec
import zstandard

from gossamer.adapters.local.database import UNREADABLE
from gossamer.core.ids import UrlId
from gossamer.ports.edges import EdgeEntry, InLinks, PackedLinks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.adapters.local.database import Row, Store
    from gossamer.messages import Link

T = TypeVar("T")
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(PackedLinks)
_INLINKS = msgspec.msgpack.Decoder(InLinks)

TABLES = """
CREATE TABLE IF NOT EXISTS edges (
    source BLOB NOT NULL, part INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (source, part)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inlinks (target BLOB PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
"""


class SqliteEdgeStore:
    """The links of each page. Targets are ids: their URLs stand in the URL store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._compressor = zstandard.ZstdCompressor(level=1)
        self._decompressor = zstandard.ZstdDecompressor()

    def put(self, source: UrlId, links: Sequence[Link], part: int, parts: int) -> None:
        self._store.write(
            "INSERT OR REPLACE INTO edges VALUES (?, ?, ?)",
            (source, part, self._compressor.compress(_ENCODER.encode(PackedLinks.of(links)))),
        )
        if part == 0:
            self._store.write("DELETE FROM edges WHERE source = ? AND part >= ?", (source, parts))

    def get(self, source: UrlId) -> list[Link]:
        rows = self._store.rows(
            "SELECT source, body FROM edges WHERE source = ? ORDER BY part", (source,)
        )
        return [link for _, links in map(self._unpack, rows) for link in links]

    def all(self, segments: int = 1) -> Iterator[tuple[bytes, list[Link]]]:
        for row in self._store.iterate("SELECT source, body FROM edges ORDER BY source, part"):
            yield self._unpack(row)

    def packed(self, segments: int = 1) -> Iterator[tuple[bytes, PackedLinks]]:
        for source, body in self._store.iterate("SELECT source, body FROM edges"):
            yield source, self._read(body)

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, EdgeEntry]]:
        pages = "SELECT source AS page FROM edges UNION SELECT target FROM inlinks"
        query = f"SELECT page FROM ({pages}) WHERE page > ? ORDER BY page"  # noqa: S608 constant
        parts = "SELECT body FROM edges WHERE source = ? ORDER BY part"
        for (page,) in self._store.iterate(query, (after,)):
            read = [self._read(body) for (body,) in self._store.rows(parts, (page,))]
            links = PackedLinks.joined(read) if read else None
            yield page, EdgeEntry(page, links, self.inlinks([page]).get(page))

    def load(self, entries: Sequence[EdgeEntry]) -> None:
        linked = ((entry.page, entry.links) for entry in entries if entry.links is not None)
        self._store.write_all(
            "INSERT OR REPLACE INTO edges VALUES (?, 0, ?)",
            ((page, self._compressor.compress(_ENCODER.encode(links))) for page, links in linked),
        )
        self.put_inlinks({e.page: e.inlinks for e in entries if e.inlinks is not None})

    def put_inlinks(self, found: Mapping[UrlId, InLinks]) -> None:
        compress = self._compressor.compress
        self._store.write_all(
            "INSERT OR REPLACE INTO inlinks VALUES (?, ?)",
            ((target, compress(_ENCODER.encode(links))) for target, links in found.items()),
        )

    def inlinks(self, targets: Sequence[UrlId]) -> dict[UrlId, InLinks]:
        rows = self._store.rows_of("SELECT target, body FROM inlinks WHERE target IN", targets)
        return {UrlId(target): self._decoded(body, _INLINKS) for target, body in rows}

    def _read(self, body: bytes) -> PackedLinks:
        return self._decoded(body, _DECODER)

    def _decoded(self, body: bytes, decoder: msgspec.msgpack.Decoder[T]) -> T:
        try:
            return decoder.decode(self._decompressor.decompress(body))
        except UNREADABLE as error:
            raise self._store.unreadable(error) from error

    def _unpack(self, row: Row) -> tuple[bytes, list[Link]]:
        packed = self._read(row[1])
        urls = self._store.rows_of("SELECT id, url FROM urls WHERE id IN", packed.ids())
        return row[0], packed.links(dict(urls))
