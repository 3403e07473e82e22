"""Score explanations: the index gives the parts of the sum, the document's text the fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.anchors import whole_name
from gossamer.core.index.field_terms import split_term
from gossamer.core.index.impacts import MAX_IMPACT
from gossamer.core.index.schema import NAMING, declared_texts, texts_of
from gossamer.core.search.plan import Asked, Kind
from gossamer.core.search.result import Explanation, FieldPart, TermPart
from gossamer.core.search.scoring import term_scale

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.collection import IndexSchema
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.declared import TextField
    from gossamer.core.search.scoring import Profile
    from gossamer.ports.documents import Version
    from gossamer.search.asked_terms import AskedTerm
    from gossamer.search.ranking import Found


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
        similar: int,
    ) -> Explanation:
        """The parts of a document's score; `level` is its rank from 0 to 1."""
        total = sum(part.weight for part in asked)
        terms = []
        for part in asked:
            weight = part.impact(at.part, at.document) / MAX_IMPACT
            if not weight:
                continue
            terms.append(
                TermPart(
                    term=part.asked.shown,
                    df=part.df,
                    idf=round(part.weight / part.asked.times, 6),
                    weight=round(weight, 6),
                    score=round(weight * term_scale(profile, part.weight, total), 9),
                    fields=list(self._fields(version, part.asked)),
                )
            )
        rank_score = float(profile.rank_part(np.array([level]))[0])
        return Explanation(
            profile.name,
            round(sum(term.score for term in terms) + rank_score, 6),
            terms,
            rank=round(level, 6),
            rank_score=round(rank_score, 6),
            similar=similar,
        )

    def _fields(self, version: Version, asked: Asked) -> Iterator[FieldPart]:
        """Where a term stands, or in which fields a name does."""
        only, _ = split_term(asked.text)
        for field, given, texts in self._texts(version):
            if only not in ("", field) or not (only or given.searched):
                continue
            words = [self.analyzer.words(text) for text in texts]
            if asked.kind is not Kind.NAME:
                norm = 1.0 - given.b + given.b * sum(map(len, words)) / given.pivot
                count = sum(self._is(word, asked) for each in words for word in each)
            else:
                norm = 1.0
                count = sum(self._named(each) == asked.text for each in words if field in NAMING)
            if count:
                yield FieldPart(field, count, round(count * given.weight / norm, 6))

    def _texts(self, version: Version) -> Iterator[tuple[str, TextField, Sequence[str]]]:
        """Each field, how it counts, and its texts."""
        for field, texts in texts_of(version.document, version.names):
            yield field, self.schema.of(field), texts
        for field, texts in declared_texts(version.document, self.schema.fields):
            yield field, self.schema.of(field), texts

    def _named(self, words: Sequence[str]) -> str:
        return whole_name(map(self.analyzer.term, words))

    def _is(self, word: str, asked: Asked) -> bool:
        if asked.kind is Kind.PREFIX:
            return self.analyzer.fold(word).startswith(split_term(asked.text)[1])
        return self.analyzer.term(word) == split_term(asked.text)[1]
