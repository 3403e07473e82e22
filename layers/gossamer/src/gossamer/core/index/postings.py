"""Invert documents: their words become postings, sorted by term and document."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from gossamer.core.index.anchors import whole_name
from gossamer.core.index.impacts import field_scales, impacts_of
from gossamer.core.index.schema import (
    BODY,
    BREAK,
    CAPACITY,
    FIELD_OF_STRETCH,
    FIELDS,
    FIRST_POSITION,
    NAMING,
    POSITION_BITS,
    STRETCH_BITS,
    TITLE,
    texts_of,
)
from gossamer.core.index.segments.table import Postings, empty

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.core.collection import Weights
    from gossamer.core.page.document import Document

    Fields = Iterable[tuple[str, Sequence[str]]]

Ints = npt.NDArray[np.int64]
# No word contains this, so a word as it is written never meets a term.
AS_WRITTEN = "="
_FIELD_OF_STRETCH = np.array(FIELD_OF_STRETCH, np.int64)


class Analyzes(Protocol):
    """The part of an analyzer that inverting needs."""

    def words(self, text: str) -> list[str]:
        """The words of a text, one per position."""

    def fold(self, word: str) -> str:
        """A word as it is compared by its beginning."""

    def term(self, word: str) -> str:
        """What a word is looked up by; empty for a stop word."""


def read(
    documents: Sequence[Document], analyzer: Analyzes, anchors: Sequence[Sequence[str]] = ()
) -> Words:
    """The words of a batch of documents.

    `anchors`: what other pages call each of them; none if nothing is known.
    """
    words = Words(len(documents))
    for number, document in enumerate(documents):
        words.add(number, texts_of(document, anchors[number] if anchors else ()), analyzer)
    return words


class Words:
    """All words of a batch, as they are written: numbers of words, their owners and positions."""

    def __init__(self, documents: int) -> None:
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._words: list[Ints] = []
        self._owners: list[Ints] = []
        self._positions: list[Ints] = []
        # How often a document is called so, by itself or by others: name, document, field.
        self._names: Counter[tuple[str, int, str]] = Counter()
        self._lengths = np.zeros((documents, len(FIELDS)), np.int64)
        self._bodies: list[Ints] = []

    def add(self, owner: int, fields: Fields, analyzer: Analyzes) -> None:
        """Take the words of a document."""
        for column, (field, texts) in enumerate(fields):
            at, end = FIRST_POSITION[field], FIRST_POSITION[field] + CAPACITY[field]
            for text in texts:
                found = analyzer.words(text)[: max(0, end - at)]
                count = len(found)
                self._words.append(
                    np.fromiter(map(self._numbers.__getitem__, found), np.int64, count)
                )
                self._positions.append(np.arange(at, at + count))
                self._owners.append(np.full(count, owner, np.int64))
                if field == BODY:
                    self._bodies.append(self._words[-1])
                self._lengths[owner, column] += count
                at += count + BREAK
                if field in NAMING:
                    self._names[whole_name(map(analyzer.term, found)), owner, field] += 1

    @property
    def written(self) -> list[str]:
        """Every word once; its place is its number."""
        return list(self._numbers)

    @property
    def lengths(self) -> Ints:
        """How many words each document has in each field."""
        return self._lengths

    def body(self, document: int) -> Ints:
        """The numbers of the words of a document's text, one behind the other."""
        return self._bodies[document]

    def postings(self, analyzer: Analyzes, weights: Weights) -> Postings:
        """Every term with its positions; words as written (but for titles) and names without."""
        if not self._words:
            return empty()
        words, owners = np.concatenate(self._words), np.concatenate(self._owners)
        positions = np.concatenate(self._positions)
        stems = [analyzer.term(word) for word in self._numbers]
        written = [AS_WRITTEN + analyzer.fold(word) for word in self._numbers]
        called = {name for name, *_ in self._names}
        names = sorted({*stems, *written, *called} - {""})
        place = {name: number for number, name in enumerate(names)}
        row_of_stem = np.array([place.get(stem, -1) for stem in stems], np.int64)
        row_as_written = np.array([place[word] for word in written], np.int64)
        non_stop = np.flatnonzero(row_of_stem[words] >= 0)  # stop words have positions only
        scales = field_scales(weights, self._lengths)
        stemmed = _Rows(row_of_stem[words[non_stop]], owners[non_stop], positions[non_stop])
        as_written = _Rows(row_as_written[words], owners, positions)
        parts = (
            _group(stemmed, scales, weights),
            _only_title_positions(_group(as_written, scales, weights)),
            _group_names(self._names, place, weights),
        )
        return _assemble(names, parts)


@dataclass(frozen=True, slots=True)
class _Rows:
    rows: Ints
    owners: Ints
    positions: Ints


@dataclass(frozen=True, slots=True)
class _Grouped:
    rows: Ints
    owners: Ints
    impacts: npt.NDArray[np.uint8]
    counts: Ints
    positions: Ints


def _assemble(names: list[str], parts: Sequence[_Grouped]) -> Postings:
    """Lay all kinds together, by term and document."""
    rows = np.concatenate([part.rows for part in parts])
    owners = np.concatenate([part.owners for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    positions = np.concatenate([part.positions for part in parts])
    order = np.lexsort((owners, rows))
    return Postings(
        names,
        np.searchsorted(rows[order], np.arange(len(names) + 1)),
        owners[order],
        np.concatenate([part.impacts for part in parts])[order],
        np.cumsum(counts[order]),
        _gather(positions, counts, order),
    )


def _group(words: _Rows, scales: npt.NDArray[np.float64], weights: Weights) -> _Grouped:
    owner_bits = max(1, len(scales).bit_length())
    pair = (words.rows << owner_bits) | words.owners
    key = (pair << POSITION_BITS) | words.positions
    key.sort()
    positions = key & ((1 << POSITION_BITS) - 1)
    pair = key >> POSITION_BITS
    firsts = np.flatnonzero(np.diff(pair, prepend=-1))
    owners = pair[firsts] & ((1 << owner_bits) - 1)
    counts = np.diff(firsts, append=len(positions))
    field = _FIELD_OF_STRETCH[positions >> STRETCH_BITS]
    x = scales[np.repeat(owners, counts), field]
    sums = np.add.reduceat(x, firsts) if len(firsts) else np.zeros(0)
    return _Grouped(
        pair[firsts] >> owner_bits, owners, impacts_of(weights, sums), counts, positions
    )


def _group_names(
    names: Mapping[tuple[str, int, str], int], place: Mapping[str, int], weights: Weights
) -> _Grouped:
    """Whole names weigh by how many say them; the other names of a page take nothing from one."""
    x: dict[tuple[int, int], float] = defaultdict(float)
    for (name, owner, field), times in names.items():
        if name:
            x[place[name], owner] += weights.of(field).weight * times
    rows, owners = np.array(list(x), np.int64).reshape(-1, 2).T
    impacts = impacts_of(weights, np.fromiter(x.values(), np.float64, len(x)))
    return _Grouped(rows, owners, impacts, np.zeros_like(rows), np.zeros(0, np.int64))


def _only_title_positions(words: _Grouped) -> _Grouped:
    """Words as written are asked for by their beginnings only, anywhere or in a title."""
    in_title = (words.positions >> STRETCH_BITS) == FIRST_POSITION[TITLE] >> STRETCH_BITS
    owner = np.repeat(np.arange(len(words.counts)), words.counts)
    counts = np.bincount(owner[in_title], minlength=len(words.counts))
    ones = np.ones(len(words.counts), np.uint8)
    return _Grouped(words.rows, words.owners, ones, counts, words.positions[in_title])


def _gather(values: Ints, counts: Ints, order: Ints) -> Ints:
    """Runs of `counts` values each, in another order."""
    begins = np.cumsum(counts) - counts
    sizes = counts[order]
    total = int(sizes.sum())
    if not total:
        return np.zeros(0, np.int64)
    ends = np.cumsum(sizes)
    index = np.arange(total) + np.repeat(begins[order] - (ends - sizes), sizes)
    gathered: Ints = values[index]
    return gathered
