"""Write a segment: a batch of documents and their postings become one file."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from gossamer.core.index.postings import AS_WRITTEN
from gossamer.core.index.segments.columns import pack_column
from gossamer.core.index.segments.dictionary import SparseIndex, pack_blocks
from gossamer.core.index.segments.formats import DEFAULT_FORMAT
from gossamer.core.index.segments.layout import Footer, compose
from gossamer.core.index.segments.numbers import compress, pack, starts_of
from gossamer.core.index.segments.parts import pack_part
from gossamer.core.index.segments.stored import BLOCKS, PLACES, StoredWriter, stored_regions
from gossamer.core.index.segments.vocabulary import (
    MOST_WORDS,
    VOCABULARY,
    Counted,
    listed,
    most_frequent,
    pack_vocabulary,
    together,
)
from gossamer.core.index.suggestions.region import SUGGESTIONS, pack_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import msgspec
    import numpy.typing as npt

    from gossamer.core.index.segments.columns import ColumnType, PackedColumn, Value
    from gossamer.core.index.segments.identities import Identities
    from gossamer.core.index.segments.layout import Content
    from gossamer.core.index.segments.stored import Stored, StoredBlock, StoredRun
    from gossamer.core.index.segments.table import Postings
    from gossamer.core.index.suggestions.entries import Entries

TERMS, POSTINGS, POSITIONS = "terms", "postings", "positions"  # regions
SPARSE, LENGTHS = "sparse", "lengths"
DEFAULT_Q = 3  # letters of a gram (see `segments.vocabulary`)
_AFTER_WRITTEN = chr(ord(AS_WRITTEN) + 1)  # comes after every word as it is written


@dataclass(frozen=True, slots=True)
class Documents:
    """All of a segment's documents but their postings; place i is document i everywhere."""

    identities: Identities
    stored: Iterable[Stored | msgspec.Raw | StoredBlock]
    lengths: npt.NDArray[np.int64]  # words by document and text field
    columns: Mapping[str, tuple[ColumnType, Sequence[Value]]] = field(default_factory=dict)
    packed_columns: Sequence[PackedColumn] = ()  # besides those
    stored_runs: Sequence[StoredRun] = ()  # what is stored, if it was written before
    suggestions: Entries | None = None

    def all_columns(self) -> list[PackedColumn]:
        """All columns as they are written."""
        packed = [pack_column(name, *column) for name, column in self.columns.items()]
        return [*packed, *self.packed_columns]


@dataclass(slots=True)
class Terms:
    """Terms in ascending order as they were written: three files, and where their blocks are."""

    files: dict[str, BinaryIO]
    first_terms: list[str] = field(default_factory=list)
    sizes: list[tuple[int, int, int]] = field(default_factory=list)  # of a block in each file
    terms: int = 0
    postings: int = 0
    positions: int = 0
    words: Counted = field(default_factory=lambda: Counted([], []))  # as they are written

    def close(self) -> None:
        """Close the files; what they hold must be in the segment by then."""
        for file in self.files.values():
            file.close()


class TermWriter:
    """Writes the terms of a segment in ascending order, table by table."""

    def __init__(self, open_file: Callable[[], BinaryIO] = BytesIO) -> None:
        self.written = Terms({name: open_file() for name in (TERMS, POSTINGS, POSITIONS)})

    def add(self, table: Postings) -> None:
        """Write the terms of a table, all of which come after those written before."""
        written = self.written
        for first_term, *parts in pack_blocks(table):
            written.first_terms.append(first_term)
            for file, part in zip(written.files.values(), parts, strict=True):
                file.write(part)
            written.sizes.append((len(parts[0]), len(parts[1]), len(parts[2])))
        written.terms += len(table.terms)
        written.postings += len(table)
        written.positions += len(table.positions)
        self._list_words(table)

    def _list_words(self, table: Postings) -> None:
        first, last = (bisect_left(table.terms, each) for each in (AS_WRITTEN, _AFTER_WRITTEN))
        sizes = np.diff(table.starts[first : last + 1]).tolist()
        known = together([self.written.words, listed(table.terms[first:last], sizes, AS_WRITTEN)])
        most = 2 * MOST_WORDS  # so that few are sorted again and again
        self.written.words = most_frequent(known) if len(known.words) > most else known


def segment(
    documents: Documents,
    runs: Sequence[Terms],
    analyzer: Mapping[str, str | int | bool],
    q: int = DEFAULT_Q,
    format: int = DEFAULT_FORMAT,
) -> Iterator[bytes]:
    """The bytes of a segment, piece by piece; the terms of each run follow those before it.

    Similar words are found by grams of `q` letters.
    """
    columns = documents.all_columns()
    footer = Footer(
        documents=len(documents.identities),
        gone=int(np.count_nonzero(documents.identities.gone)),
        terms=sum(run.terms for run in runs),
        postings=sum(run.postings for run in runs),
        positions=sum(run.positions for run in runs),
        analyzer=dict(analyzer),
        columns=[info for info, _ in columns],
        q=q,
    )
    words = most_frequent(together(run.words for run in runs))
    terms: list[tuple[str, Content]] = []
    if words.words:
        terms.append((VOCABULARY, pack_vocabulary(words, q)))
    terms += [(name, [run.files[name] for run in runs]) for name in (TERMS, POSTINGS, POSITIONS)]
    return compose(_regions(documents, columns, terms, _sparse(runs)), footer, format)


def part(
    documents: Documents,
    table: Postings,
    analyzer: Mapping[str, str | int | bool],
    q: int = DEFAULT_Q,
) -> Iterator[bytes]:
    """The bytes of a part: a segment whose postings are not packed yet."""
    columns = documents.all_columns()
    footer = Footer(
        documents=len(documents.identities),
        gone=int(np.count_nonzero(documents.identities.gone)),
        terms=len(table.terms),
        postings=len(table),
        positions=len(table.positions),
        analyzer=dict(analyzer),
        columns=[info for info, _ in columns],
        q=q,
    )
    regions = _regions(documents, columns, pack_part(table), _sparse([]), is_part=True)
    return compose(regions, footer)


def _regions(
    documents: Documents,
    columns: Sequence[PackedColumn],
    terms: Iterable[tuple[str, Content]],
    sparse: SparseIndex,
    *,
    is_part: bool = False,
) -> Iterator[tuple[str, Content]]:
    yield from terms
    if documents.stored_runs:
        yield from stored_regions(documents.stored_runs)
    else:
        stored = StoredWriter()
        yield BLOCKS, stored.blocks(documents.stored)
        yield PLACES, stored.places()
    yield LENGTHS, compress(pack(documents.lengths.reshape(-1)))
    for _, regions in columns:
        yield from regions
    if documents.suggestions is not None and len(documents.suggestions):
        yield SUGGESTIONS, pack_entries(documents.suggestions, is_part=is_part)
    yield from documents.identities.packed()
    yield SPARSE, sparse.packed()  # last, so that one read of the file's end brings it


def _sparse(runs: Sequence[Terms]) -> SparseIndex:
    first_terms = [term for run in runs for term in run.first_terms]
    sizes = np.array([size for run in runs for size in run.sizes], np.int64).reshape(-1, 3)
    return SparseIndex(first_terms, *(starts_of(column) for column in sizes.T))
