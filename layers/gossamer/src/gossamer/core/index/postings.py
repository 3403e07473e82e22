"""Invert documents: their words become postings, sorted by term and document."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gossamer.core.arrays import is_first
from gossamer.core.index.anchors import whole_name
from gossamer.core.index.character_pairs import Pairs
from gossamer.core.index.field_terms import SIGN, field_key, keeping_field
from gossamer.core.index.grouping import (
    Rows,
    Table,
    assemble,
    group,
    group_names,
    group_written,
    numbers_of,
)
from gossamer.core.index.impacts import field_scales
from gossamer.core.index.joined_words import is_own, joined_term, own_of_each
from gossamer.core.index.letters import plainer
from gossamer.core.index.schema import (
    BODY,
    BREAK,
    CAPACITY,
    NAMING,
    STRETCH,
    declared_texts,
    places_of,
    texts_of,
)
from gossamer.core.index.segments.numbers import runs, starts_of
from gossamer.core.index.segments.table import Postings, empty
from gossamer.core.index.word_numbers import Numbered, numbering

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gossamer.core.collection import Weights
    from gossamer.core.index.declared import TextField
    from gossamer.core.page.document import Document

    Fields = Sequence[tuple[str, Sequence[str]]]

Ints = npt.NDArray[np.int64]
# No word contains this, so a word as it is written never meets a term.
AS_WRITTEN = "="
TOGETHER = 1 << 19  # characters whose words are read at once; their arrays fit into the cache


class Analyzes(Protocol):
    """The part of an analyzer that inverting needs."""

    @property
    def has_joined(self) -> bool:
        """Whether words that are joined by signs are terms as they are written."""

    @property
    def has_pairs(self) -> bool:
        """Whether characters of scripts without spaces are also terms in pairs."""

    def of_language(self, language: str) -> Analyzes:
        """What reads documents of a language."""

    def numbered(self, texts: Sequence[str]) -> Numbered:
        """The words of each text, one per position."""

    def asked(self, words: Sequence[str]) -> tuple[str, ...]:
        """What words that stand side by side are looked up by."""

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
    words = Words([document.language for document in documents], declared)
    fields = [
        [*texts_of(document, anchors[number] if anchors else ()), *_own(document, declared)]
        for number, document in enumerate(documents)
    ]
    first = 0
    for some in _together(fields):
        words.add(first, some, analyzer)
        first += len(some)
    return words


def _together(documents: Sequence[Fields]) -> Iterator[Sequence[Fields]]:
    """Documents in runs that are read at once."""
    first = size = 0
    for number, fields in enumerate(documents, 1):
        size += sum(len(text) for _, texts in fields for text in texts)
        if size >= TOGETHER:
            yield documents[first:number]
            first, size = number, 0
    if first < len(documents):
        yield documents[first:]


def _own(
    document: Document, declared: Mapping[str, TextField]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Declared fields: their words under the field's key and, if searched, by themselves."""
    for name, texts in declared_texts(document, declared):
        yield field_key(name), texts
        if declared[name].searched:
            yield name, texts


class _Text(NamedTuple):
    owner: int
    field: str
    text: str


RUN_WIDTH = 4


class Words:
    """All words of a batch, as they are written: numbers of words, their owners and positions."""

    def __init__(self, languages: Sequence[str], declared: Mapping[str, TextField] = {}) -> None:
        """`languages`: of each document."""
        self._declared = declared
        self._languages = languages
        self._firsts, self._columns = places_of(declared)
        self._numbers = numbering()
        self._words: list[npt.NDArray[np.int32]] = []
        # Owner, first position, number of words and column of each text; no column: -1.
        self._runs = array("q")
        self._joined = _Joined()
        # How often a document is called so, by itself or by others: name, document, field.
        self._names: Counter[tuple[str, int, str]] = Counter()

    def add(self, first: int, documents: Sequence[Fields], analyzer: Analyzes) -> None:
        """Take the words of some documents from a number on, in the order of their numbers."""
        texts = [
            _Text(owner, field, plainer(text))
            for owner, fields in enumerate(documents, first)
            for field, several in fields
            for text in several
        ]
        found = analyzer.numbered([each.text for each in texts])
        self._name(texts, found, analyzer)
        begun = len(self._runs)
        self._place(texts, found.sizes.tolist())
        runs = np.array(self._runs[begun:], np.int64).reshape(-1, RUN_WIDTH)
        self._take(_keyed(texts, found), runs[:, 2])
        if analyzer.has_joined:
            fields = [each.field for each in texts]
            self._joined.add([each.text for each in texts], fields, runs[:, :3])

    def _name(self, texts: Sequence[_Text], found: Numbered, analyzer: Analyzes) -> None:
        """Count the names that documents have."""
        begin = 0
        for (owner, field, _), size in zip(texts, found.sizes.tolist(), strict=True):
            if field in NAMING:
                numbers = found.numbers[begin : begin + size].tolist()
                words = [found.words[number] for number in numbers]
                terms = analyzer.of_language(self._languages[owner]).asked(words)
                self._names[whole_name(terms), owner, field] += 1
            begin += size

    def _place(self, texts: Sequence[_Text], sizes: Sequence[int]) -> None:
        """Give texts their positions, as far as there is room in their fields."""
        place, at, end = (-1, ""), 0, 0  # the field that is being read, and its next position
        for (owner, field, _), size in zip(texts, sizes, strict=True):
            if (owner, field) != place:
                place, at = (owner, field), self._firsts[field]
                end = at + CAPACITY.get(field, STRETCH)
            size = min(size, max(0, end - at))
            self._runs.extend((owner, at, size, self._columns.get(field, -1)))
            at += size + BREAK

    def _take(self, found: Numbered, room: Ints) -> None:
        """Take the words of texts for which there is room."""
        numbers = found.numbers
        if (room < found.sizes).any():
            begins = np.cumsum(found.sizes) - found.sizes
            numbers = numbers[runs(begins, room)]
        used = np.flatnonzero(np.bincount(numbers, minlength=len(found.words)))
        own = np.zeros(len(found.words), np.int32)
        words = found.words  # nearly always all of them are used
        if len(used) < len(words):
            words = [words[number] for number in used.tolist()]
        own[used] = np.fromiter(map(self._numbers.__getitem__, words), np.int32, len(words))
        self._words.append(own[numbers])

    @property
    def written(self) -> list[str]:
        """Every word once; its place is its number."""
        return list(self._numbers)

    @property
    def lengths(self) -> Ints:
        """How many words each document has in each field; those of declared fields are last."""
        owners, _, sizes, columns = self._texts()
        counted = np.flatnonzero(columns >= 0)
        lengths = np.zeros((len(self._languages), len(self._columns)), np.int64)
        np.add.at(lengths, (owners[counted], columns[counted]), sizes[counted])
        return lengths

    def bodies(self) -> tuple[npt.NDArray[np.int32], Ints]:
        """The numbers of the words of all texts, and where those of each document begin."""
        _, _, sizes, columns = self._texts()
        begins, own = np.cumsum(sizes) - sizes, columns == self._columns[BODY]
        return self._all()[runs(begins[own], sizes[own])], starts_of(sizes[own])

    def postings(self, analyzer: Analyzes, weights: Weights) -> Postings:
        """Every term with its positions; words as written (but for titles) and names without."""
        if not len(self._all()):
            return empty()
        owners, positions = self._places()
        words, stems, folded = self._terms(analyzer, owners)
        joined = self._joined.terms(analyzer)
        pairs = Pairs(stems, words, (owners, positions)) if analyzer.has_pairs else None
        terms = sorted({*stems, *joined, *(pairs.terms if pairs else ())} - {""})
        row = dict(zip(terms, range(len(terms)), strict=True)) | {"": -1}  # stop words have none
        rows_of_words = numbers_of(row, stems)[words]
        stemmed = self._joined.beside(
            Rows(rows_of_words, owners, positions), numbers_of(row, joined)
        )
        stemmed = pairs.beside(stemmed, numbers_of(row, pairs.terms)) if pairs else stemmed
        scales = field_scales(weights, self.lengths, self._declared.values())
        written = sorted(set(folded))
        row = dict(zip(written, range(len(written)), strict=True))
        as_written = Rows(numbers_of(row, folded)[words], owners, positions)
        names = sorted({name for name, *_ in self._names} - {""})
        return assemble(
            Table(terms, group(stemmed, len(terms), scales, weights)),
            Table([AS_WRITTEN + word for word in written], group_written(as_written, len(written))),
            Table(names, group_names(self._names, names, weights)),
        )

    def _all(self) -> npt.NDArray[np.int32]:
        """The numbers of all words."""
        if len(self._words) != 1:
            self._words = [np.concatenate([np.zeros(0, np.int32), *self._words])]
        return self._words[0]

    def _texts(self) -> Ints:
        return np.array(self._runs, np.int64).reshape(-1, RUN_WIDTH).T

    def _terms(
        self, analyzer: Analyzes, owners: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int32], list[str], list[str]]:
        """The words as numbers, the term of each number, and how its beginning is looked up.

        A word has a number in every language in which documents have it.
        """
        analyzers, which = _distinct([analyzer.of_language(each) for each in self._languages])
        if len(analyzers) == 1:
            return self._all(), *self._read(self._numbers, analyzers[0])
        words, written = self._all(), self.written
        codes = which[owners] * len(written) + words
        is_used = np.zeros(len(analyzers) * len(written), np.bool_)
        is_used[codes] = True
        numbers = (np.cumsum(is_used, dtype=np.int32) - 1)[codes]
        stems: list[str] = []
        folded: list[str] = []
        for each, used in zip(analyzers, np.split(is_used, len(analyzers)), strict=True):
            read = self._read([written[at] for at in np.flatnonzero(used).tolist()], each)
            stems += read[0]
            folded += read[1]
        return numbers, stems, folded

    def _read(self, words: Iterable[str], analyzer: Analyzes) -> tuple[list[str], list[str]]:
        if not self._declared:
            return analyzer.terms_of(words), analyzer.folded(words)
        term, fold = keeping_field(analyzer.term), keeping_field(analyzer.fold)
        return list(map(term, words)), list(map(fold, words))

    def _places(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The owner and the position of each word."""
        owners, firsts, sizes, _ = self._texts()
        shifts = (firsts - (np.cumsum(sizes) - sizes)).astype(np.int32)
        positions = np.repeat(shifts, sizes)
        positions += np.arange(len(positions), dtype=np.int32)
        return np.repeat(owners.astype(np.int32), sizes), positions


def _distinct(analyzers: Sequence[Analyzes]) -> tuple[list[Analyzes], Ints]:
    """Each of some analyzers once, and which of these every one is."""
    known = {analyzer: number for number, analyzer in enumerate(dict.fromkeys(analyzers))}
    return list(known), np.array([known[analyzer] for analyzer in analyzers], np.int64)


def _keyed(texts: Sequence[_Text], found: Numbered) -> Numbered:
    """The words of declared fields with their field's key in front."""
    if not any(each.field.startswith(SIGN) for each in texts):
        return found
    words = numbering()
    keys = [f"{each.field} " if each.field.startswith(SIGN) else "" for each in texts]
    owners = np.repeat(np.arange(len(texts)), found.sizes).tolist()
    numbers = [
        words[keys[text] + found.words[number]]
        for text, number in zip(owners, found.numbers.tolist(), strict=True)
    ]
    return Numbered(list(words), np.array(numbers, np.int32), found.sizes)


class _Joined:
    """Joined words with terms of their own; their positions only say in which field they stand."""

    def __init__(self) -> None:
        self._numbers = numbering()
        self._rows: list[Rows] = []

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
        self._rows.append(Rows(numbers[fits], owners[fits], (begins + nth)[fits]))

    def terms(self, analyzer: Analyzes) -> list[str]:
        """The term of each joined word, by its number; "" if it has none of its own."""

        def own(written: str) -> str:
            term = joined_term(written, analyzer.fold)
            return term if is_own(term) else ""

        return list(map(keeping_field(own), self._numbers))

    def beside(self, words: Rows, row_of: npt.NDArray[np.int32]) -> Rows:
        """The rows of words, and those of joined words, of which `row_of` has the terms' rows.

        No word has the term of a joined one, so the positions of a term stay in order.
        """
        joined = [Rows(row_of[each.rows], each.owners, each.positions) for each in self._rows]
        return Rows(
            np.concatenate([words.rows, *(each.rows for each in joined)]),
            np.concatenate([words.owners, *(each.owners for each in joined)]),
            np.concatenate([words.positions, *(each.positions for each in joined)]),
        )
