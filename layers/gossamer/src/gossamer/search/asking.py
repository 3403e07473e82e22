"""A query with all that says how it is to be answered, read once."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gossamer.core.errors import QueryError
from gossamer.core.search.fields import RANK, fields_of
from gossamer.core.search.other_spellings import spelling_key
from gossamer.core.search.plain_text import read_query
from gossamer.core.search.planner import plan_filter, plan_query, word_reader
from gossamer.core.search.query import Phrase, Query, parse_filter, similar_words
from gossamer.core.search.scoring import profiles_of
from gossamer.core.search.spelling import asked_edits
from gossamer.core.search.synonyms.lookup import Synonyms
from gossamer.search.ranking import NO_BOOSTS
from gossamer.search.tuning.tuner import NONE_CHOSEN, Chosen, Tuner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.search.fields import Order
    from gossamer.core.search.plan import Match, Plan
    from gossamer.core.search.result import How
    from gossamer.core.search.scoring import Profile
    from gossamer.search.tuning.boosts import Boosts

SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Asking:
    """A query and how it is to be answered."""

    plan: Plan
    profile: Profile
    explain: bool
    every: bool  # similar pages too
    exact_total: bool
    facets: Mapping[str, str]
    order: Order | None = None
    fields: frozenset[str] = frozenset()  # values that are shown
    notes: tuple[str, ...] = ()  # what was understood otherwise than it may have been meant
    like: bytes = b""  # the id of a result; what it stands for is shown instead of the page
    boosts: Boosts = NO_BOOSTS
    chosen: Chosen = NONE_CHOSEN

    @property
    def needs_all(self) -> bool:
        """Whether all that match must be known, not just the best."""
        is_asked = self.exact_total or bool(self.facets) or self.order is not None
        return is_asked or bool(self.plan.filters) or bool(self.boosts)

    @property
    def columns(self) -> set[str]:
        """The columns that are read of all that match."""
        ordered = {self.order.column} - {RANK} if self.order else set()
        return ordered | {*self.facets.values(), *self.boosts.columns}


class Asker:
    """Reads queries as a collection understands them."""

    def __init__(
        self,
        analyzer: Analyzer,
        settings: CollectionSettings,
        synonyms: Sequence[str] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.profiles = profiles_of(settings)
        self._analyzer, self._clock = analyzer, clock
        self._default_profile = settings.profile
        self._typos = settings.typos
        self._fields = fields_of(settings.schema)
        self._synonyms = _synonyms(synonyms, settings.synonym_weight, analyzer)
        self._stop_list = frozenset(map(analyzer.fold, settings.stop_list))
        self._tuner = Tuner(analyzer, settings, self._fields.columns)

    @property
    def today(self) -> int:
        """Days since 1970."""
        return int(self._clock() // SECONDS_A_DAY)

    def read(self, query: str, how: How) -> Asking:
        """The query as it is answered; QueryError if it makes no sense."""
        known = self._fields
        parsed = read_query(query, known.types)
        order = known.order(how.get("sort", ""))
        spellings = how.get("spellings", {})
        plan = plan_query(parsed, self._analyzer, known, self._synonyms, spellings, self._stop_list)
        return Asking(
            replace(plan, filters=self._filters(how.get("filters", ()))),
            self.profile(how.get("profile", "")),
            how.get("explain", False),
            how.get("similar", "one") == "all",
            how.get("exact_total", False),
            known.facets_named(how.get("facets", ())),
            order,
            frozenset(how.get("fields", ())),
            (*parsed.notes, *plan.notes),
            bytes.fromhex(how.get("like", "")),
            self._tuner.boosts(plan, how.get("today", self.today)),
            self._tuner.chosen(query, is_sorted=order is not None),
        )

    def plain(self, text: str, profile: str = "") -> Asking:
        """Plain words, whatever signs stand between them."""
        phrase = Query(Phrase(text), "ranked", text)
        plan = plan_query(phrase, self._analyzer, stop_list=self._stop_list)
        return Asking(
            plan,
            self.profile(profile),
            explain=False,
            every=True,
            exact_total=False,
            facets={},
            boosts=self._tuner.boosts(plan, self.today),
            chosen=self._tuner.chosen(text),
        )

    def misspelt(self, query: str) -> dict[str, tuple[str, int]]:
        """Words with a tilde by their keys: as the index has them, and how many letters differ."""
        fold, rules = self._analyzer.fold, self._typos
        found = similar_words(read_query(query, self._fields.types).node) if "~" in query else []
        words = {spelling_key(each.text, each.edits): (fold(each.text), each) for each in found}
        edits = {key: asked_edits(word, each.edits, rules) for key, (word, each) in words.items()}
        return {key: (word, edits[key]) for key, (word, _) in words.items() if word and edits[key]}

    def _filters(self, texts: Sequence[str]) -> tuple[Match | None, ...]:
        known = self._fields
        nodes = [parse_filter(text, known.types) for text in texts]  # QueryError has the text
        return tuple([plan_filter(node, self._analyzer, known) for node in nodes])

    def profile(self, name: str) -> Profile:
        """A profile of scoring; "" is the collection's own."""
        chosen = self.profiles.get(name or self._default_profile)
        if chosen is None:
            raise QueryError(f"unknown profile {name!r}; known: {', '.join(self.profiles)}", 0)
        return chosen


def _synonyms(lines: Sequence[str], weight: float, analyzer: Analyzer) -> Synonyms | None:
    return Synonyms(lines, weight, word_reader(analyzer)) if lines and weight else None
