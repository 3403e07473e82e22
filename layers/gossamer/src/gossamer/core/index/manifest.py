"""Which items make up the index, and which of its parts are live?"""

from __future__ import annotations

from typing import Any

import msgspec


class Packed(msgspec.Struct, frozen=True):
    """An item of the index. Keys: `0#bucket`, `t#term`, `b#bucket`, `d#…` for dictionaries."""

    key: str
    sort: str
    postings: bytes
    positions: bytes = b""
    df: int = 0
    impact: int = 0


class Generation(msgspec.Struct, frozen=True):
    """A compacted part of the index."""

    number: int
    buckets: int
    documents: int


class Manifest(msgspec.Struct, frozen=True):
    """Which parts of the index are live: replaced as a whole, never changed."""

    version: int = 0
    deltas: list[int] = []
    generations: list[Generation] = []
    analyzer: dict[str, Any] = {}  # how its words were made, so that queries are made alike
