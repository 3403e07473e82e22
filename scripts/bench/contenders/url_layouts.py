"""Layouts of known URLs in DynamoDB, by the units that LINKS and claims would use.

Only sizes and units: what two functions do at once, and what failures leave behind, is not here.
All of it favours packs, whose writes never meet another's and are never repeated.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
import zstandard

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ITEM_OVERHEAD = 60  # bytes of a key, a version and names of attributes
NEWEST = 1024  # bytes of a host's newest bucket: what one write unit takes
BUCKET = 8192  # bytes of a bucket that is not newest
PIECE = 4096  # bytes of a piece of a run: what half a read unit takes
FAN = 8  # runs of a level that are merged
KB, READ = 1024, 4096
_COMPRESSOR = zstandard.ZstdCompressor(level=3)


class Url(NamedTuple):
    """A URL as a pack holds it. Its id follows from its address, so it is not stored."""

    id: bytes
    path: str
    via: bytes  # the page that led to it
    depth: int = 1


def packed_size(urls: Sequence[Url]) -> int:
    """The bytes of an item with these URLs."""
    vias = {via: n for n, via in enumerate(dict.fromkeys(url.via for url in urls))}
    ways = [vias[url.via] for url in urls], bytes(url.depth for url in urls)
    body = msgspec.msgpack.encode(([url.path for url in urls], b"".join(vias), *ways))
    return len(_COMPRESSOR.compress(body)) + ITEM_OVERHEAD


def written(size: int) -> int:
    """Write units of an item."""
    return max(1, -(-size // KB))


def read(size: int) -> float:
    """Read units of an item, which may be some seconds old."""
    return 0.5 * max(1, -(-size // READ))


class Seen(NamedTuple):
    """What a lookup found, and all that came with it."""

    rru: float
    ids: set[bytes]


class Layout(Protocol):
    """Where known URLs lie."""

    def look_up(self, host: str, ids: Sequence[bytes]) -> Seen:
        """Read until each of these is found, or known to be new."""

    def add(self, host: str, urls: Sequence[Url]) -> float:
        """Keep new URLs; returns write units."""

    def claim(self, host: str, id: bytes) -> float:
        """Read units that a claim takes beside its write."""


class Items:
    """An item for each URL, as it is today."""

    def look_up(self, host: str, ids: Sequence[bytes]) -> Seen:
        """Half a unit each, whether there is an item or not."""
        return Seen(0.5 * len(ids), set(ids))

    def add(self, host: str, urls: Sequence[Url]) -> float:
        """A unit each."""
        return float(len(urls))

    def claim(self, host: str, id: bytes) -> float:
        """Nothing: the condition of its write says all."""
        return 0.0


class _Pack:
    """URLs of one item."""

    def __init__(self, urls: Iterable[Url]) -> None:
        self.urls = sorted(urls)
        self.ids = {url.id for url in self.urls}
        self.size = packed_size(self.urls)


@dataclass
class _Host:
    newest: _Pack = field(default_factory=lambda: _Pack(()))
    buckets: dict[tuple[int, int], _Pack] = field(default_factory=dict)  # by bits and prefix
    runs: dict[int, list[_Run]] = field(default_factory=lambda: defaultdict(list))  # by level


class _PerHost:
    """Packs of hosts. Fewer new URLs than `few` of a host become items: a pack costs as much."""

    def __init__(self, few: int = 1) -> None:
        self._hosts: dict[str, _Host] = defaultdict(_Host)
        self._items: set[bytes] = set()
        self._few = few

    def look_up(self, host: str, ids: Sequence[bytes]) -> Seen:
        at = self._hosts[host]
        rru, found = read(at.newest.size), set(at.newest.ids)
        for pack in self._packs(at, [id for id in ids if id not in found]):
            rru += read(pack.size)
            found |= pack.ids
        left = [id for id in ids if id not in found]  # new, or with an item, which always wins
        return Seen(rru + 0.5 * len(left), found.union(left))

    def add(self, host: str, urls: Sequence[Url]) -> float:
        at = self._hosts[host]
        if len(urls) < self._few:
            self._items.update(url.id for url in urls)
            return float(len(urls))
        newest = _Pack([*at.newest.urls, *urls])
        if newest.size <= NEWEST:
            at.newest = newest
            return written(newest.size)
        at.newest = _Pack(())
        return self._fold(at, newest.urls) + 1

    def claim(self, host: str, id: bytes) -> float:
        """The item is looked at first: a write whose condition fails costs as much as another."""
        return 0.5 if id in self._items else 0.5 + self.look_up(host, [id]).rru

    def _packs(self, at: _Host, ids: Sequence[bytes]) -> Iterable[_Pack]:
        raise NotImplementedError

    def _fold(self, at: _Host, urls: Sequence[Url]) -> float:
        raise NotImplementedError


class Buckets(_PerHost):
    """Buckets that split by the bits of ids: each is written again for every URL that comes."""

    def _packs(self, at: _Host, ids: Sequence[bytes]) -> Iterable[_Pack]:
        places = {_place(at.buckets, id) for id in ids}
        return [at.buckets[place] for place in places if place in at.buckets]

    def _fold(self, at: _Host, urls: Sequence[Url]) -> float:
        by_place: dict[tuple[int, int], list[Url]] = defaultdict(list)
        for url in urls:
            by_place[_place(at.buckets, url.id)].append(url)
        return sum(self._put(at, place, some) for place, some in by_place.items())

    def _put(self, at: _Host, place: tuple[int, int], urls: Sequence[Url]) -> float:
        before = at.buckets.pop(place, None)
        pack = _Pack(chain(before.urls if before else (), urls))
        if pack.size <= BUCKET:
            at.buckets[place] = pack
            return written(pack.size)
        bits, prefix = place
        halves: tuple[list[Url], list[Url]] = [], []
        for url in pack.urls:
            halves[_prefix(url.id, bits + 1) & 1].append(url)
        return sum(
            self._put(at, (bits + 1, 2 * prefix + half), some) for half, some in enumerate(halves)
        )


class _Run:
    """URLs in pieces by id, never written again."""

    def __init__(self, urls: Sequence[Url]) -> None:
        urls = sorted(urls)
        step = -(-len(urls) // -(-packed_size(urls) // PIECE))
        self.pieces = [_Pack(urls[n : n + step]) for n in range(0, len(urls), step)]
        self.urls = urls
        self._firsts = [piece.urls[0].id for piece in self.pieces]

    @property
    def wru(self) -> float:
        """What it costs to write."""
        return sum(written(piece.size) for piece in self.pieces)

    def pieces_of(self, ids: Iterable[bytes]) -> list[_Pack]:
        """The pieces in which these would be."""
        places = {max(0, bisect_right(self._firsts, id) - 1) for id in ids}
        return [self.pieces[place] for place in places]


class Levels(_PerHost):
    """Runs that are never changed; FAN of a level are merged into one of the next."""

    def _packs(self, at: _Host, ids: Sequence[bytes]) -> Iterable[_Pack]:
        left = set(ids)
        for level in sorted(at.runs):
            for run in reversed(at.runs[level]):
                pieces = run.pieces_of(left)
                yield from pieces
                left -= {id for piece in pieces for id in piece.ids}

    def _fold(self, at: _Host, urls: Sequence[Url], level: int = 1) -> float:
        run = _Run(urls)
        at.runs[level].append(run)
        if len(at.runs[level]) < FAN:
            return run.wru
        merged = [url for each in at.runs.pop(level) for url in each.urls]
        return run.wru + self._fold(at, merged, level + 1)


def _prefix(id: bytes, bits: int) -> int:
    return int.from_bytes(id[:4], "big") >> (32 - bits)


def _place(buckets: dict[tuple[int, int], _Pack], id: bytes) -> tuple[int, int]:
    """The bucket of an id: the one that there is with a prefix of it."""
    for bits in range(33):
        if (place := (bits, _prefix(id, bits))) in buckets:
            return place
    return 0, 0
