"""Tombstones: which documents of a segment are dead, as a bitmap in a file beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments.numbers import compress, decompress

if TYPE_CHECKING:
    from gossamer.core.index.segments.numbers import Buffer

Bits = npt.NDArray[np.bool_]


def pack_bits(bits: Bits) -> bytes:
    """A bitmap as a file."""
    return compress(np.packbits(bits, bitorder="little").tobytes())


def unpack_bits(data: Buffer, count: int, name: str) -> Bits:
    """The bitmap in a file."""
    octets = np.frombuffer(decompress(data, f"the file {name}"), np.uint8)
    if len(octets) != (count + 7) // 8:
        raise CorruptRecord(f"the file {name} is damaged: it is for another segment")
    return np.unpackbits(octets, count=count, bitorder="little").astype(np.bool_)
