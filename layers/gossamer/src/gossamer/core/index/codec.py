"""Pack postings into bytes.

Numbers are stored as gaps, each column split into planes of bytes (all low bytes, then all second
bytes, …) and compressed: the high planes are nearly all zeros and cost nothing, and numpy puts the
planes together again at memory speed (docs/performance.md has the alternatives).
The first byte is the version of the format; golden files keep every version readable.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import zstandard

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = 1
_HEAD = struct.Struct("<BIII")  # version, terms, postings, bytes of the term list
# With a checksum: a damaged item must never be taken for another one.
compress = zstandard.ZstdCompressor(level=3, write_checksum=True).compress
_decompress = zstandard.ZstdDecompressor().decompress
MAX_UNPACKED = 1 << 30
# A frame consists of blocks of at most 128 KB, and the least of them takes 4 bytes.
MAX_RATIO = 128 * 1024 // 4

Ints = npt.NDArray[np.int64]


def decompress(data: bytes) -> bytes:
    """What was compressed; ValueError or ZstdError if it is damaged."""
    # Room is made for as much as the frame says before the first byte is looked at.
    if not 0 <= zstandard.frame_content_size(data) <= min(MAX_UNPACKED, MAX_RATIO * len(data)):
        raise ValueError("it says that it is huge, or not how large it is")
    return _decompress(data, max_output_size=MAX_UNPACKED)


def pack_column(values: npt.NDArray[np.integer]) -> bytes:
    """Non-negative numbers: how many bytes each takes, then plane by plane."""
    widest = int(values.max(initial=0))
    width = max(1, (widest.bit_length() + 7) // 8)
    octets = values.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width]
    return bytes((width,)) + octets.T.tobytes()


def unpack_column(data: memoryview, at: int, count: int) -> tuple[Ints, int]:
    """The numbers of a column that begins at `at`, and where the next one begins."""
    width = data[at]
    end = at + 1 + width * count
    planes = np.frombuffer(data[at + 1 : end], np.uint8).reshape(width, count)
    values = planes[0].astype(np.int64)
    for number in range(1, width):
        values |= planes[number].astype(np.int64) << (8 * number)
    return values, end


def pack_postings(table: Postings) -> bytes:
    """Terms, documents and impacts of a table, without its positions."""
    terms = "\n".join(table.terms).encode()
    dfs = np.diff(table.starts)
    columns = (
        pack_column(dfs),
        pack_column(gaps(table.ordinals, table.starts)),
        table.impacts.tobytes(),
        pack_column(table.counts()),
    )
    head = _HEAD.pack(VERSION, len(table.terms), len(table), len(terms))
    return head + compress(terms + b"".join(columns))


def posting_count(postings: bytes) -> int:
    """How many postings a packed table has, without unpacking it."""
    try:
        count: int = _HEAD.unpack_from(postings)[2]
    except struct.error as error:
        raise CorruptRecord(f"a block of the index cannot be read: {error}") from error
    return count


def pack_positions(table: Postings) -> bytes:
    """The positions of a table."""
    starts = np.concatenate(([0], table.ends))
    return bytes((VERSION,)) + compress(pack_column(gaps(table.positions, starts)))


def unpack(postings: bytes, positions: bytes = b"") -> Postings:
    """A table from its packed parts; without `positions` it has none."""
    try:
        return _unpack(postings, positions)
    except (struct.error, zstandard.ZstdError, ValueError, IndexError) as error:
        raise CorruptRecord(f"a block of the index cannot be read: {error}") from error


def _unpack(postings: bytes, positions: bytes) -> Postings:
    version, term_count, count, term_bytes = _HEAD.unpack_from(postings)
    if version != VERSION:
        raise ValueError(f"format {version}, where {VERSION} is known")
    data = memoryview(decompress(postings[_HEAD.size :]))
    terms = bytes(data[:term_bytes]).decode().split("\n") if term_count else []
    dfs, at = unpack_column(data, term_bytes, term_count)
    steps, at = unpack_column(data, at, count)
    impacts = np.frombuffer(data[at : at + count], np.uint8)
    counts, at = unpack_column(data, at + count, count)
    if at != len(data) or len(terms) != term_count or int(dfs.sum()) != count:
        raise ValueError("its parts do not fit together")
    starts = np.concatenate(([0], np.cumsum(dfs)))
    ends = np.cumsum(counts)
    places = _unpack_positions(positions, ends) if positions else np.zeros(0, np.int64)
    return Postings(terms, starts, undo_gaps(steps, starts), impacts, ends, places)


def _unpack_positions(positions: bytes, ends: Ints) -> Ints:
    if positions[0] != VERSION:
        raise ValueError(f"positions of format {positions[0]}, where {VERSION} is known")
    total = int(ends[-1]) if len(ends) else 0
    data = memoryview(decompress(positions[1:]))
    steps, at = unpack_column(data, 0, total)
    if at != len(data):
        raise ValueError("its positions do not fit its postings")
    return undo_gaps(steps, np.concatenate(([0], ends)))


def gaps(values: Ints, starts: Sequence[int] | Ints) -> Ints:
    """Each value less the one before it in its run; the first of a run as it is."""
    steps = np.diff(values, prepend=0)
    firsts = np.asarray(starts[:-1])
    firsts = firsts[firsts < np.asarray(starts[1:])]  # runs that are not empty
    steps[firsts] = values[firsts]
    return steps


def undo_gaps(steps: Ints, starts: Ints) -> Ints:
    """The values whose gaps these are."""
    sums = np.cumsum(steps)
    sizes = np.diff(starts)
    before = np.concatenate(([0], sums))[starts[:-1]]
    values: Ints = sums - np.repeat(before, sizes)
    return values
