"""What the owner's formula and weighted words add to scores.

Both are computed for every document that matches, exactly. A formula may be anything, so there is
no bound by which a search could stop early: with one, all lists of a query are read to their end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.index import schema
from gossamer.core.index.field_terms import split_term
from gossamer.core.index.segments.columns import (
    KeywordColumn,
    KeywordsColumn,
    NumberColumn,
    keyword_place,
)
from gossamer.core.search.formula.arithmetic import finite
from gossamer.core.search.formula.compiling import DATE, FETCHED, RANK, TEXT
from gossamer.core.search.result import BoostPart
from gossamer.search.scores.scored_list import UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.core.index.segments.columns import Column
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.search.formula.compiling import Formula
    from gossamer.core.search.plan import Asked, Kind
    from gossamer.search.asked_terms import AskedTerm
    from gossamer.search.snapshot import Part

    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]
    Key = tuple[Kind, str]

SECONDS_A_DAY = 86_400
MAX_LEVEL = 255
_STANDARD = {DATE: schema.PUBLISHED, FETCHED: schema.FETCHED}


@dataclass(frozen=True, slots=True)
class WeightedWord:
    """A word of the owner's list, what it adds, and the terms that a document must have."""

    word: str
    points: float
    keys: frozenset[Key]


def key_of(asked: Asked) -> Key:
    """A term of a query, in whichever field it is looked for."""
    return asked.kind, split_term(asked.text)[1]


@dataclass(frozen=True, slots=True)
class Boosts:
    """The formula, and those weighted words that a query has."""

    formula: Formula | None = None
    words: tuple[WeightedWord, ...] = ()
    stored: Mapping[str, str] | None = None  # the columns of segments behind declared names
    today: int = 0  # days since 1970

    def __bool__(self) -> bool:
        return self.formula is not None or bool(self.words)

    @property
    def columns(self) -> list[str]:
        """The columns of segments that the formula reads."""
        return [self._stored(name) for name in self.formula.columns] if self.formula else []

    def _stored(self, name: str) -> str:
        return _STANDARD.get(name) or (self.stored or {}).get(name, name)

    def of(self, terms: Sequence[AskedTerm], number: int, part: Part) -> PartBoosts:
        """The same, of one part of the index."""
        return PartBoosts(self, terms, number, part)

    def column(self, name: str, part: Part) -> Column | None:
        """The column of a name in a part; segments from before it was declared have none."""
        return part.view.column(self._stored(name))


@dataclass(frozen=True, slots=True)
class PartBoosts:
    """What documents of one part get."""

    boosts: Boosts
    terms: Sequence[AskedTerm]
    number: int
    part: Part

    def units(self, documents: Ints, words: Ints) -> Ints:
        """What is added to some documents, in units; `words` is what they have by their words."""
        added = np.zeros(len(documents), np.int64)
        if self.boosts.formula is not None:
            added += _in_units(self._formula(self._values(documents, words), self.boosts.formula))
        for word in self.boosts.words:
            added += np.where(self._have(word, documents), round(word.points * UNIT), 0)
        return added

    def explained(self, document: int, words: int) -> list[BoostPart]:
        """The same of one document, part by part."""
        one = np.array([document])
        parts = []
        if self.boosts.formula is not None:
            formula, values = self.boosts.formula, self._values(one, np.array([words]))
            score = float(self._formula(values, formula)[0])
            used = {name: float(values.number(name)[0]) for name in sorted(formula.names)}
            shown = {name: round(value, 6) for name, value in used.items()}
            parts.append(BoostPart("formula", formula.text, round(score, 9), shown))
        return parts + [
            BoostPart("word", word.word, word.points)
            for word in self.boosts.words
            if self._have(word, one)[0]
        ]

    def _values(self, documents: Ints, words: Ints) -> DocumentValues:
        return DocumentValues(self.boosts, self.part, documents, words)

    def _formula(self, values: DocumentValues, formula: Formula) -> Floats:
        return formula.evaluate(values, len(values.documents))

    def _have(self, word: WeightedWord, documents: Ints) -> Mask:
        """Which documents have all terms of a word."""
        return reduce(np.logical_and, [self._in_a_list(key, documents) for key in word.keys])

    def _in_a_list(self, key: Key, documents: Ints) -> Mask:
        lists = [term for term in self.terms if key_of(term.asked) == key]
        found = [term.impacts(self.number, documents) > 0 for term in lists]
        return reduce(np.logical_or, found, np.zeros(len(documents), np.bool_))


def _in_units(points: Floats) -> Ints:
    return np.rint(points * UNIT).astype(np.int64)


@dataclass(frozen=True, slots=True)
class DocumentValues:
    """What a formula reads of some documents of a part."""

    boosts: Boosts
    part: Part
    documents: Ints
    words: Ints  # what they have by their words, in units

    def number(self, name: str) -> Floats:
        """A part of the score, or the values of a column: 0 where it is missing."""
        if name == TEXT:
            return np.divide(self.words, UNIT)
        if name == RANK:
            levels: Floats = self.part.levels[self.documents] / MAX_LEVEL
            return levels
        column = self.boosts.column(name, self.part)
        if isinstance(column, NumberColumn):
            return self._days_or_numbers(name, column)
        if isinstance(column, KeywordColumn):
            true = keyword_place(column, "true") or -1
            return np.where(column.codes[self.documents] == true, 1.0, 0.0)
        return self._zeros()

    def _days_or_numbers(self, name: str, column: NumberColumn) -> Floats:
        values = column.values[self.documents].astype(np.float64)
        if column.values.dtype.kind != "f":
            values[~column.present[self.documents]] = 0.0
        return finite(values / SECONDS_A_DAY if name == FETCHED else values)

    def has(self, name: str) -> Floats:
        """1 where there is a value, else 0."""
        column = self.boosts.column(name, self.part)
        if isinstance(column, NumberColumn):
            return column.present[self.documents].astype(np.float64)
        if isinstance(column, KeywordColumn):
            return (column.codes[self.documents] > 0).astype(np.float64)
        if isinstance(column, KeywordsColumn):
            return (np.diff(column.starts)[self.documents] > 0).astype(np.float64)
        return self._zeros()

    def age(self, name: str) -> Floats:
        """Days from a date to today; 0 where it is missing, and of what is still to come."""
        days = np.floor(self.number(name))
        ages: Floats = np.maximum(self.boosts.today - days, 0.0) * self.has(name)
        return ages

    def _zeros(self) -> Floats:
        return np.zeros(len(self.documents))
