"""A filter of the names of a segment's pages: it tells of nearly every name that none has it.

Every query asks whether pages are called by its words. Without the filter that takes a read of a
block of the dictionary, and nearly always the answer is no.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

from gossamer.core.errors import CorruptRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.index.segments.numbers import Buffer

# Bytes of a name: of a million names, 2 in 10,000 others are mistaken for one of them, and each of
# these costs a read.
HASH_BYTES = 4
Hashes = npt.NDArray[np.uint32]


class NameFilter:
    """The hashes of all names of a segment."""

    def __init__(self, hashes: Hashes) -> None:
        self._hashes = hashes

    @classmethod
    def unpack(cls, file: str, data: Buffer, size: int) -> NameFilter:
        """Read a filter from its file."""
        if len(data) != size or size % HASH_BYTES:
            raise CorruptRecord(f"the names {file} are damaged: they have another size")
        return cls(np.frombuffer(data, "<u4"))

    def may_have(self, name: str) -> bool:
        """Return whether a page may have a name; False is certain."""
        wanted = np.uint32(_hash(name))
        place = int(self._hashes.searchsorted(wanted))
        return place < len(self._hashes) and bool(self._hashes[place] == wanted)


def pack_names(names: Iterable[str]) -> bytes:
    """Return the bytes of a filter of some names; no file is empty."""
    hashes = np.fromiter((_hash(name) for name in ("", *names)), np.uint32)
    return np.unique(hashes).astype("<u4").tobytes()


def _hash(name: str) -> int:
    return xxh3_64_intdigest(name.encode()) >> 32
