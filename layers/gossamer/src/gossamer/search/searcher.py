"""SEARCH: a query becomes a page of results, each with its reasons."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar, Unpack

import msgspec

from gossamer.core.errors import NotStored, OverBudget, TransientError
from gossamer.core.search.answers.small import card_of, computed
from gossamer.core.search.fields import fields_of
from gossamer.core.search.fill_up import MIN_RESULTS
from gossamer.core.search.long_queries import counted_terms, heaviest_terms, is_long
from gossamer.core.search.planning.other_languages import Readers, by_frequency
from gossamer.core.search.result import SearchResponse, Suggestion, SuggestResponse
from gossamer.search.asked_terms import counts_of
from gossamer.search.asking import Asker
from gossamer.search.budget import (
    NOT_FILLED,
    NOT_LISTED,
    NOT_SEARCHED,
    NOT_SPELLED,
    UNLIMITED,
    check_words,
)
from gossamer.search.facets import facets
from gossamer.search.lookup import Lookup, count_long, find, look_up
from gossamer.search.ranking import ids_of
from gossamer.search.results.hits import (
    HitWriter,
    Page,
    behind,
    fill_up,
    number,
    only_chosen,
)
from gossamer.search.results.similar_results import (
    MAX_RESULTS,
    alike,
    cluster_values,
    clusters,
    each_alone,
    members,
    of_item,
    shown,
)
from gossamer.search.snapshot import Snapshots
from gossamer.search.spelling.corrector import Corrector
from gossamer.search.spelling.neighbours import InSnapshot
from gossamer.search.suggest.suggester import Suggester

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.ids import DocumentId
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.near_duplicates.collapse import Cluster
    from gossamer.core.search.result import Correction, DocumentView, Hit, How, HowRead
    from gossamer.core.search.scoring import Profile
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.segments import SegmentStore
    from gossamer.search.asking import Asking
    from gossamer.search.budget import Budget
    from gossamer.search.groups.groups import Groups
    from gossamer.search.ranking import Found, Ranked
    from gossamer.search.snapshot import Snapshot
    from gossamer.search.spelling.neighbours import KnownWords
    from gossamer.search.suggest.completions import Completion

    ReadPage = Callable[[int, int], Page]

MAX_TRIES = 5  # of a query whose files are deleted while it reads them
T = TypeVar("T")


class _NoPages(Exception):
    """A corrected query has no results."""


class Reading(NamedTuple):
    """A query as it was read, and a page of its results."""

    query: str
    how: HowRead
    asking: Asking
    found: Page
    read: ReadPage  # reads other pages

    @property
    def needs_fill_up(self) -> bool:
        """Whether a boolean answer has so few results that ranked ones come behind them."""
        is_whole = self.how.get("fill", True) and self.asking.order is None
        is_boolean = is_whole and self.asking.is_boolean and not self.asking.is_strict
        return is_boolean and self.found.total < MIN_RESULTS

    def notes(self) -> list[str]:
        """Return how few results match exactly, and why a filter may have found nothing."""
        found, declared = self.found, " and ".join(self.asking.declared)
        if found.filled:
            return [_filled_note(found.total - found.filled)]
        if found.total or not declared:
            return []
        return [
            f"only pages that declare {declared} themselves are found by it:"
            " docs/structured-data.md"
        ]


def _filled_note(exact: int) -> str:
    pages = {0: "no page matches", 1: "one page matches"}.get(exact, f"{exact} pages match")
    others = "others are below" if exact else "these are results for its words"
    return f"{pages} the query with all its operators; {others} (strict leaves them out)"


class Searcher:
    """Answers queries over one collection."""

    def __init__(
        self,
        index: SegmentStore,
        documents: DocumentStore,
        analyzer: Analyzer,
        settings: CollectionSettings,
        timer: Callable[[], float],
        max_age: float = 0.0,
        groups: Groups | None = None,
        synonyms: Sequence[str] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`max_age`: for how many seconds a manifest that was read is used.

        `groups` answer together what is too large for this process. `synonyms` are the rules of a
        list that was checked. By the `clock` a formula knows how old documents are.
        """
        self._index, self._documents = index, documents
        self._analyzer, self._synonyms = analyzer, synonyms
        self._timer, self._clock = timer, clock
        self.use(settings)
        self._snapshots = Snapshots(index, max_age, timer)
        self._groups = groups
        self._suggester = Suggester(self._snapshots.read)

    def use(self, settings: CollectionSettings) -> None:
        """Answer by other settings from now on; what is known of the index is kept."""
        self.settings, self.settings_version = settings, settings.version
        self._asker = Asker(self._analyzer, settings, self._synonyms, self._clock)
        self._writer = HitWriter(self._documents, self._analyzer, settings)
        self._corrector = _corrector(self._analyzer, settings)

    @property
    def profiles(self) -> dict[str, Profile]:
        """The profiles of scoring, by name."""
        return self._asker.profiles

    @property
    def size(self) -> int:
        """How many documents can be found."""
        return self._snapshots.manifest().live

    def columns(self) -> frozenset[str]:
        """The columns of the index; none if it is too large for this process."""
        groups, manifest = self._groups, self._snapshots.manifest()
        is_far = groups is not None and groups.are_needed(manifest)
        return frozenset() if is_far else self._stable(self.snapshot).columns

    def snapshot(self) -> Snapshot:
        """The index as it is now."""
        return self._snapshots.latest()

    def search(self, query: str, budget: Budget = UNLIMITED, **how: Unpack[How]) -> SearchResponse:
        """A page of results; of similar pages one or, on request, "all" are shown.

        What is left out because the budget is spent is said in the notes.
        """
        # One day, and the same languages, for all groups.
        known: HowRead = {"languages": self._languages(), "compounds": {}}
        given: HowRead = {"today": self._asker.today, **known, **how}
        began, read = self._timer(), self._with_spellings(query, given, budget)
        read = self._with_compounds(query, read, budget)
        read, asking = self._narrowed(query, read, budget)
        return self._answer(query, read, asking, budget, began)

    def _languages(self) -> list[str]:
        """The languages that documents are analysed by, if these differ."""
        if not self._analyzer.is_auto:
            return []
        return by_frequency(self._snapshots.manifest().languages)

    def _answer(
        self, query: str, how: HowRead, asking: Asking, budget: Budget, began: float
    ) -> SearchResponse:
        page, limit = how.get("page", 1), how.get("limit", 10)
        first, last = (page - 1) * limit, min(page * limit, MAX_RESULTS)
        budget.keep_back(last - first)
        reading, correction = self._read(query, how, asking, first, last, budget)
        if reading.needs_fill_up and not (budget.left_out or budget.leaves_out(NOT_FILLED)):
            reading = self._filled_up(reading, first, last, budget)
        found, asking = reading.found, reading.asking
        answer = computed(query) or card_of(query, found.hits) if page == 1 else None
        only_chosen(found.hits, asking.fields)
        damage = self._snapshots.damage()
        return SearchResponse(
            query=query,
            mode=asking.plan.mode,
            total=found.total,
            total_is_exact=found.is_exact and not damage and NOT_SEARCHED not in budget.left_out,
            page=page,
            limit=limit,
            took_ms=round(1000 * (self._timer() - began), 3),
            hits=found.hits,
            similar=found.similar,
            facets={
                n: each for n, each in found.facets.items() if each or n not in asking.optional
            },
            correction=correction,
            notes=[*asking.notes, *reading.notes(), *budget.notes(), *damage],
            partial=bool(budget.left_out or damage),
            answer=answer,
            filled=found.filled,
        )

    def _read(
        self, query: str, how: HowRead, asking: Asking, first: int, last: int, budget: Budget
    ) -> tuple[Reading, Correction | None]:
        """Return results of a query, in another spelling where it is needed, and that spelling."""
        read: ReadPage = partial(self._page, query, how, asking, budget=budget)
        typed = Reading(query, how, asking, self._stable(partial(read, first, last)), read)
        correction = self._correction(query, how, typed.found, budget)
        if correction is None or not correction.applied:
            return typed, correction
        how = self._with_compounds(correction.corrected, how, budget)
        asking = self._asker.read(correction.corrected, how)
        read = partial(self._in_other_words, correction, how, asking, typed.found, budget=budget)
        try:
            found = self._stable(partial(read, first, last))
        except _NoPages:
            return typed, None
        return Reading(correction.corrected, how, asking, found, read), correction

    def _filled_up(self, reading: Reading, first: int, last: int, budget: Budget) -> Reading:
        """Return results with ranked ones behind the few that match a boolean query."""
        query, how, found = reading.query, reading.how, reading.found
        if first or last < MIN_RESULTS:
            found = self._stable(partial(reading.read, 0, MIN_RESULTS))
        for way in self._asker.loosened(query, how, found.total):
            loosened: HowRead = {**how, "loosened": way, "facets": ()}
            asking = self._asker.read(query, loosened)
            work = partial(self._page, query, loosened, asking, 0, MIN_RESULTS, budget)
            others = self._stable(work)
            if others.hits:
                filled = fill_up(found, others.hits, first, last, MIN_RESULTS)
                return reading._replace(found=filled)
        return reading

    def _narrowed(self, query: str, how: HowRead, budget: Budget) -> tuple[HowRead, Asking]:
        """Read a query, and settle which words of a long one count and which phrases it needs."""
        asking = self._asker.read(query, how)
        if is_long(asking.plan):
            how = self._with_terms(query, how, asking, budget)
            asking = self._asker.read(query, how)
        if phrases := asking.plan.main_phrases:
            how = self._with_phrases(query, how, phrases, budget)
            asking = self._asker.read(query, how)
        return how, asking

    def _with_terms(self, query: str, how: HowRead, asking: Asking, budget: Budget) -> HowRead:
        """How a query is answered, with the words that count of one that has too many."""
        counts = self._stable(lambda: self._count_long(query, how, asking, budget))
        size = self._snapshots.known_manifest.live
        terms = heaviest_terms(counted_terms(asking.plan), counts, size)
        return {**how, "terms": terms, "correct": False}

    def _count_long(self, query: str, how: HowRead, asking: Asking, budget: Budget) -> list[int]:
        manifest = self._snapshots.manifest()
        if self._groups is not None and self._groups.are_needed(manifest):
            return self._groups.count_long(manifest, query, how, budget)
        return count_long(asking, self._index, self._snapshots, self.snapshot(), budget)

    def _with_phrases(
        self, query: str, how: HowRead, phrases: Sequence[int], budget: Budget
    ) -> HowRead:
        """How a query is answered, with the quoted phrases that are required.

        A phrase that is most of the query is, if enough results remain. Others add to scores.
        """
        required: list[int] = []
        for place in phrases:
            tried: HowRead = {**how, "required": [*required, place], "facets": (), "sort": ""}
            asking = self._asker.read(query, tried)
            work = partial(self._page, query, tried, asking, 0, 1, budget)
            if self._stable(work).total >= MIN_RESULTS:
                required.append(place)
        return {**how, "required": required} if required else how

    def _with_spellings(self, query: str, how: HowRead, budget: Budget) -> HowRead:
        """How a query is answered, with the words that are spelt like those with a tilde."""
        wanted = self._asker.misspelt(query, how)
        if not wanted:
            return how
        words = list(wanted.values())
        try:
            lists = self._stable(lambda: self._neighbours(budget).near(words))
        except OverBudget:
            budget.leave_out(NOT_SPELLED)
            return how
        found = zip(wanted, lists, strict=True)
        spellings = {key: [(near.word, near.edits) for near in each] for key, each in found}
        return {**how, "spellings": spellings}

    def _with_compounds(self, query: str, how: HowRead, budget: Budget) -> HowRead:
        """How a query is answered, with the compounds of its words, where a language has some."""
        languages = how.get("languages", ())
        wanted, reader = self._asker.in_compounds(query, how), None
        if wanted:
            reader = self._asker.reader_of_compounds(languages)
        if reader is None:
            return how
        words, known = list(wanted.values()), reader
        try:
            lists = self._stable(
                lambda: self._neighbours(budget, languages).compounds(words, known)
            )
        except OverBudget:
            budget.leave_out(NOT_SPELLED)
            return how
        new = {key: [list(x.words) for x in each] for key, each in zip(wanted, lists, strict=True)}
        return {**how, "compounds": how.get("compounds", {}) | new}

    def _correction(
        self, query: str, how: HowRead, found: Page, budget: Budget
    ) -> Correction | None:
        """Another spelling; it is applied if the query as typed finds too little."""
        languages, size = how.get("languages", ()), self._snapshots.known_manifest.live
        corrector = replace(self._corrector, readers=self._asker.readers(languages))
        is_wanted = how.get("correct", True) and corrector.may_correct(query, found.counts, size)
        if not is_wanted:
            return None
        correct = partial(corrector.correct, query, found.counts, size)
        try:
            correction = self._stable(lambda: correct(self._neighbours(budget, languages)))
        except OverBudget:
            budget.leave_out(NOT_SPELLED)
            return None
        if correction is None:
            return None
        is_needed = found.total < corrector.rules.min_results
        return msgspec.structs.replace(correction, applied=correction.applied and is_needed)

    def _neighbours(self, budget: Budget, languages: Sequence[str] = ()) -> KnownWords:
        if self._groups is not None and self._groups.are_needed(self._snapshots.manifest()):
            return self._groups.spelling(self._snapshots.manifest(), languages, budget)
        return InSnapshot(self._index, self._snapshots, self.snapshot(), budget)

    def _in_other_words(
        self,
        correction: Correction,
        how: HowRead,
        asking: Asking,
        found: Page,
        first: int,
        last: int,
        budget: Budget,
    ) -> Page:
        """Results of the corrected query, behind those of the query as typed, if it has some."""
        begin = 0 if found.total else first
        page = self._page(correction.corrected, how, asking, begin, last, budget)
        if not page.total:
            raise _NoPages
        if not found.total:
            return page
        typed = self._asker.read(correction.typed, how)
        exact = self._page(correction.typed, how, typed, 0, found.total, budget)
        return behind(exact, page, first, last)

    def _stable(self, read: Callable[[], T]) -> T:
        """Read from one manifest; from the next one, if its files are deleted meanwhile."""
        gone = ""
        for _ in range(MAX_TRIES):
            try:
                return self._snapshots.without_damage(read)
            except NotStored as error:
                gone = str(error)
                self._snapshots.forget()
        raise TransientError(
            f"a file of the index is missing ({gone}); if it stays so, `gossamer reindex` makes the"
            " index anew from the stored documents"
        )

    def _page(
        self, query: str, how: HowRead, asking: Asking, first: int, last: int, budget: Budget
    ) -> Page:
        if self._groups is not None and self._groups.are_needed(self._snapshots.manifest()):
            manifest = self._snapshots.manifest()
            return self._groups.page(manifest, query, how, asking, first, last, budget)
        return self._page_of(asking, self.snapshot(), first, last, budget)

    def _page_of(
        self, asking: Asking, snapshot: Snapshot, first: int, last: int, budget: Budget
    ) -> Page:
        check_words(asking.plan, snapshot)
        lookup = look_up(
            asking,
            self._index,
            self._snapshots,
            snapshot,
            budget=budget,
            documents=self._documents,
        )
        if asking.every:
            ranked, found = each_alone(lookup.best, last)
        else:
            values = partial(_clusters_of, snapshot)
            ranked, found = clusters(lookup.best, values, last, budget)
        if asking.like:
            return self._alike(lookup, ranked.best, found[first:last])
        return Page(
            ranked.total,
            ranked.is_exact,
            sum(len(cluster.others) for cluster in found),
            self._hits(lookup, ranked.best, found[first:last], first),
            facets(asking.facets, snapshot, ranked, budget),
            counts_of(lookup.terms),
        )

    def _alike(self, lookup: Lookup, best: Sequence[Found], found: list[Cluster]) -> Page:
        """The similar pages that one of these results stands for."""

        def ids(places: Sequence[int]) -> list[bytes]:
            at = [best[place][:2] for place in places]
            known = ids_of(at, lookup.snapshot)
            return [known[each] for each in at]

        hits = self._hits(lookup, best, alike(found, ids, lookup.asking.like), 0)
        return Page(len(hits), True, 0, hits, {}, counts_of(lookup.terms))

    def _hits(
        self, lookup: Lookup, best: Sequence[Found], found: list[Cluster], first: int
    ) -> list[Hit]:
        found, places = _affordable(found, lookup.budget, len)
        far = lookup.far([best[place] for place in places])
        found, places = _affordable(
            found, lookup.budget, lambda places: sum(best[place] in far for place in places)
        )
        stored = lookup.stored([best[place] for place in places])
        documents = dict(zip(places, stored, strict=True))
        now = self._clock()
        found = [each for each in found if not documents[shown(each, documents)].is_over(now)]
        chosen = [shown(cluster, documents) for cluster in found]
        at = [best[place] for place in chosen]
        whole = [of_item(*pair, documents) for pair in zip(found, chosen, strict=True)]
        hits = self._writer.write(lookup, at, whole)
        return [
            number(hit, rank, len(cluster.others))
            for rank, (hit, cluster) in enumerate(zip(hits, found, strict=True), first + 1)
        ]

    def ranking(self, text: str, count: int, profile: str = "") -> list[str]:
        """The URLs of the best answers to plain words, whatever signs stand between them."""
        snapshot = self.snapshot()
        asking = self._asker.plain(text, profile, self._languages())
        lookup = look_up(asking, self._index, self._snapshots, snapshot)
        ranked = lookup.best(count)
        return [snapshot.parts[each.part].url(each.document) for each in ranked.best]

    def has_words(self, text: str, budget: Budget = UNLIMITED) -> bool:
        """Return whether some document has each word of a text; stop words are left out."""
        languages = self._languages()
        readers = self._asker.readers(languages)
        terms = [readers.terms(word) for word in readers.first.words(text)]
        pairs = list(dict.fromkeys((term, term) for each in terms for term in each))
        counted = self._stable(lambda: self._neighbours(budget, languages).together(pairs))
        counts = dict(zip(pairs, counted, strict=True))
        return all(any(counts[term, term] for term in each) for each in terms if each)

    def suggest(self, typed: str, count: int, budget: Budget = UNLIMITED) -> SuggestResponse:
        """What may be meant by what was typed so far, the best first."""
        began = self._timer()
        found = self._stable(partial(self._suggest, typed, count, budget))
        return SuggestResponse(
            query=typed,
            suggestions=[Suggestion(each.text, each.description, each.url) for each in found],
            took_ms=round(1000 * (self._timer() - began), 3),
            partial=bool(budget.left_out or self._snapshots.damage()),
        )

    def _suggest(self, typed: str, count: int, budget: Budget) -> list[Completion]:
        if self._groups is not None and self._groups.are_needed(self._snapshots.manifest()):
            return self._groups.suggest(self._snapshots.manifest(), typed, count, budget)
        return self._suggester.suggest(typed, count, self.snapshot(), budget)

    def document(self, id: DocumentId) -> DocumentView | None:
        """A document that can be found, by its id."""
        return self._stable(partial(self._document, id))

    def _document(self, id: DocumentId) -> DocumentView | None:
        if self._groups is not None and self._groups.are_needed(self._snapshots.manifest()):
            return self._groups.document(self._snapshots.manifest(), id)
        return find(id, self.snapshot(), self._snapshots)


def _corrector(analyzer: Analyzer, settings: CollectionSettings) -> Corrector:
    return Corrector(Readers(analyzer), settings.typos, fields_of(settings.schema).types)


def _affordable(
    found: list[Cluster], budget: Budget, reads: Callable[[list[int]], int]
) -> tuple[list[Cluster], list[int]]:
    """The results that there are reads for, and their places."""
    places = members(found)
    while found and reads(places) > budget.reads_left:
        budget.leave_out(NOT_LISTED)
        found = found[: -max(1, len(found) // 10)]
        places = members(found)
    return found, places


def _clusters_of(snapshot: Snapshot, ranked: Ranked) -> list[int]:
    return cluster_values(ranked.best, snapshot, ranked.pinned)
