"""Rows of Parquet as what the library works with, and settings of the home that a job fills."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Any

from gossamer.core.ids import UrlId
from gossamer.core.page.packed_documents import unpack
from gossamer.ports.documents import PageVersion
from gossamer.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import Row

LOT_PAGES, LOT_BYTES = 8_000, 6_000_000  # of one lot: what is analysed together


def page_in(row: Row) -> PageVersion:
    """A stored page with its documents."""
    parts = None if row.parts is None else bytes(row.parts)
    documents = unpack(parts, bytes(row.body))
    return PageVersion(UrlId(bytes(row.id)), row.fetched_at, documents, tuple(row.anchors or ()))


def lots(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows of pages, as many at a time as fit into memory together."""
    lot: list[Row] = []
    size = 0
    for row in rows:
        lot.append(row)
        size += len(row.body)
        if size >= LOT_BYTES or len(lot) >= LOT_PAGES:
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
