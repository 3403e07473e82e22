"""Write a segment: a batch of documents and their postings become one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from gossamer.core.index.segments.columns import pack_column
from gossamer.core.index.segments.dictionary import SparseIndex, pack_blocks
from gossamer.core.index.segments.layout import Footer, compose
from gossamer.core.index.segments.numbers import compress, pack
from gossamer.core.index.segments.stored import pack_stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import msgspec
    import numpy.typing as npt

    from gossamer.core.index.segments.columns import ColumnType, Value
    from gossamer.core.index.segments.identities import Identities
    from gossamer.core.index.segments.layout import ColumnInfo
    from gossamer.core.index.segments.stored import Stored
    from gossamer.core.index.segments.table import Postings

TERMS, POSTINGS, POSITIONS = "terms", "postings", "positions"  # regions
SPARSE, LENGTHS = "sparse", "lengths"


@dataclass(frozen=True, slots=True)
class Documents:
    """All of a segment's documents but their postings; place i is document i everywhere."""

    identities: Identities
    stored: Iterable[Stored | msgspec.Raw]
    lengths: npt.NDArray[np.int64]  # words by document and text field
    columns: Mapping[str, tuple[ColumnType, Sequence[Value]]] = field(default_factory=dict)


class TermWriter:
    """Writes the terms of a segment in ascending order, table by table."""

    def __init__(self, open_file: Callable[[], BinaryIO] = BytesIO) -> None:
        self._files = {name: open_file() for name in (TERMS, POSTINGS, POSITIONS)}
        self._firsts: list[str] = []
        self._offsets: dict[str, list[int]] = {name: [0] for name in self._files}
        self.terms = self.postings = self.positions = 0

    def add(self, table: Postings) -> None:
        """Write the terms of a table, all of which come after those written before."""
        for block in pack_blocks(table):
            self._firsts.append(block.first_term)
            for name, part in zip(self._files, block[1:], strict=True):
                self._files[name].write(part)
                self._offsets[name].append(self._offsets[name][-1] + len(part))
        self.terms += len(table.terms)
        self.postings += len(table)
        self.positions += len(table.positions)

    def regions(self) -> Iterator[tuple[str, bytes | BinaryIO]]:
        """What was written, and where its blocks are."""
        yield from self._files.items()
        offsets = [np.array(self._offsets[name], np.int64) for name in self._files]
        yield SPARSE, SparseIndex(self._firsts, *offsets).packed()

    def close(self) -> None:
        """Close the files; what they hold must be in the segment by then."""
        for file in self._files.values():
            file.close()


def segment(
    documents: Documents, terms: TermWriter, analyzer: Mapping[str, str | int | bool]
) -> Iterator[bytes]:
    """The bytes of a segment, piece by piece."""
    gone = int(np.count_nonzero(documents.identities.gone))
    columns, column_regions = _columns(documents)
    footer = Footer(
        documents=len(documents.identities),
        gone=gone,
        terms=terms.terms,
        postings=terms.postings,
        positions=terms.positions,
        analyzer=dict(analyzer),
        columns=columns,
    )
    *large, sparse = terms.regions()
    regions = [
        *large,
        *pack_stored(documents.stored),
        (LENGTHS, compress(pack(documents.lengths.reshape(-1)))),
        *column_regions,
        *documents.identities.packed(),
        sparse,  # last, so that one read of the end of the file brings it
    ]
    return compose(regions, footer)


def _columns(documents: Documents) -> tuple[list[ColumnInfo], list[tuple[str, bytes]]]:
    packed = [pack_column(name, *column) for name, column in documents.columns.items()]
    return [info for info, _ in packed], [region for _, found in packed for region in found]
