"""Ask groups of segments side by side, and make one answer of theirs.

One process can hold the columns of some million documents, and reads the lists of all its segments.
Beyond that the segments are divided into groups, each asked by a process of its own. A term weighs
the same everywhere, by how many documents of all groups have it, so scores can be compared, and the
best of all are among the best of each. A query takes three turns: count, rank, show.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypedDict, TypeVar

import msgspec

from gossamer.core.errors import NotStored, OverBudget, TransientError
from gossamer.core.index.segments.identities import ID_BYTES
from gossamer.core.index.segments.manifest import Manifest
from gossamer.core.search.plan import Kind
from gossamer.core.search.planning import compounds
from gossamer.core.search.written_forms import Written
from gossamer.search.asked_terms import Whole
from gossamer.search.budget import UNLIMITED
from gossamer.search.facets import most_frequent
from gossamer.search.groups.questions import (
    Answer,
    Compounds,
    CompoundWords,
    Count,
    Counted,
    Find,
    FoundDocument,
    Gone,
    Near,
    NearWords,
    Question,
    Rank,
    RankedRows,
    Row,
    Show,
    Shown,
    Suggest,
    Suggested,
    Together,
    Write,
    WrittenWords,
)
from gossamer.search.ranking import in_order_of
from gossamer.search.results.hits import Page, number
from gossamer.search.results.same_item import joined
from gossamer.search.results.similar_results import (
    alike,
    clusters,
    each_alone,
    members,
    shown,
    sources,
)
from gossamer.search.spelling.neighbours import merged
from gossamer.search.suggest.completions import best_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.core.ids import DocumentId
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.core.index.segments.manifest import SegmentInfo
    from gossamer.core.near_duplicates.collapse import Cluster
    from gossamer.core.search import spelling
    from gossamer.core.search.fields import Order
    from gossamer.core.search.planning.other_languages import Readers
    from gossamer.core.search.result import DocumentView, FacetValue, Hit, HowRead
    from gossamer.search.asking import Asking
    from gossamer.search.budget import Budget
    from gossamer.search.groups.questions import Candidate, Costly
    from gossamer.search.suggest.completions import Completion

    Ask = Callable[[Sequence[bytes]], Sequence[bytes]]  # every question of another process

GROUP_DOCUMENTS = 2_000_000  # of a group: their columns and the room for scores take 60 MB
A = TypeVar(
    "A",
    Counted,
    RankedRows,
    Shown,
    NearWords,
    CompoundWords,
    WrittenWords,
    FoundDocument,
    Suggested,
)
# Answers that took reads, and those about a query.
P = TypeVar("P", Counted, RankedRows, Shown, NearWords, CompoundWords, WrittenWords, Suggested)
Q = TypeVar("Q", Counted, RankedRows)


class _Limits(TypedDict):
    reads: float | None
    seconds: float | None


class Groups:
    """Asks groups of segments."""

    def __init__(self, ask: Ask, most: int = GROUP_DOCUMENTS) -> None:
        self._ask, self._most = ask, most

    def are_needed(self, manifest: Manifest) -> bool:
        """Whether an index is too large for one process."""
        return manifest.live > self._most

    def page(
        self,
        manifest: Manifest,
        query: str,
        how: HowRead,
        asking: Asking,
        first: int,
        last: int,
        budget: Budget = UNLIMITED,
    ) -> Page:
        """Results from the one behind `first` to `last`."""
        return _Conversation(self, manifest, query, how, asking, budget).page(first, last)

    def count_long(self, manifest: Manifest, query: str, how: HowRead, budget: Budget) -> list[int]:
        """Count the documents of all groups that have each counted term of a long query."""
        make = partial(Count, query=query, how=how)
        answers = self.ask_each(self.groups(manifest), make, Counted, budget)
        return [sum(dfs) for dfs in zip(*(answer.dfs for answer in answers), strict=True)]

    def document(self, manifest: Manifest, id: DocumentId) -> DocumentView | None:
        """A document by its id."""
        questions = [Find(group, id) for group in self.groups(manifest)]
        answers = self.ask(questions, FoundDocument)
        return next((found.document for found in answers if found.document is not None), None)

    def suggest(
        self, manifest: Manifest, typed: str, count: int, budget: Budget = UNLIMITED
    ) -> list[Completion]:
        """The best completions of all groups."""
        make = partial(Suggest, typed=typed)
        answers = self.ask_each(self.groups(manifest), make, Suggested, budget)
        return best_of((each for answer in answers for each in answer.completions), count)

    def spelling(
        self, manifest: Manifest, languages: Sequence[str] = (), budget: Budget = UNLIMITED
    ) -> InGroups:
        """The words of all groups, whose documents are in these languages."""
        return InGroups(self, manifest, languages, budget)

    def groups(self, manifest: Manifest) -> list[Manifest]:
        """The segments in groups, largest first; a segment that is too large is one alone."""
        groups: list[list[SegmentInfo]] = []
        for segment in sorted(manifest.segments, key=lambda each: (-each.documents, each.name)):
            room = self._most - segment.documents
            fits = (group for group in groups if sum(each.documents for each in group) <= room)
            group = next(fits, None)
            if group is None:
                groups.append([segment])
            else:
                group.append(segment)
        return [Manifest(version=manifest.version, segments=group) for group in groups]

    def ask(self, questions: Sequence[Question], kind: type[A]) -> list[A]:
        """Ask some groups, each a question, at the same time."""
        answers = self._ask([msgspec.json.encode(question) for question in questions])
        return [_expected(msgspec.json.decode(each, type=Answer), kind) for each in answers]

    def ask_each(
        self,
        groups: Sequence[Manifest],
        make: Callable[..., Costly],
        kind: type[P],
        budget: Budget,
    ) -> list[P]:
        """Ask all groups the same."""
        questions = {
            number: make(group, **_limits(number, budget)) for number, group in enumerate(groups)
        }
        return self.ask_within(questions, kind, budget)

    def ask_within(self, asked: Mapping[int, Question], kind: type[P], budget: Budget) -> list[P]:
        """Ask groups, by their numbers, and count what it took."""
        answers = self.ask(list(asked.values()), kind)
        for group, answer in zip(asked, answers, strict=True):
            budget.leave_out(*answer.left_out)
            budget.took(group, answer.reads)
        return answers


def _limits(group: int, budget: Budget) -> _Limits:
    """What a group has left of a query's reads and seconds; None: as many as it needs."""
    left = budget.left_for(group), budget.left
    reads, seconds = (None if math.isinf(each) else each for each in left)
    return {"reads": reads, "seconds": seconds}


def _expected(answer: Answer, kind: type[A]) -> A:
    if isinstance(answer, Gone):
        raise NotStored("files of the index were deleted while they were searched")
    if not isinstance(answer, kind):
        raise TransientError(f"a group of segments answered {type(answer).__name__}")
    return answer


class _Place(NamedTuple):
    """One of the best documents, and which group has it."""

    group: int
    row: Row

    @property
    def id(self) -> bytes:
        return self.row.id

    @property
    def value(self) -> float | str | None:
        return self.row.value


class _Best(NamedTuple):
    best: list[_Place]
    answers: list[RankedRows]


class _Conversation:
    """One query, and what the groups said so far."""

    def __init__(
        self,
        groups: Groups,
        manifest: Manifest,
        query: str,
        how: HowRead,
        asking: Asking,
        budget: Budget,
    ) -> None:
        self._groups, self._asking = groups, asking
        self._query, self._how = query, how
        self._budget = budget
        self._manifests = groups.groups(manifest)
        self._whole = Whole(manifest.live, self._frequencies())

    def _ask(self, make: Callable[..., Costly], kind: type[Q]) -> list[Q]:
        make = partial(make, query=self._query, how=self._how)
        return self._groups.ask_each(self._manifests, make, kind, self._budget)

    def _frequencies(self) -> list[int]:
        answers = self._ask(Count, Counted)
        return [sum(dfs) for dfs in zip(*(answer.dfs for answer in answers), strict=True)]

    def page(self, first: int, last: int) -> Page:
        """Some results."""
        if self._asking.every:
            ranked, found = each_alone(self._rank, last)
        else:
            ranked, found = clusters(self._rank, _cluster_values, last, self._budget)
        if self._asking.like:
            return self._alike(ranked.best, found[first:last])
        return Page(
            sum(answer.total for answer in ranked.answers),
            all(answer.is_exact for answer in ranked.answers),
            sum(len(cluster.others) for cluster in found),
            self._hits(ranked.best, found[first:last], first),
            {name: _facet(name, ranked.answers) for name in self._asking.facets},
            self._counts(),
        )

    def _counts(self) -> dict[str, int]:
        pairs = zip(self._asking.plan.asked, self._whole.dfs, strict=False)
        return {asked.text: df for asked, df in pairs if df and asked.kind is Kind.TERM}

    def _alike(self, best: list[_Place], found: list[Cluster]) -> Page:
        """The similar pages that one of these results stands for."""
        others = alike(found, lambda places: [best[at].id for at in places], self._asking.like)
        hits = self._hits(best, others, 0)
        return Page(len(hits), True, 0, hits, {}, self._counts())

    def _rank(self, count: int) -> _Best:
        answers = self._ask(partial(Rank, whole=self._whole, count=count), RankedRows)
        each = list(enumerate(answers))
        best = [_Place(group, row) for group, found in each for row in found.best[found.pinned :]]
        first = [_Place(group, row) for group, found in each for row in found.best[: found.pinned]]
        pinned = self._as_pinned(first)
        return _Best([*pinned, *_in_order(best, self._asking.order)][:count], answers)

    def _as_pinned(self, found: list[_Place]) -> list[_Place]:
        """In the order in which they are pinned; groups have their ids as segments do."""
        order = [id.ljust(ID_BYTES, b"\0") for id in self._asking.chosen.pinned]
        return sorted(found, key=lambda place: order.index(place.id))

    def _hits(self, best: list[_Place], found: list[Cluster], first: int) -> list[Hit]:
        candidates = self._candidates(best, members(found))
        found = [each for each in found if not candidates[shown(each, candidates)].is_over]
        places = [shown(cluster, candidates) for cluster in found]
        return [
            number(_whole(cluster, place, candidates), rank, len(cluster.others))
            for rank, (cluster, place) in enumerate(zip(found, places, strict=True), first + 1)
        ]

    def _candidates(self, best: list[_Place], places: Sequence[int]) -> dict[int, Candidate]:
        """What results may be shown as, by their places; only groups that have some are asked."""
        by_group: dict[int, list[int]] = {}
        for place in places:
            by_group.setdefault(best[place].group, []).append(place)
        questions = {}
        for group, ours in by_group.items():
            rows = [best[place].row for place in ours]
            wanted = [(row.part, row.document, row.score) for row in rows]
            said = self._manifests[group], self._query, self._how, self._whole, wanted
            questions[group] = Show(*said, **_limits(group, self._budget))
        answers = self._groups.ask_within(questions, Shown, self._budget) if questions else []
        return {
            place: candidate
            for ours, answer in zip(by_group.values(), answers, strict=True)
            for place, candidate in zip(ours, answer.candidates, strict=True)
        }


@dataclass(frozen=True, slots=True)
class InGroups:
    """The words of an index that several processes share."""

    groups: Groups
    manifest: Manifest
    languages: Sequence[str] = ()
    budget: Budget = UNLIMITED

    def compounds(self, words: Sequence[str], _: Analyzer) -> list[list[compounds.Found]]:
        """For each word what it is a part of, and its own parts."""
        make = partial(Compounds, words=list(words), languages=list(self.languages))
        found = zip(*(answer.found for answer in self._ask(make, CompoundWords)), strict=True)
        return [compounds.merged(each) for each in found]

    def near(self, words: Sequence[tuple[str, int]]) -> list[list[spelling.Near]]:
        """For each word others that it may be, the likeliest first."""
        answers = self._ask(partial(Near, words=list(words)), NearWords)
        return [
            merged(word, [answer.found[place] for answer in answers])
            for place, (word, _) in enumerate(words)
        ]

    def written(self, words: Sequence[str], _: Readers) -> list[Written]:
        """How documents write words that the index has without accents."""
        make = partial(Write, words=list(words), languages=list(self.languages))
        found = zip(*(answer.found for answer in self._ask(make, WrittenWords)), strict=True)
        return [
            Written(next((each.form for each in every if each.form), ""), sum(n for _, n in every))
            for every in found
        ]

    def together(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        """How many documents have both of two terms."""
        answers = self._ask(partial(Together, pairs=list(pairs)), Counted)
        return [sum(counts) for counts in zip(*(answer.dfs for answer in answers), strict=True)]

    def _ask(self, make: Callable[..., Costly], kind: type[P]) -> list[P]:
        groups = self.groups.groups(self.manifest)
        answers = self.groups.ask_each(groups, make, kind, self.budget)
        if any(answer.left_out for answer in answers):  # some words are known, and others not
            raise OverBudget("a group of segments has too few reads left to look for spellings")
        return answers


def _whole(cluster: Cluster, chosen: int, candidates: Mapping[int, Candidate]) -> Hit:
    """What is shown, with the values of all pages that say something of the same item."""
    said, hit = sources(cluster, chosen, candidates), candidates[chosen].hit
    if len(said) > 1:
        hit.values = joined([candidates[place].hit.values for place in said])
    return hit


def _in_order(best: list[_Place], order: Order | None) -> list[_Place]:
    if order is not None:
        return in_order_of(best, order)
    return sorted(best, key=lambda place: (-place.row.score, place.row.id))


def _cluster_values(ranked: _Best) -> list[int]:
    return [place.row.cluster for place in ranked.best]


def _facet(name: str, answers: Sequence[RankedRows]) -> list[FacetValue]:
    counts: Counter[str] = Counter()
    for answer in answers:
        counts.update(answer.facets.get(name, {}))
    return most_frequent(counts)
