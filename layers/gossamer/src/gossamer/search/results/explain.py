"""Score explanations: the index gives the parts of the sum, the document's text the fields."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.anchors import whole_name
from gossamer.core.index.field_terms import split_term
from gossamer.core.index.impacts import MAX_IMPACT
from gossamer.core.index.joined_words import is_joined, joined_term, joined_words
from gossamer.core.index.schema import NAMING, declared_texts, texts_of
from gossamer.core.search.plan import Asked, Kind
from gossamer.core.search.result import Explanation, FieldPart, TermPart
from gossamer.core.search.scoring import term_scale
from gossamer.search.asked_terms import all_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.collection import IndexSchema
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.declared import TextField
    from gossamer.core.search.plan import Synonym
    from gossamer.core.search.result import BoostPart
    from gossamer.core.search.scoring import Profile
    from gossamer.ports.documents import Version
    from gossamer.search.asked_terms import AskedTerm
    from gossamer.search.ranking import Found

LAST_SIGN = "\U0010ffff"


@dataclass(frozen=True)
class _FieldText:
    """A field of a document with its words, which are read once for all terms of a query."""

    name: str
    given: TextField
    texts: Sequence[str]
    words: list[list[str]]  # of each text
    analyzer: Analyzer

    @cached_property
    def length(self) -> int:
        """How many words it has."""
        return sum(map(len, self.words))

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(chain.from_iterable(self.words))

    @cached_property
    def _by_term(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for word, count in self._counts.items():
            found[self.analyzer.term(word)] += count
        found.update(chain.from_iterable(map(self._pairs, self.words)))
        return found

    def _pairs(self, words: Sequence[str]) -> list[str]:
        """The terms of characters that stand side by side, "" for what is in none."""
        terms = self.analyzer.terms_of(words)
        asked = self.analyzer.asked(words)
        return [pair if pair != term else "" for pair, term in zip(asked, terms, strict=True)]

    @cached_property
    def _folded(self) -> tuple[list[str], list[int]]:
        """The words as their beginnings are compared, in order, and how many stand before each."""
        pairs = sorted((self.analyzer.fold(word), n) for word, n in self._counts.items())
        return [word for word, _ in pairs], list(accumulate((n for _, n in pairs), initial=0))

    @cached_property
    def _joined(self) -> Counter[str]:
        """The joined words as they are written."""
        found = chain.from_iterable(map(joined_words, self.texts))
        return Counter(joined_term(each.written, self.analyzer.fold) for each in found)

    def _together(self, parts: Sequence[str]) -> int:
        """How often words stand side by side; "" is any one word."""
        count = 0
        for words in self.words:
            terms = [self.analyzer.terms_of(words), self._pairs(words)]
            at_each = list(zip(*terms, strict=True))
            ends = range(len(at_each) - len(parts) + 1)
            beside = (zip(parts, at_each[at:], strict=False) for at in ends)
            count += sum(all(not part or part in some for part, some in each) for each in beside)
        return count

    def count(self, asked: Asked) -> int:
        """How often it has a term, a joined word, or words that begin so."""
        _, text = split_term(asked.text)
        if asked.kind is Kind.JOINED:
            return self._joined[text]
        if asked.kind is Kind.TOGETHER:
            every = [asked.parts, *[each.words.terms for each in asked.synonyms]]
            return max([self._together([split_term(part)[1] for part in each]) for each in every])
        if asked.kind is not Kind.PREFIX:
            return self._by_term[text]
        words, before = self._folded
        return before[bisect_left(words, text + LAST_SIGN)] - before[bisect_left(words, text)]


def _as_asked(synonym: Synonym, kind: Kind) -> Asked:
    """A synonym as if it had been typed."""
    terms = tuple([term for _, term in synonym.words.looked_up])
    if synonym.words.are_apart:  # it weighs what one of them does, which is not kept
        return Asked(Kind.JOINED, "")
    if kind is Kind.NAME:
        return Asked(kind, terms[0])
    if len(terms) > 1:
        return Asked(Kind.TOGETHER, terms[0], parts=synonym.words.terms)
    return Asked(Kind.JOINED if is_joined(split_term(terms[0])[1]) else Kind.TERM, terms[0])


@dataclass(frozen=True, slots=True)
class Explainer:
    """Takes scores apart as they were put together."""

    analyzer: Analyzer
    schema: IndexSchema

    def explain(
        self,
        version: Version,
        at: Found,
        asked: Sequence[AskedTerm],
        profile: Profile,
        level: float,
        boosts: Sequence[BoostPart] = (),
    ) -> Explanation:
        """The parts of a document's score; `level` is its rank from 0 to 1."""
        total, texts = all_weights(asked), list(self._texts(version))
        terms = []
        for part in asked:
            weight = part.impact(at.part, at.document) / MAX_IMPACT
            if not weight:
                continue
            extra = term_scale(profile, part.extra, total)
            synonym = part.synonym(at.part, at.document)
            there = part.asked if synonym is None else _as_asked(synonym, part.asked.kind)
            terms.append(
                TermPart(
                    term=synonym.text if synonym and synonym.stands_for else there.shown,
                    df=part.df,
                    idf=round(part.weight / (part.asked.times * part.asked.factor), 6),
                    weight=round(weight, 6),
                    score=round(weight * term_scale(profile, part.weight, total) + extra, 9),
                    fields=list(self._fields(texts, there)),
                    as_written=round(extra, 6),
                    synonym_of=synonym.stands_for if synonym else "",
                    factor=synonym.weight if synonym else 1.0,
                )
            )
        rank_score = float(profile.rank_part(np.array([level]))[0])
        return Explanation(
            profile.name,
            round(sum([*_scores(terms), *_scores(boosts)]) + rank_score, 6),
            terms,
            rank=round(level, 6),
            rank_score=round(rank_score, 6),
            boosts=list(boosts),
        )

    def _fields(self, texts: Sequence[_FieldText], asked: Asked) -> Iterator[FieldPart]:
        """Where a term stands, or in which fields a name does."""
        only, _ = split_term(asked.text)
        for text in texts:
            given = text.given
            if only not in ("", text.name) or not (only or given.searched):
                continue
            if asked.kind is not Kind.NAME:
                norm = 1.0 - given.b + given.b * text.length / given.pivot
                count = text.count(asked)
            else:
                norm = 1.0
                named = text.words if text.name in NAMING else ()
                count = sum(whole_name(text.analyzer.asked(each)) == asked.text for each in named)
            if count:
                yield FieldPart(text.name, count, round(count * given.weight / norm, 6))

    def _texts(self, version: Version) -> Iterator[_FieldText]:
        """Each field, how it counts, and its words."""
        analyzer = self.analyzer.of_language(version.document.language)
        declared = declared_texts(version.document, self.schema.fields)
        for field, texts in chain(texts_of(version.document, version.names), declared):
            words = [analyzer.words(text) for text in texts]
            yield _FieldText(field, self.schema.of(field), texts, words, analyzer)


def _scores(parts: Sequence[TermPart] | Sequence[BoostPart]) -> list[float]:
    return [part.score for part in parts]
