"""Which documents a segment has: their ids in order, versions and what else identifies them.

Documents are numbered in the order of their ids. So an id is found by bisection, and of two results
with equal scores the one with the lower number has the lower id, in every segment alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from gossamer.core.ids import URL_ID_BYTES, DocumentId

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.core.index.segments.numbers import Buffer

Ids: TypeAlias = "npt.NDArray[np.bytes_]"
Bits: TypeAlias = "npt.NDArray[np.bool_]"

ID_BYTES: Final = 20  # of a URL, then of its part; a part 0 is all zeros
DIGEST_BYTES: Final = 16
_ID: Final = np.dtype(f"S{ID_BYTES}")
_DIGEST: Final = np.dtype(f"S{DIGEST_BYTES}")
IDS, VERSIONS, ANCHORS, GONE, LEVELS = "ids", "versions", "anchors", "gone", "levels"  # regions


@dataclass(frozen=True, slots=True, eq=False)
class Identities:
    """The documents of a segment: place i of every array is document i."""

    ids: Ids  # ascending
    versions: npt.NDArray[np.float64]  # when the page was fetched
    anchors: npt.NDArray[np.bytes_]  # a digest of the names it was indexed with
    gone: Bits  # it only says that the document was removed
    levels: npt.NDArray[np.uint8]  # PageRank when it was indexed

    def __len__(self) -> int:
        return len(self.ids)

    def find(self, ids: Ids) -> npt.NDArray[np.int64]:
        """The number of each of these ids; -1 for what is not there."""
        if not len(self.ids):
            return np.full(len(ids), -1)
        places = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[places] == ids, places, -1)

    def id(self, number: int) -> DocumentId:
        """The id of a document."""
        return document_id_of(self.ids[number])

    def select(self, chosen: npt.NDArray[np.int64]) -> Identities:
        """Some of the documents."""
        return Identities(
            self.ids[chosen],
            self.versions[chosen],
            self.anchors[chosen],
            self.gone[chosen],
            self.levels[chosen],
        )

    def packed(self) -> list[tuple[str, bytes]]:
        """The regions."""
        return [
            (IDS, self.ids.tobytes()),
            (VERSIONS, self.versions.astype("<f8").tobytes()),
            (ANCHORS, self.anchors.tobytes() if self.anchors.any() else b""),
            (GONE, np.packbits(self.gone, bitorder="little").tobytes()),
            (LEVELS, self.levels.tobytes() if self.levels.any() else b""),
        ]


def identities(
    ids: Sequence[DocumentId],
    versions: Sequence[float],
    anchors: Sequence[bytes],
    gone: Sequence[bool],
    levels: Sequence[int],
) -> Identities:
    """The documents of a new segment; their ids ascend."""
    return Identities(
        as_ids(ids),
        np.array(versions, np.float64),
        np.array(anchors, _DIGEST),
        np.array(gone, np.bool_),
        np.array(levels, np.uint8),
    )


def read_identities(load: Callable[[str], Buffer], count: int) -> Identities:
    """The documents of a segment that was written."""
    digests = load(ANCHORS)
    anchors = np.frombuffer(digests, _DIGEST) if len(digests) else np.zeros(count, _DIGEST)
    return Identities(
        np.frombuffer(load(IDS), _ID),
        read_versions(load),
        anchors,
        read_gone(load, count),
        read_levels(load, count),
    )


def read_versions(load: Callable[[str], Buffer]) -> npt.NDArray[np.float64]:
    """When the page of each document of a segment was fetched."""
    return np.frombuffer(load(VERSIONS), "<f8")


def read_gone(load: Callable[[str], Buffer], count: int) -> Bits:
    """Which documents of a segment only say that they were removed."""
    octets = np.frombuffer(load(GONE), np.uint8)
    return np.unpackbits(octets, count=count, bitorder="little").astype(np.bool_)


def read_levels(load: Callable[[str], Buffer], count: int) -> npt.NDArray[np.uint8]:
    """The PageRank of a segment's documents when they were indexed."""
    levels = np.frombuffer(load(LEVELS), np.uint8)
    return levels if len(levels) else np.zeros(count, np.uint8)


def concatenated(parts: Sequence[Identities]) -> Identities:
    """The documents of several segments, one behind the other."""
    return Identities(
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.versions for part in parts]),
        np.concatenate([part.anchors for part in parts]),
        np.concatenate([part.gone for part in parts]),
        np.concatenate([part.levels for part in parts]),
    )


def as_ids(ids: Sequence[bytes]) -> Ids:
    """Ids as an array; numpy compares them as bytes, and what is shorter ends with zeros."""
    return np.array(ids, _ID) if len(ids) else np.zeros(0, _ID)


def document_id_of(cell: bytes) -> DocumentId:
    """An id of an array, which has lost the zeros at its end."""
    cell = bytes(cell)
    return DocumentId(cell.ljust(URL_ID_BYTES if len(cell) <= URL_ID_BYTES else ID_BYTES, b"\0"))
