"""What is shown of each document, compressed in small blocks.

A page of results reads ten documents from ten places, so blocks are small: neighbours share one
until it has 8 KB, and a long text has one for itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec
import numpy as np

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.numbers import Ints, compress, decompress, starts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.core.index.segments.layout import Content
    from gossamer.core.index.segments.numbers import Buffer

BLOCK_BYTES = 8192
BLOCKS, PLACES = "stored", "stored.places"  # regions


class Stored(msgspec.Struct, frozen=True, array_like=True):
    """A document as a result shows it."""

    url: str
    title: str = ""
    text: str = ""
    description: str = ""
    language: str = ""
    published_at: str = ""
    canonical: str = ""
    headings: tuple[str, ...] = ()
    id: bytes = b""
    fetched_at: float = 0.0


_encode = msgspec.msgpack.Encoder().encode
_decode_raw = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
_decode_all = msgspec.msgpack.Decoder(list[Stored]).decode
_ARRAY_32 = 0xDD  # MessagePack: an array with a length of 32 bits


@dataclass(slots=True)
class StoredRun:
    """Documents as they are stored: a file of blocks, and how many each has."""

    file: BinaryIO = field(default_factory=BytesIO)
    counts: list[int] = field(default_factory=list)  # documents by block
    sizes: list[int] = field(default_factory=list)  # bytes by block

    def add(self, packed: list[bytes]) -> None:
        """Write a block."""
        block = _block(packed)
        self.file.write(block)
        self.counts.append(len(packed))
        self.sizes.append(len(block))


def write_stored(
    documents: Iterable[Stored | msgspec.Raw], file: BinaryIO | None = None
) -> StoredRun:
    """Write documents as blocks into a file."""
    run = StoredRun() if file is None else StoredRun(file)
    for packed in _blocks(map(_encode, documents)):
        run.add(packed)
    return run


def _blocks(documents: Iterable[bytes]) -> Iterator[list[bytes]]:
    waiting: list[bytes] = []
    size = 0
    for packed in documents:
        if waiting and size + len(packed) > BLOCK_BYTES:
            yield waiting
            waiting, size = [], 0
        waiting.append(packed)
        size += len(packed)
    if waiting:
        yield waiting


def stored_regions(runs: Sequence[StoredRun]) -> list[tuple[str, Content]]:
    """The regions of what is stored; the documents of each run follow those before it."""
    counts = np.array([count for run in runs for count in run.counts], np.int64)
    sizes = np.array([size for run in runs for size in run.sizes], np.int64)
    places = np.stack([starts_of(counts), starts_of(sizes)]).astype("<i8").tobytes()
    return [(BLOCKS, [run.file for run in runs]), (PLACES, places)]


def _block(packed: list[bytes]) -> bytes:
    return compress(bytes([_ARRAY_32]) + len(packed).to_bytes(4, "big") + b"".join(packed))


class StoredPlace(NamedTuple):
    """Where a document is stored: the block's offset and size, and its place in the block."""

    offset: int
    size: int
    number: int


class StoredPlaces:
    """Which block each document is in."""

    def __init__(self, data: Buffer) -> None:
        self._firsts, self._offsets = np.frombuffer(data, "<i8").reshape(2, -1)

    def place(self, document: int) -> StoredPlace:
        """Where a document is stored."""
        block = int(np.searchsorted(self._firsts, document, side="right")) - 1
        begin, end = self._offsets[block : block + 2].tolist()
        return StoredPlace(begin, end - begin, document - int(self._firsts[block]))

    @property
    def firsts(self) -> Ints:
        """The first document of each block, and how many documents there are."""
        return self._firsts


def unpack_stored(data: Buffer, what: str) -> list[Stored]:
    """The documents of a block."""
    try:
        return _decode_all(decompress(data, what))
    except msgspec.DecodeError as error:
        raise CorruptRecord(f"{what} is damaged: {error}") from error


def unpack_raw(data: Buffer, what: str) -> list[msgspec.Raw]:
    """The documents of a block as they are packed, to be stored again."""
    try:
        return _decode_raw(decompress(data, what))
    except msgspec.DecodeError as error:
        raise CorruptRecord(f"{what} is damaged: {error}") from error
