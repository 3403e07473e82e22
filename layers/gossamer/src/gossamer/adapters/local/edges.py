"""EdgeStore over SQLite: one compressed row per source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import zstandard

from gossamer.core.urls import url_id
from gossamer.messages import Link

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.adapters.local.store import Store


class PackedLinks(msgspec.Struct, array_like=True):
    """The links of a page: 16-byte ids one after another, and beside each its words."""

    targets: bytes
    anchors: list[str]
    nofollow: list[int]  # positions of the links that are not followed


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(PackedLinks)


class SqliteEdgeStore:
    """The links of each page. Targets are ids: their URLs stand in the URL store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._compressor = zstandard.ZstdCompressor(level=1)
        self._decompressor = zstandard.ZstdDecompressor()

    def put(self, source: bytes, links: Sequence[Link], part: int, parts: int) -> None:
        """Replace the links of a source."""
        packed = PackedLinks(
            b"".join([url_id(link.url) for link in links]),
            [link.anchor for link in links],
            [i for i, link in enumerate(links) if link.nofollow],
        )
        self._store.write(
            "INSERT OR REPLACE INTO edges VALUES (?, ?, ?)",
            (source, part, self._compressor.compress(_ENCODER.encode(packed))),
        )
        if part == 0:
            self._store.write("DELETE FROM edges WHERE source = ? AND part >= ?", (source, parts))

    def get(self, source: bytes) -> list[Link]:
        """The links of a source."""
        rows = self._store.rows(
            "SELECT source, body FROM edges WHERE source = ? ORDER BY part", (source,)
        )
        return [link for _, links in map(self._unpack, rows) for link in links]

    def all(self) -> Iterator[tuple[bytes, list[Link]]]:
        """Every source with its links."""
        for row in self._store.iterate("SELECT source, body FROM edges ORDER BY source, part"):
            yield self._unpack(row)

    def _unpack(self, row: tuple[bytes, bytes]) -> tuple[bytes, list[Link]]:
        packed = _DECODER.decode(self._decompressor.decompress(row[1]))
        nofollow = set(packed.nofollow)
        ids = [packed.targets[i : i + 16] for i in range(0, len(packed.targets), 16)]
        urls = self._urls(ids)
        links = [
            Link(urls[id], anchor, number in nofollow)
            for number, (id, anchor) in enumerate(zip(ids, packed.anchors, strict=True))
            if id in urls
        ]
        return row[0], links

    def _urls(self, ids: list[bytes]) -> dict[bytes, str]:
        found: dict[bytes, str] = {}
        for start in range(0, len(ids), 500):
            batch = ids[start : start + 500]
            marks = ",".join("?" * len(batch))
            query = f"SELECT id, url FROM urls WHERE id IN ({marks})"  # noqa: S608 only marks
            found.update(self._store.rows(query, batch))
        return found
