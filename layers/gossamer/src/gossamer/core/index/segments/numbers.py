"""Arrays of non-negative integers as bytes.

An array is stored as planes of bytes: all low bytes, then all second bytes, and so on. The high
planes are nearly all zeros, which zstd removes, and numpy puts the planes together again at memory
speed (docs/performance.md compares the alternatives).
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import zstandard

from gossamer.core.errors import CorruptRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

Ints: TypeAlias = "npt.NDArray[np.int64]"
Numbers: TypeAlias = "npt.NDArray[np.uint32] | npt.NDArray[np.int64]"
Buffer: TypeAlias = "bytes | memoryview"

MAX_UNPACKED = 1 << 30
# A frame consists of blocks of at most 128 KB, and the least of them takes 4 bytes.
MAX_RATIO = 128 * 1024 // 4
_SMALL = 4  # bytes; what is wider is unpacked to 64 bits


class _Zstd(threading.local):
    """Its objects may be used by one thread at a time."""

    def __init__(self) -> None:
        # With a checksum: a damaged frame must never be taken for another one.
        self.compress = zstandard.ZstdCompressor(level=1, write_checksum=True).compress
        self.decompress = zstandard.ZstdDecompressor().decompress


_zstd = _Zstd()


def compress(data: bytes) -> bytes:
    """A zstd frame."""
    return _zstd.compress(data)


def decompress(data: Buffer, what: str) -> memoryview:
    """The content of a frame; CorruptRecord names `what` is damaged."""
    try:
        # Room is made for as much as the frame says before the first byte is looked at.
        if not 0 <= zstandard.frame_content_size(data) <= min(MAX_UNPACKED, MAX_RATIO * len(data)):
            raise ValueError("its size is not plausible")
        return memoryview(_zstd.decompress(data))
    except (zstandard.ZstdError, ValueError) as error:
        raise CorruptRecord(f"{what} is damaged: {error}") from error


def pack(values: npt.NDArray[np.integer]) -> bytes:
    """How many bytes each number takes, then plane by plane."""
    widest = int(values.max(initial=0))
    width = max(1, (widest.bit_length() + 7) // 8)
    cell = np.dtype("<u4") if width <= _SMALL else np.dtype("<u8")
    octets = values.astype(cell).view(np.uint8).reshape(-1, cell.itemsize)[:, :width]
    return bytes((width,)) + octets.T.tobytes()


class Unpacker:
    """Reads packed arrays one after another."""

    def __init__(self, data: memoryview, what: str) -> None:
        self._data, self._what = data, what
        self._at = 0

    def raw(self, size: int) -> memoryview:
        """The next bytes."""
        end = self._at + size
        if size < 0 or end > len(self._data):
            raise CorruptRecord(f"{self._what} is damaged: it is too short")
        found = self._data[self._at : end]
        self._at = end
        return found

    def numbers(self, count: int) -> Numbers:
        """The next array, whose length is known."""
        width = self.raw(1)[0]
        if not 1 <= width <= 8:
            raise CorruptRecord(f"{self._what} is damaged: numbers of {width} bytes")
        planes = np.frombuffer(self.raw(width * count), np.uint8).reshape(width, count)
        if width == 1:
            narrow: Numbers = planes[0].astype(np.uint32)
            return narrow
        cell = np.dtype("<u4") if width <= _SMALL else np.dtype("<i8")
        octets = np.zeros((count, cell.itemsize), np.uint8)
        octets[:, :width] = planes.T
        wide: Numbers = octets.view(cell).reshape(count)
        return wide

    @property
    def is_at_end(self) -> bool:
        """Whether everything was read."""
        return self._at == len(self._data)

    def end(self) -> None:
        """Everything must have been read."""
        if not self.is_at_end:
            raise CorruptRecord(f"{self._what} is damaged: it is too long")


def gaps(values: npt.NDArray[np.integer], starts: npt.NDArray[np.integer]) -> Ints:
    """Each value less the one before it in its run; the first of a run as it is."""
    steps = values.astype(np.int64)
    steps[1:] -= values[:-1]
    firsts = starts[:-1]
    firsts = firsts[firsts < starts[1:]]  # runs that are not empty
    steps[firsts] = values[firsts]
    return steps


def undo_gaps(steps: Numbers, starts: npt.NDArray[np.integer]) -> Ints:
    """The values whose gaps these are."""
    sums = np.cumsum(steps, dtype=np.int64)
    before = np.concatenate(([0], sums))[starts[:-1]]
    sums -= np.repeat(before, np.diff(starts))
    return sums


def starts_of(sizes: npt.NDArray[np.integer]) -> Ints:
    """Where runs of these sizes begin, and where the last one ends."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def runs(begins: npt.NDArray[np.integer], sizes: npt.NDArray[np.integer]) -> Ints:
    """begin, begin + 1, … for each run, one after another."""
    ends = np.cumsum(sizes, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    found: Ints = np.arange(total) + np.repeat(begins - (ends - sizes), sizes)
    return found


def joined(parts: Iterable[bytes]) -> bytes:
    """One frame of several parts."""
    return compress(b"".join(parts))
