"""A query with all that says how it is to be answered, read once."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from gossamer.core.errors import QueryError
from gossamer.core.search.fields import RANK, fields_of
from gossamer.core.search.fill_up import has_column, loosen
from gossamer.core.search.long_queries import with_terms
from gossamer.core.search.other_spellings import spelling_key
from gossamer.core.search.plain_text import read_query, read_words
from gossamer.core.search.planner import plan_filter, plan_query, word_reader
from gossamer.core.search.planning.compounds import looked_at, reader_of_compounds
from gossamer.core.search.planning.other_languages import Readers, readers_of
from gossamer.core.search.query import Not, Phrase, Query, parse_filter, similar_words
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
    from gossamer.core.search.query import Node
    from gossamer.core.search.result import How, HowRead
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
    optional: frozenset[str] = frozenset()  # facets that are shown only if they have values
    declared: tuple[str, ...] = ()  # columns it filters by that only some pages have
    is_boolean: bool = False  # by its operators; a plan is, too, for stop words alone
    is_strict: bool = False  # nothing but what matches is answered
    has_snippets: bool = True

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


class _OfLanguage(NamedTuple):
    """What of the settings is read by the rules of a language."""

    synonyms: Synonyms | None
    tuner: Tuner


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
        self._settings, self._lines = settings, synonyms
        self._default_profile = settings.profile
        self._typos = settings.typos
        self._fields = fields_of(settings.schema)
        self._stop_list = frozenset(map(analyzer.fold, settings.stop_list))
        self._by_language: dict[Analyzer, _OfLanguage] = {}
        self._of(self.readers(()).first)  # what is wrong with the settings is said at once

    @property
    def today(self) -> int:
        """Days since 1970."""
        return int(self._clock() // SECONDS_A_DAY)

    def read(self, query: str, how: HowRead) -> Asking:
        """The query as it is answered; QueryError if it makes no sense."""
        known, readers = self._fields, self.readers(how.get("languages", ()))
        parsed, conditions = self._read(query, how)
        order = known.order(how.get("sort", ""))
        synonyms, tuner = self._of(readers.first)
        plan = plan_query(
            parsed,
            readers.first,
            known,
            synonyms,
            how.get("spellings", {}),
            self._stop_list,
            readers.others,
            how.get("compounds"),
            self._settings.compound_weight,
        )
        filters = [
            *self._filters(how.get("filters", ()), readers),
            *[plan_filter(each, readers.first, known, readers.others) for each in conditions],
            *[plan.phrases[place] for place in how.get("required", ())],
        ]
        plan = with_terms(replace(plan, filters=tuple(filters)), how.get("terms"))
        return Asking(
            plan,
            self.profile(how.get("profile", "")),
            how.get("explain", False),
            how.get("similar", "one") == "all",
            how.get("exact_total", False),
            known.facets_named(how.get("facets", ())),
            order,
            frozenset(how.get("fields", ())),
            (*parsed.notes, *plan.notes),
            bytes.fromhex(how.get("like", "")),
            tuner.boosts(plan, how.get("today", self.today)),
            tuner.chosen(query, is_sorted=order is not None),
            known.automatic.difference(how.get("facets", ())),
            known.automatic_in(plan.leaves()),
            parsed.mode == "boolean",
            self.is_strict(how),
            how.get("snippets", True),
        )

    def is_strict(self, how: How) -> bool:
        """Whether a query is read in the exact language."""
        return how.get("strict", False) or self._settings.strict_queries

    def _parsed(self, query: str, how: How) -> Query:
        return read_query(query, self._fields.types, is_strict=self.is_strict(how))

    def _read(self, query: str, how: HowRead) -> tuple[Query, list[Node]]:
        """Return the query and, if it fills up an answer, what is required besides."""
        parsed, loosened = self._parsed(query, how), how.get("loosened")
        if loosened is None:
            return parsed, []
        if loosened == "text":
            return read_words(query), [Not(parsed.node)]
        words = loosen(parsed.node, self._fields.is_column)
        return words.to_query(query), [*words.conditions, Not(parsed.node)]

    def loosened(self, query: str, how: HowRead, total: int) -> list[Literal["words", "text"]]:
        """Return how a boolean query may be read to fill up its answer, the best way first.

        Its exclusions are read as text only if nothing else can be found.
        """
        node, is_column = self._parsed(query, how).node, self._fields.is_column
        ways: list[Literal["words", "text"]] = ["words"] if loosen(node, is_column).words else []
        return ways if total or has_column(node, is_column) else [*ways, "text"]

    def readers(self, languages: Sequence[str]) -> Readers:
        """The analyzers of queries, if documents are in these languages."""
        return readers_of(self._analyzer, languages)

    def _of(self, analyzer: Analyzer) -> _OfLanguage:
        """What the settings are to an analyzer; read once for each."""
        known = self._by_language.get(analyzer)
        if known is None:
            settings = self._settings
            synonyms = _synonyms(self._lines, settings.synonym_weight, analyzer)
            known = _OfLanguage(synonyms, Tuner(analyzer, settings, self._fields.columns))
            self._by_language[analyzer] = known
        return known

    def plain(self, text: str, profile: str = "", languages: Sequence[str] = ()) -> Asking:
        """Plain words, whatever signs stand between them."""
        phrase, readers = Query(Phrase(text), "ranked", text), self.readers(languages)
        tuner = self._of(readers.first).tuner
        plan = plan_query(phrase, readers.first, stop_list=self._stop_list, others=readers.others)
        return Asking(
            plan,
            self.profile(profile),
            explain=False,
            every=True,
            exact_total=False,
            facets={},
            boosts=tuner.boosts(plan, self.today),
            chosen=tuner.chosen(text),
        )

    def in_compounds(self, query: str, how: HowRead) -> dict[str, str]:
        """Words of a query that may be parts of others, with how the index has them."""
        reader = self.reader_of_compounds(how.get("languages", ()))
        if reader is None or not self._settings.compound_weight:
            return {}
        return looked_at(self._parsed(query, how).node, reader)

    def reader_of_compounds(self, languages: Sequence[str]) -> Analyzer | None:
        """The analyzer of a language that writes compounds, if documents are in one."""
        first, others = self.readers(languages)
        return reader_of_compounds((first, *others))

    def misspelt(self, query: str, how: How) -> dict[str, tuple[str, int]]:
        """Words with a tilde by their keys: as the index has them, and how many letters differ."""
        fold, rules = self._analyzer.fold, self._typos
        found = similar_words(self._parsed(query, how).node) if "~" in query else []
        words = {spelling_key(each.text, each.edits): (fold(each.text), each) for each in found}
        edits = {key: asked_edits(word, each.edits, rules) for key, (word, each) in words.items()}
        return {key: (word, edits[key]) for key, (word, _) in words.items() if word and edits[key]}

    def _filters(self, texts: Sequence[str], readers: Readers) -> tuple[Match | None, ...]:
        known = self._fields
        nodes = [parse_filter(text, known.types) for text in texts]  # QueryError has the text
        return tuple([plan_filter(node, readers.first, known, readers.others) for node in nodes])

    def profile(self, name: str) -> Profile:
        """A profile of scoring; "" is the collection's own."""
        chosen = self.profiles.get(name or self._default_profile)
        if chosen is None:
            raise QueryError(f"unknown profile {name!r}; known: {', '.join(self.profiles)}", 0)
        return chosen


def _synonyms(lines: Sequence[str], weight: float, analyzer: Analyzer) -> Synonyms | None:
    return Synonyms(lines, weight, word_reader(analyzer)) if lines and weight else None
