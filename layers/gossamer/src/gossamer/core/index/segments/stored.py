"""What is shown of each document, compressed in small blocks.

A page of results reads ten documents from ten places, so blocks are small: neighbours share one
until it has 8 KB, and a long text has one for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.numbers import Ints, compress, decompress, starts_of
from gossamer.core.page.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    kind: str = ""
    template: str = ""
    values: dict[str, Value] = {}


_encode = msgspec.msgpack.Encoder().encode
_decode_raw = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
_decode_all = msgspec.msgpack.Decoder(list[Stored]).decode
_ARRAY_32 = 0xDD  # MessagePack: an array with a length of 32 bits


def pack_stored(documents: Iterable[Stored | msgspec.Raw]) -> list[tuple[str, bytes]]:
    """The regions of what is stored."""
    blocks: list[bytes] = []
    counts: list[int] = []
    waiting: list[bytes] = []
    size = 0
    for packed in map(_encode, documents):
        if waiting and size + len(packed) > BLOCK_BYTES:
            blocks.append(_block(waiting))
            counts.append(len(waiting))
            waiting, size = [], 0
        waiting.append(packed)
        size += len(packed)
    if waiting:
        blocks.append(_block(waiting))
        counts.append(len(waiting))
    return [(BLOCKS, b"".join(blocks)), (PLACES, _places(counts, blocks))]


def _block(packed: list[bytes]) -> bytes:
    return compress(bytes([_ARRAY_32]) + len(packed).to_bytes(4, "big") + b"".join(packed))


def _places(counts: list[int], blocks: list[bytes]) -> bytes:
    firsts = starts_of(np.array(counts, np.int64))
    offsets = starts_of(np.array([len(block) for block in blocks], np.int64))
    return np.stack([firsts, offsets]).astype("<i8").tobytes()


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
