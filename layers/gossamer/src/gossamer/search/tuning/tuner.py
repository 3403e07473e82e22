"""Reads from the settings of a collection what is changed in the ranking of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.core.search.curated import query_key, result_id
from gossamer.core.search.formula.compiling import compile_formula, kinds_of
from gossamer.core.search.planner import plan_query
from gossamer.core.search.query import All, And, Query, Word
from gossamer.search.tuning.boosts import Boosts, WeightedWord, key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.ids import DocumentId
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.search.plan import Plan


@dataclass(frozen=True, slots=True)
class Chosen:
    """Results that the owner of the collection chose for a query."""

    pinned: tuple[DocumentId, ...] = ()  # come first, in this order
    hidden: tuple[DocumentId, ...] = ()


NONE_CHOSEN = Chosen()


class Tuner:
    """The formula, weighted words and chosen results of a collection."""

    def __init__(
        self, analyzer: Analyzer, settings: CollectionSettings, stored: Mapping[str, str]
    ) -> None:
        """`stored` are the columns of segments behind the names that the collection declares."""
        self._analyzer, self._stored = analyzer, stored
        self._formula = compile_formula(settings.formula, kinds_of(settings.schema.all_columns))
        self._words = [self._weighted(*each) for each in settings.words.items()]
        self._chosen = {query_key(query): each for query, each in settings.results.items()}

    def _weighted(self, word: str, points: float) -> WeightedWord:
        # Beside something else: alone, a word that signs join is asked for in more ways.
        node = And((Word(word), All()))
        plan = plan_query(Query(node, "boolean", word), self._analyzer)
        return WeightedWord(word, points, frozenset(map(key_of, plan.asked)))

    def boosts(self, plan: Plan, today: int) -> Boosts:
        """What is added to the scores of a query."""
        asked = {key_of(each) for each in plan.asked}
        words = [each for each in self._words if each.keys and each.keys <= asked]
        return Boosts(self._formula, tuple(words), self._stored, today)

    def chosen(self, query: str, *, is_sorted: bool = False) -> Chosen:
        """The results that were chosen. Who sorts by a column gets that order, without pins."""
        found = self._chosen.get(query_key(query)) if self._chosen else None
        if found is None:
            return NONE_CHOSEN
        pinned = () if is_sorted else map(result_id, found.pinned)
        return Chosen(tuple(pinned), tuple(map(result_id, found.hidden)))
