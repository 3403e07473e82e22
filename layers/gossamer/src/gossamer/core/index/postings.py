"""Invert documents: their words become postings, sorted by term and document."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from gossamer.core.arrays import is_first
from gossamer.core.index.anchors import whole_name
from gossamer.core.index.field_terms import SIGN, field_key, keeping_field
from gossamer.core.index.impacts import field_scales, impacts_of
from gossamer.core.index.joined_words import is_own, joined_term, own_of_each
from gossamer.core.index.letters import plainer
from gossamer.core.index.schema import (
    BODY,
    BREAK,
    CAPACITY,
    FIELD_OF_STRETCH,
    FIRST_POSITION,
    NAMING,
    POSITION_BITS,
    STRETCH,
    STRETCH_BITS,
    TITLE,
    declared_texts,
    places_of,
    texts_of,
)
from gossamer.core.index.segments.numbers import runs, starts_of
from gossamer.core.index.segments.table import Postings, empty

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gossamer.core.collection import Weights
    from gossamer.core.index.declared import TextField
    from gossamer.core.page.document import Document

    Fields = Iterable[tuple[str, Sequence[str]]]

Ints = npt.NDArray[np.int64]
# No word contains this, so a word as it is written never meets a term.
AS_WRITTEN = "="
TOGETHER = 64  # documents whose words are read at once
_FIELD_OF_STRETCH = np.array(FIELD_OF_STRETCH, np.int64)


class Analyzes(Protocol):
    """The part of an analyzer that inverting needs."""

    @property
    def has_joined(self) -> bool:
        """Whether words that are joined by signs are terms as they are written."""

    def words_of_each(self, texts: Iterable[str]) -> Iterable[list[str]]:
        """The words of each text, one per position."""

    def terms_of(self, words: Iterable[str]) -> list[str]:
        """What each of these words is looked up by."""

    def folded(self, words: Iterable[str]) -> list[str]:
        """Each of these words as it is compared by its beginning."""

    def fold(self, word: str) -> str:
        """A word as it is compared by its beginning."""

    def term(self, word: str) -> str:
        """What a word is looked up by; empty for a stop word."""


def read(
    documents: Sequence[Document],
    analyzer: Analyzes,
    anchors: Sequence[Sequence[str]] = (),
    declared: Mapping[str, TextField] = {},
) -> Words:
    """The words of a batch of documents.

    `anchors`: what other pages call each of them; none if nothing is known. `declared`: the text
    fields of the collection.
    """
    words = Words(len(documents), declared)
    fields = [
        [*texts_of(document, anchors[number] if anchors else ()), *_own(document, declared)]
        for number, document in enumerate(documents)
    ]
    for first in range(0, len(documents), TOGETHER):
        words.add(first, fields[first : first + TOGETHER], analyzer)
    return words


def _own(
    document: Document, declared: Mapping[str, TextField]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Declared fields: their words under the field's key and, if searched, by themselves."""
    for name, texts in declared_texts(document, declared):
        yield field_key(name), texts
        if declared[name].searched:
            yield name, texts


class Words:
    """All words of a batch, as they are written: numbers of words, their owners and positions."""

    def __init__(self, documents: int, declared: Mapping[str, TextField] = {}) -> None:
        self._declared = declared
        self._firsts, self._columns = places_of(declared)
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._words = array("i")
        self._runs = array("q")  # owner, first position and number of words of each text
        self._joined = _Joined()
        # How often a document is called so, by itself or by others: name, document, field.
        self._names: Counter[tuple[str, int, str]] = Counter()
        self._lengths = np.zeros((documents, len(self._columns)), np.int64)
        self._bodies: list[tuple[int, int]] = []  # where they begin, and how many words they have

    def add(self, first: int, documents: Sequence[Fields], analyzer: Analyzes) -> None:
        """Take the words of some documents from a number on, in the order of their numbers."""
        texts = [
            (owner, field, plainer(text))
            for owner, fields in enumerate(documents, first)
            for field, several in fields
            for text in several
        ]
        found = analyzer.words_of_each(text for *_, text in texts)
        begun = len(self._runs)
        place, at = (-1, ""), 0  # the field that is being read, and the next position in it
        for (owner, field, _), words in zip(texts, found, strict=True):
            if (owner, field) != place:
                place, at = (owner, field), self._firsts[field]
            at += self._add(owner, field, at, words) + BREAK
            if field in NAMING:
                self._names[whole_name(map(analyzer.term, words)), owner, field] += 1
        if analyzer.has_joined:
            runs = np.array(self._runs[begun:], np.int64).reshape(-1, 3)
            self._joined.add([text for *_, text in texts], [field for _, field, _ in texts], runs)

    def _add(self, owner: int, field: str, at: int, words: list[str]) -> int:
        """Take the words of a text that begins at a position; returns for how many is room."""
        end = self._firsts[field] + CAPACITY.get(field, STRETCH)
        if at + len(words) > end:
            words = words[: max(0, end - at)]
        if field.startswith(SIGN):
            words = [f"{field} {word}" for word in words]
        begin = len(self._words)
        self._words.extend(map(self._numbers.__getitem__, words))
        self._runs.extend((owner, at, len(words)))
        if field == BODY:
            self._bodies.append((begin, len(words)))
        if field in self._columns:
            self._lengths[owner, self._columns[field]] += len(words)
        return len(words)

    @property
    def written(self) -> list[str]:
        """Every word once; its place is its number."""
        return list(self._numbers)

    @property
    def lengths(self) -> Ints:
        """How many words each document has in each field; those of declared fields are last."""
        return self._lengths

    def bodies(self) -> tuple[npt.NDArray[np.int32], Ints]:
        """The numbers of the words of all texts, and where those of each document begin."""
        begins, sizes = np.array(self._bodies, np.int64).reshape(-1, 2).T
        return np.frombuffer(self._words, np.int32)[runs(begins, sizes)], starts_of(sizes)

    def postings(self, analyzer: Analyzes, weights: Weights) -> Postings:
        """Every term with its positions; words as written (but for titles) and names without."""
        if not len(self._words):
            return empty()
        words = np.frombuffer(self._words, np.int32)
        owners, positions = self._places()
        stems, folded = self._terms(analyzer)
        joined = self._joined.terms(analyzer)
        written = [AS_WRITTEN + word for word in folded]
        called = {name for name, *_ in self._names}
        names = sorted({*stems, *written, *called, *joined} - {""})
        place = dict(zip(names, range(len(names)), strict=True))
        row_of_stem = np.array([place.get(stem, -1) for stem in stems], np.int64)
        row_as_written = np.array([place[word] for word in written], np.int64)
        rows = row_of_stem[words]
        non_stop = np.flatnonzero(rows >= 0)  # stop words have positions only
        scales = field_scales(weights, self._lengths, self._declared.values())
        stemmed = self._joined.beside(
            _Rows(rows[non_stop], owners[non_stop], positions[non_stop]),
            np.array([place.get(term, -1) for term in joined], np.int64),
        )
        as_written = _Rows(row_as_written[words], owners, positions)
        return _assemble(
            names,
            _group(stemmed, scales, weights),
            _group_written(as_written, len(scales)),
            _group_names(self._names, place, weights),
        )

    def _terms(self, analyzer: Analyzes) -> tuple[list[str], list[str]]:
        """The term of each word, and the word as its beginning is looked up."""
        if not self._declared:
            return analyzer.terms_of(self._numbers), analyzer.folded(self._numbers)
        term, fold = keeping_field(analyzer.term), keeping_field(analyzer.fold)
        return list(map(term, self._numbers)), list(map(fold, self._numbers))

    def _places(self) -> tuple[Ints, Ints]:
        """The owner and the position of each word."""
        owners, firsts, sizes = np.frombuffer(self._runs, np.int64).reshape(-1, 3).T
        begins = np.cumsum(sizes) - sizes
        return np.repeat(owners, sizes), np.arange(len(self._words)) + np.repeat(
            firsts - begins, sizes
        )


@dataclass(frozen=True, slots=True)
class _Rows:
    rows: Ints
    owners: Ints
    positions: Ints


class _Joined:
    """Joined words with terms of their own; their positions only say in which field they stand."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._rows: list[_Rows] = []

    def add(self, texts: Sequence[str], fields: Sequence[str], runs: Ints) -> None:
        """Take those of some texts; `runs`: owner, first position and room of each text.

        The first of a text has the position of its first word, the next one the next, and so on:
        no text has more joined words than words.
        """
        texts_of, written = own_of_each(texts)
        if any(field.startswith(SIGN) for field in fields):
            keys = [f"{field} " if field.startswith(SIGN) else "" for field in fields]
            pairs = zip(texts_of.tolist(), written, strict=True)
            written = [keys[text] + word for text, word in pairs]
        numbers = np.fromiter(map(self._numbers.__getitem__, written), np.int64, len(written))
        firsts = np.flatnonzero(is_first(texts_of))
        counts = np.diff(firsts, append=len(texts_of))
        nth = np.arange(len(texts_of)) - np.repeat(firsts, counts)
        owners, begins, room = runs[texts_of].T
        fits = nth < room
        self._rows.append(_Rows(numbers[fits], owners[fits], (begins + nth)[fits]))

    def terms(self, analyzer: Analyzes) -> list[str]:
        """The term of each joined word, by its number; "" if it has none of its own."""

        def own(written: str) -> str:
            term = joined_term(written, analyzer.fold)
            return term if is_own(term) else ""

        return list(map(keeping_field(own), self._numbers))

    def beside(self, words: _Rows, row_of: Ints) -> _Rows:
        """The rows of words, and those of joined words, of which `row_of` has the terms' rows."""
        joined = [_Rows(row_of[each.rows], each.owners, each.positions) for each in self._rows]
        rows = np.concatenate([words.rows, *(each.rows for each in joined)])
        own = np.flatnonzero(rows >= 0)
        return _Rows(
            rows[own],
            np.concatenate([words.owners, *(each.owners for each in joined)])[own],
            np.concatenate([words.positions, *(each.positions for each in joined)])[own],
        )


@dataclass(frozen=True, slots=True)
class _Grouped:
    """Postings by row and owner."""

    rows: Ints
    owners: Ints
    impacts: npt.NDArray[np.uint8]
    counts: Ints
    positions: Ints

    def cut(self, row: int) -> tuple[_Grouped, _Grouped]:
        """The postings of the rows before this one, and the others."""
        at = int(np.searchsorted(self.rows, row))
        begin = int(self.counts[:at].sum())
        return (
            _Grouped(
                self.rows[:at],
                self.owners[:at],
                self.impacts[:at],
                self.counts[:at],
                self.positions[:begin],
            ),
            _Grouped(
                self.rows[at:],
                self.owners[at:],
                self.impacts[at:],
                self.counts[at:],
                self.positions[begin:],
            ),
        )


def _assemble(
    names: list[str], stemmed: _Grouped, as_written: _Grouped, called: _Grouped
) -> Postings:
    """Lay all kinds together: words as written and names stand between numbers and letters."""
    below, above = stemmed.cut(bisect_left(names, AS_WRITTEN))
    parts = (below, as_written, called, above)
    rows = np.concatenate([part.rows for part in parts])
    return Postings(
        names,
        starts_of(np.bincount(rows, minlength=len(names))),
        np.concatenate([part.owners for part in parts]),
        np.concatenate([part.impacts for part in parts]),
        np.cumsum(np.concatenate([part.counts for part in parts])),
        np.concatenate([part.positions for part in parts]),
    )


def _group(words: _Rows, scales: npt.NDArray[np.float64], weights: Weights) -> _Grouped:
    owner_bits = max(1, len(scales).bit_length())
    key = ((words.rows << owner_bits | words.owners) << POSITION_BITS) | words.positions
    key.sort()
    positions = key & ((1 << POSITION_BITS) - 1)
    key >>= POSITION_BITS
    firsts = np.flatnonzero(is_first(key))
    pair = key[firsts]
    owners = pair & ((1 << owner_bits) - 1)
    counts = np.diff(firsts, append=len(positions))
    field = _FIELD_OF_STRETCH[positions >> STRETCH_BITS]
    x = scales.ravel()[np.repeat(owners * scales.shape[1], counts) + field]
    sums = np.add.reduceat(x, firsts) if len(firsts) else np.zeros(0)
    return _Grouped(pair >> owner_bits, owners, impacts_of(weights, sums), counts, positions)


def _group_written(words: _Rows, documents: int) -> _Grouped:
    """Words as written are asked for by their beginnings only, anywhere or in a title.

    They add nothing to a score, so they have no impact.
    """
    owner_bits = max(1, documents.bit_length())
    pairs = words.rows << owner_bits | words.owners
    title = FIRST_POSITION[TITLE]
    in_title = np.flatnonzero((words.positions >= title) & (words.positions < title + STRETCH))
    titles = pairs[in_title] << POSITION_BITS | words.positions[in_title]
    titles.sort()
    pairs.sort()
    pair = pairs[is_first(pairs)]
    counts = np.bincount(np.searchsorted(pair, titles >> POSITION_BITS), minlength=len(pair))
    positions = titles & ((1 << POSITION_BITS) - 1)
    unranked = np.zeros(len(pair), np.uint8)
    return _Grouped(pair >> owner_bits, pair & ((1 << owner_bits) - 1), unranked, counts, positions)


def _group_names(
    names: Mapping[tuple[str, int, str], int], place: Mapping[str, int], weights: Weights
) -> _Grouped:
    """Whole names weigh by how many say them; the other names of a page take nothing from one."""
    x: dict[tuple[int, int], float] = defaultdict(float)
    for (name, owner, field), times in names.items():
        if name:
            x[place[name], owner] += weights.of(field).weight * times
    order = sorted(x)
    rows, owners = np.array(order, np.int64).reshape(-1, 2).T
    impacts = impacts_of(weights, np.array([x[pair] for pair in order], np.float64))
    return _Grouped(rows, owners, impacts, np.zeros_like(rows), np.zeros(0, np.int64))
