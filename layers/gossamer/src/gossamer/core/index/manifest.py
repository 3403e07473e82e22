"""The items that make up the index, and the manifest that names its live parts."""

from __future__ import annotations

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
    delta_times: list[float] = []  # when each was published
    generations: list[Generation] = []
    # How its words were made, so that queries are made alike.
    analyzer: dict[str, str | int | bool] = {}


def times_of(manifest: Manifest) -> list[float]:
    """When each delta was published; 0 for those of a manifest that did not say."""
    unknown = len(manifest.deltas) - len(manifest.delta_times)
    return [0.0] * unknown + manifest.delta_times
