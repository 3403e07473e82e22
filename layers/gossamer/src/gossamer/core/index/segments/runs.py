"""Parts of a segment that several processes make: a run of terms, or a run of stored documents.

    magic · size and checksum of the facts · facts · file · file · …

The facts say what is in the files, how long they are, and their checksums. They stand in front, so
that one read of the beginning shows whether a part is there and what it has.
"""

from __future__ import annotations

import io
import struct
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import msgspec
from xxhash import xxh3_64, xxh3_64_intdigest

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.layout import Range
from gossamer.core.index.segments.stored import StoredRun
from gossamer.core.index.segments.vocabulary import Counted
from gossamer.core.index.segments.writer import POSITIONS, POSTINGS, TERMS, Terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gossamer.core.index.segments.numbers import Buffer

    Fetch = Callable[[Sequence[Range]], Sequence[Buffer]]

MAGIC = b"GOSSAMP\x01"
_HEAD = struct.Struct("<8sIQ")
BEGINNING = 65_536  # bytes that are read first
COPIED = 1 << 20
READ_AT_ONCE = 4  # pieces, side by side
PIECE = 4 << 20  # bytes


class TermFacts(msgspec.Struct, frozen=True, array_like=True):
    """A run of terms."""

    first_terms: list[str]
    sizes: list[tuple[int, int, int]]
    terms: int
    postings: int
    positions: int
    words: Counted = Counted([], [])


class StoredFacts(msgspec.Struct, frozen=True, array_like=True):
    """A run of stored documents."""

    counts: list[int]
    sizes: list[int]


class _Facts(msgspec.Struct, frozen=True, array_like=True):
    run: msgspec.Raw
    files: list[tuple[int, int]]  # size and checksum of each


def pack_terms(run: Terms) -> Iterator[bytes]:
    """A run of terms as a part."""
    facts = TermFacts(run.first_terms, run.sizes, run.terms, run.postings, run.positions, run.words)
    return _pack(facts, list(run.files.values()))


def pack_stored_run(run: StoredRun) -> Iterator[bytes]:
    """A run of stored documents as a part."""
    return _pack(StoredFacts(run.counts, run.sizes), [run.file])


def _pack(run: msgspec.Struct, files: Sequence[BinaryIO]) -> Iterator[bytes]:
    known = [_size_and_checksum(file) for file in files]
    facts = msgspec.msgpack.encode(_Facts(msgspec.Raw(msgspec.msgpack.encode(run)), known))
    yield _HEAD.pack(MAGIC, len(facts), xxh3_64_intdigest(facts)) + facts
    for file in files:
        yield from _pieces(file)


def _size_and_checksum(file: BinaryIO) -> tuple[int, int]:
    size, digest = 0, xxh3_64()
    for piece in _pieces(file):
        digest.update(piece)
        size += len(piece)
    return size, digest.intdigest()


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(COPIED):
        yield piece


Run = TypeVar("Run", TermFacts, StoredFacts)


def read_terms(name: str, fetch: Fetch) -> Terms:
    """The run of terms in a part; its files are read when they are copied."""
    facts, files = _read(name, fetch, TermFacts)
    return Terms(dict(zip((TERMS, POSTINGS, POSITIONS), files, strict=True)), *_fields(facts))


def _fields(
    facts: TermFacts,
) -> tuple[list[str], list[tuple[int, int, int]], int, int, int, Counted]:
    counts = facts.terms, facts.postings, facts.positions
    return facts.first_terms, facts.sizes, *counts, facts.words


def read_stored_run(name: str, fetch: Fetch) -> StoredRun:
    """The run of stored documents in a part."""
    facts, [file] = _read(name, fetch, StoredFacts)
    return StoredRun(file, facts.counts, facts.sizes)


def _read(name: str, fetch: Fetch, kind: type[Run]) -> tuple[Run, list[BinaryIO]]:
    [beginning] = fetch([Range(name, 0, BEGINNING)])
    size = _facts_size(name, beginning)
    if _HEAD.size + size > len(beginning):
        [beginning] = fetch([Range(name, 0, _HEAD.size + size)])
    facts = _facts(name, beginning, size)
    at, files = _HEAD.size + size, []
    for length, checksum in facts.files:
        whole = _StoredFile(Range(name, at, length), checksum, fetch)
        files.append(io.BufferedReader(whole, READ_AT_ONCE * PIECE))
        at += length
    return msgspec.msgpack.decode(facts.run, type=kind), files  # type: ignore[return-value]


def _facts_size(name: str, beginning: Buffer) -> int:
    if len(beginning) < _HEAD.size or bytes(beginning[: len(MAGIC)]) != MAGIC:
        raise CorruptRecord(f"the part {name} is damaged: it does not begin as a part does")
    size: int = _HEAD.unpack_from(beginning)[1]
    return size


def _facts(name: str, beginning: Buffer, size: int) -> _Facts:
    packed = memoryview(beginning)[_HEAD.size : _HEAD.size + size]
    if xxh3_64_intdigest(packed) != _HEAD.unpack_from(beginning)[2]:
        raise CorruptRecord(f"the part {name} is damaged: its facts have another checksum")
    return msgspec.msgpack.decode(packed, type=_Facts)


class _StoredFile(io.RawIOBase):
    """Some bytes of a stored file, read front to back; at the end their checksum is compared."""

    def __init__(self, place: Range, checksum: int, fetch: Fetch) -> None:
        self._place, self._checksum, self._fetch = place, checksum, fetch
        self._at, self._digest = 0, xxh3_64()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Begin again; a file is read from its beginning only."""
        if offset or whence != io.SEEK_SET:
            raise io.UnsupportedOperation("a part is read front to back")
        self._at, self._digest = 0, xxh3_64()
        return 0

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Buffer) -> int:  # type: ignore[override]
        end = min(self._place.size, self._at + len(buffer))
        edges = [*range(self._at, end, PIECE), end]
        name, begin, _ = self._place
        ranges = [Range(name, begin + a, b - a) for a, b in pairwise(edges)]
        data = b"".join([bytes(found) for found in self._fetch(ranges)])
        memoryview(buffer)[: len(data)] = data
        self._digest.update(data)
        self._at += len(data)
        self._check(len(data) == end - edges[0])
        return len(data)

    def _check(self, is_complete: bool) -> None:
        is_whole = self._at == self._place.size
        if not is_complete or (is_whole and self._digest.intdigest() != self._checksum):
            raise CorruptRecord(f"the part {self._place.file} is damaged: merge it again")
