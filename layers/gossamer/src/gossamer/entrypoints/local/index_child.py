"""The process that indexes beside a crawl.

It has the collection open to read, and writes files of the index. Whatever changes the database is
asked of the crawl, which is its only writer: to publish a manifest, to note founders of clusters,
names of pages and links to them, to delete files. It ends when its line to the crawl does; what was
not published by then is found by the next run, because documents themselves tell whether they are
indexed.

The crawl sends how to begin, then lots of messages, one at a time. Until a lot is done, this
process asks and the crawl replies. Messages are MessagePack (`entrypoints.line`).
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, TypeAlias, cast

import msgspec

from gossamer import homes
from gossamer.batch.compact import Policy, compact
from gossamer.batch.index_parsed import index_parsed
from gossamer.bolts.manifest import sweep
from gossamer.core.index.segments.formats import DEFAULT_FORMAT
from gossamer.core.index.segments.manifest import Manifest
from gossamer.entrypoints.line import receive, send
from gossamer.entrypoints.local.rank_beside import (
    DocumentsBeside,
    EdgesBeside,
    NoReputation,
    PutAnchors,
    PutInLinks,
    Rankings,
    rank_now,
)
from gossamer.messages import DocumentParsed
from gossamer.ports.content_owners import Founder
from gossamer.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from io import BufferedRWPair

    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.core.index.segments.numbers import Buffer
    from gossamer.ports.content_owners import ContentStore
    from gossamer.ports.home import Home
    from gossamer.ports.segments import Head, SegmentStore

NICENESS = 5  # pages are fetched and parsed before they are indexed
# Documents of a merge beside a crawl: pages that are parsed meanwhile wait for it. A core merges
# some 20,000 a second. Of a large index more is merged at once, or it would have too many segments.
MERGED, MERGED_SHARE = 30_000, 0.1
GRACE = 60.0  # seconds that a search may still use files that were merged
FOUNDERS_AT_ONCE = 500  # keys: the crawl must not be held up


class Begin(msgspec.Struct, frozen=True, array_like=True):
    """Which collection, and whether it is ranked now and then."""

    settings: Settings
    ranks: bool = False


class Lot(msgspec.Struct, frozen=True, array_like=True):
    """What was parsed, or is gone."""

    messages: list[DocumentParsed]


class Publish(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Replace the manifest of the version before."""

    manifest: Manifest


class PutFounders(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Replace founders."""

    founders: dict[bytes, list[Founder]]


class Delete(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Delete files of the index."""

    names: list[str]


class Done(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A lot was indexed; so many documents can be found now."""

    live: int


Said: TypeAlias = Publish | PutFounders | PutAnchors | PutInLinks | Delete | Done
_encode = msgspec.msgpack.Encoder().encode
_decode_lot = msgspec.msgpack.Decoder(Lot).decode


class Line:
    """Asks the crawl."""

    def __init__(self, stream: BufferedRWPair) -> None:
        self._stream = stream

    def ask(self, said: Said) -> bool:
        """What the crawl says to something that changes the database."""
        send(self._stream, _encode(said))
        reply = receive(self._stream)
        if reply is None:
            raise BrokenPipeError
        return reply == b"+"


class _Files:
    """A SegmentStore that lets the crawl publish and delete."""

    format = DEFAULT_FORMAT
    is_far = False
    reads = 0.0

    def __init__(self, store: SegmentStore, line: Line) -> None:
        self._store, self._line = store, line

    def manifest(self) -> Manifest:
        return self._store.manifest()

    def publish(self, manifest: Manifest) -> bool:
        return self._line.ask(Publish(manifest))

    def put(self, name: str, pieces: Iterable[bytes]) -> int:
        return self._store.put(name, pieces)

    def read(self, ranges: Sequence[Range]) -> Sequence[Buffer]:
        return self._store.read(ranges)

    def delete(self, names: Sequence[str]) -> None:
        self._line.ask(Delete(list(names)))

    def names(self) -> list[str]:
        return self._store.names()

    def put_heads(self, heads: Iterable[Head]) -> None:
        self._store.put_heads(heads)

    def heads(
        self, terms: Sequence[str], segments: Sequence[str], *, are_all: bool = True
    ) -> Mapping[tuple[str, str], Head]:
        return self._store.heads(terms, segments, are_all=are_all)

    def rests(
        self, keys: Sequence[tuple[str, str]], *, are_all: bool = True
    ) -> Mapping[tuple[str, str], bytes]:
        return self._store.rests(keys, are_all=are_all)


class _Founders:
    """What near-duplicates ask of a content store; the crawl writes."""

    def __init__(self, store: ContentStore, line: Line) -> None:
        self._store, self._line = store, line

    def founders(self, keys: Sequence[bytes]) -> dict[bytes, list[Founder]]:
        return self._store.founders(keys)

    def put_founders(self, founders: Mapping[bytes, Sequence[Founder]]) -> None:
        pairs = [(key, list(found)) for key, found in founders.items()]
        for begin in range(0, len(pairs), FOUNDERS_AT_ONCE):
            self._line.ask(PutFounders(dict(pairs[begin : begin + FOUNDERS_AT_ONCE])))


class _Home:
    """The home as it is indexed from here."""

    def __init__(self, home: Home, line: Line) -> None:
        self._home = home
        self.documents = DocumentsBeside(home.documents, line.ask)
        self.edges = EdgesBeside(home.edges, line.ask)
        self.urls, self.settings, self.reputation = home.urls, home.settings, NoReputation()
        self.index = _Files(home.index, line)
        self.contents = _Founders(home.contents, line)


class _Policy(Policy):
    """Merges that do not take long."""

    def choose(self, manifest: Manifest) -> list[SegmentInfo]:
        most = max(MERGED, MERGED_SHARE * manifest.live)
        small = [info for info in manifest.segments if info.documents <= most]
        chosen = super().choose(msgspec.structs.replace(manifest, segments=small))
        return chosen if sum(info.live for info in chosen) <= most else []


def main(descriptor: int) -> None:
    """Index lot after lot until the crawl closes the line."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.nice(NICENESS)
    with socket.socket(fileno=descriptor) as line, line.makefile("rwb") as stream:
        begin = msgspec.msgpack.decode(receive(stream) or b"", type=Begin)
        home = cast("Home", _Home(homes.open_home(begin.settings, read_only=True), Line(stream)))
        writer, rankings = homes.index_writer(home), Rankings() if begin.ranks else None
        send(stream, b"")
        while (message := receive(stream)) is not None:
            index_lot(_decode_lot(message), home, writer)
            if rankings is not None:
                _rank_if_due(rankings, home, writer)
            send(stream, _encode(Done(home.index.manifest().live)))


def index_lot(lot: Lot, home: Home, writer: IndexWriter) -> None:
    """Index a lot; small segments are merged now and then."""
    index_parsed(lot.messages, home, writer)
    if compact(writer, policy=_Policy()):
        sweep(writer, grace=GRACE)


def _rank_if_due(rankings: Rankings, home: Home, writer: IndexWriter) -> None:
    live = home.index.manifest().live
    if rankings.is_due(live):
        began = time.perf_counter()
        rank_now(home, writer)
        rankings.done(live, time.perf_counter() - began)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except (BrokenPipeError, ConnectionResetError):
        sys.exit(0)  # the crawl is gone
