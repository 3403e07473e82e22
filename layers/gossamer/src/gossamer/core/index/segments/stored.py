"""What is shown of each document, compressed in small blocks.

A page of results reads ten documents from ten places, so blocks are small: neighbours share one
until it has 8 KB, and a long text has one for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec
import numpy as np

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.numbers import compress, decompress, starts_of
from gossamer.core.page.values import Value

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
    kind: str = ""
    template: str = ""
    values: dict[str, Value] = {}
    date: str = ""  # when it was published or changed
    date_source: str = ""  # what says so
    unavailable_after: float = 0.0  # when it must be found no more; 0 is never

    def is_over(self, now: float) -> bool:
        """Whether its page asked not to be found any more."""
        return 0 < self.unavailable_after <= now


_encode = msgspec.msgpack.Encoder().encode
_decode_raw = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
_decode_all = msgspec.msgpack.Decoder(list[Stored]).decode
_ARRAY_32 = 0xDD  # MessagePack: an array with a length of 32 bits


class StoredBlock(NamedTuple):
    """A block as it was written before, to be stored again as it is."""

    documents: int
    packed: bytes


class StoredWriter:
    """Writes what is stored, block by block."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.sizes: list[int] = []

    def blocks(self, documents: Iterable[Stored | msgspec.Raw | StoredBlock]) -> Iterator[bytes]:
        """The region of the blocks."""
        waiting: list[bytes] = []
        size = 0
        for document in documents:
            packed = b"" if isinstance(document, StoredBlock) else _encode(document)
            if waiting and (not packed or size + len(packed) > BLOCK_BYTES):
                yield self._note(len(waiting), _block(waiting))
                waiting, size = [], 0
            if isinstance(document, StoredBlock):
                yield self._note(*document)
                continue
            waiting.append(packed)
            size += len(packed)
        if waiting:
            yield self._note(len(waiting), _block(waiting))

    def _note(self, documents: int, block: bytes) -> bytes:
        self.counts.append(documents)
        self.sizes.append(len(block))
        return block

    def places(self) -> bytes:
        """The region that says where the blocks that were written begin."""
        return _places(self.counts, self.sizes)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """Documents as they were stored before: a file of blocks, and what each block has."""

    file: BinaryIO
    counts: list[int]  # documents by block
    sizes: list[int]  # bytes by block


def write_stored(
    documents: Iterable[Stored | msgspec.Raw | StoredBlock], file: BinaryIO
) -> StoredRun:
    """Write documents as blocks into a file."""
    writer = StoredWriter()
    for block in writer.blocks(documents):
        file.write(block)
    return StoredRun(file, writer.counts, writer.sizes)


def stored_regions(runs: Sequence[StoredRun]) -> list[tuple[str, Content]]:
    """The regions of what is stored; the documents of each run follow those before it."""
    counts = [count for run in runs for count in run.counts]
    sizes = [size for run in runs for size in run.sizes]
    return [(BLOCKS, [run.file for run in runs]), (PLACES, _places(counts, sizes))]


def _places(counts: list[int], sizes: list[int]) -> bytes:
    firsts, offsets = (starts_of(np.array(each, np.int64)) for each in (counts, sizes))
    return np.stack([firsts, offsets]).astype("<i8").tobytes()


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

    def block_at(self, document: int) -> int:
        """How many documents the block has that begins with this one; 0 if none begins there."""
        block = int(np.searchsorted(self._firsts, document, side="right")) - 1
        first, end = self._firsts[block : block + 2].tolist()
        return end - first if first == document else 0


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
