"""Rows of Parquet as what the library works with, and settings of the home that a job fills."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.ids import DocumentId
from gossamer.core.page.document import Document
from gossamer.ports.documents import Version
from gossamer.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import Row

_DOCUMENT = msgspec.msgpack.Decoder(Document)
LOT_DOCUMENTS, LOT_BYTES = 8_000, 6_000_000  # of one lot: what is analysed together


def version_of(row: Row, anchors: Iterable[str] | None = None) -> Version:
    """A stored document; with other anchors if some are given."""
    names = tuple(row.anchors or ()) if anchors is None else tuple(anchors)
    document = _DOCUMENT.decode(bytes(row.body))
    return Version(DocumentId(bytes(row.id)), row.fetched_at, document, names)


def lots(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows of documents, as many at a time as fit into memory together."""
    lot: list[Row] = []
    size = 0
    for row in rows:
        lot.append(row)
        size += len(row.body)
        if size >= LOT_BYTES or len(lot) >= LOT_DOCUMENTS:
            yield lot
            lot, size = [], 0
    if lot:
        yield lot


def portions(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Rows, so many at a time."""
    waiting = iter(rows)
    while some := list(islice(waiting, size)):
        yield some


def home_settings() -> Settings:
    """The home that GOSSAMER_HOME, GOSSAMER_DATA, GOSSAMER_STACK … name."""
    return Settings.from_environ(os.environ)
