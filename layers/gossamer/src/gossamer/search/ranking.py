"""Rank the documents of all parts of the index together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np

from gossamer.core.errors import OverBudget
from gossamer.core.index.impacts import MAX_IMPACT
from gossamer.core.index.segments.columns import KeywordColumn, NumberColumn
from gossamer.core.search.fields import RANK
from gossamer.core.search.scoring import term_scale
from gossamer.search.asked_terms import all_weights, scored
from gossamer.search.boolean import matches
from gossamer.search.budget import NOT_SEARCHED, UNLIMITED
from gossamer.search.filters import Filters
from gossamer.search.scores.candidates import Candidates
from gossamer.search.scores.scored_list import UNIT, rank_parts
from gossamer.search.scores.top import top
from gossamer.search.tuning.boosts import Boosts
from gossamer.search.tuning.chosen_places import NO_PLACES, ChosenPlaces

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import numpy.typing as npt

    from gossamer.core.ids import DocumentId
    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.merger import Fetch
    from gossamer.core.index.segments.numbers import Buffer, Ints
    from gossamer.core.search.fields import Order
    from gossamer.core.search.plan import Plan
    from gossamer.core.search.scoring import Profile
    from gossamer.search.asked_terms import AskedTerm
    from gossamer.search.budget import Budget
    from gossamer.search.scores.scored_list import ScoredList
    from gossamer.search.snapshot import Part, Snapshot

    Mask = npt.NDArray[np.bool_]
    Learn = Callable[[Buffer], None]

_LEVELS = np.arange(256) / 255
NO_BOOSTS = Boosts()


class Found(NamedTuple):
    """A document that was found, and its score."""

    part: int  # of the snapshot
    document: int  # its number there
    score: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best documents, best first, and how many match."""

    best: list[Found]
    total: int
    is_exact: bool
    matching: dict[int, Ints] = field(default_factory=dict)  # by part, if all was asked for
    # Of columns that filters are about: what would match without these filters, by part.
    unfiltered: dict[str, dict[int, Ints]] = field(default_factory=dict)
    values: Sequence[float | str | None] = ()  # of the best, if they are sorted by them
    pinned: int = 0  # of the best: these were put first


def rank(
    plan: Plan,
    terms: Sequence[AskedTerm],
    snapshot: Snapshot,
    profile: Profile,
    count: int,
    *,
    all_of_them: bool = False,
    counted: Collection[str] = (),
    budget: Budget = UNLIMITED,
    boosts: Boosts = NO_BOOSTS,
    chosen: ChosenPlaces = NO_PLACES,
) -> Ranked:
    """The `count` best documents; of equals the one with the lower id.

    With `all_of_them` the total is exact, unless the time is over. The values of `counted` columns
    are counted afterwards. What is `chosen`, pinned or hidden, is not looked for.
    """
    by_level = _by_level(profile)
    tops = []
    unfiltered: dict[str, dict[int, Ints]] = {}
    for number, part in enumerate(snapshot.parts):
        lists = scored(terms, number, profile)
        try:
            filters = Filters.of(plan.filters, part.view, budget)
            among = _among(plan, part, filters, by_level, budget)
            if boosts:
                among = replace(among, boost=boosts.of(terms, number, part).units)
            if has_chosen := chosen.are_in(number):
                live = part.live if among.live is None else among.live
                among = replace(among, live=chosen.without(number, live))
            is_whole = all_of_them or has_chosen
            tops.append(top(lists, among, count, all_of_them=is_whole, budget=budget))
            for column in filters.columns.intersection(counted):
                without = chosen.counted(number, _found(lists, among, part))
                found = filters.among_others(column, without)
                unfiltered.setdefault(column, {})[number] = found
        except OverBudget:
            budget.leave_out(NOT_SEARCHED)
            break
    rows = [
        (-score, number, document)
        for number, found in enumerate(tops)
        for document, score in zip(found.documents.tolist(), found.scores.tolist(), strict=True)
    ]
    best = _in_order(rows, snapshot)
    return Ranked(
        [Found(part, document, -score / UNIT) for score, part, document in best[:count]],
        sum(found.total for found in tops),
        len(tops) == len(snapshot.parts) and all(found.is_exact for found in tops),
        {part: found.matching for part, found in enumerate(tops) if found.matching is not None},
        unfiltered,
    )


@lru_cache(64)
def _by_level(profile: Profile) -> Ints:
    return rank_parts(profile.rank_part(_LEVELS))


def _in_order(rows: list[tuple[int, int, int]], snapshot: Snapshot) -> list[tuple[int, int, int]]:
    """By score, and equal scores by id. In a part numbers ascend with ids, so none is read."""
    rows.sort()
    groups = [list(group) for _, group in groupby(rows, key=itemgetter(0))]
    tied = [group for group in groups if len({part for _, part, _ in group}) > 1]
    ids = ids_of([(part, document) for group in tied for _, part, document in group], snapshot)
    for group in tied:
        group.sort(key=lambda row: ids[row[1:]])
    return [row for group in groups for row in group]


def ids_of(found: Sequence[tuple[int, int]], snapshot: Snapshot) -> dict[tuple[int, ...], bytes]:
    """The ids of some documents of several parts; those that are not known are read at once."""
    places = [(snapshot.parts[part].view, document) for part, document in found]
    wishes: dict[Fetch, dict[Range, Learn]] = {}  # all parts of an index are read in one way
    for view, document in places:
        wishes.setdefault(view.segment.fetch, {}).update(view.missing_id(document))
    for read, wanted in wishes.items():
        for learn, data in zip(wanted.values(), read(list(wanted)) if wanted else (), strict=True):
            learn(data)
    return {row: place[0].id(place[1]) for row, place in zip(found, places, strict=True)}


def first_by_column(
    ranked: Ranked,
    snapshot: Snapshot,
    order: Order,
    count: int,
    scores: Callable[[Sequence[tuple[int, int]]], Sequence[float]],
) -> Ranked:
    """The first `count` of all that match by the values of a column."""
    rows = [
        row
        for number, documents in ranked.matching.items()
        for row in _first_rows(snapshot, number, documents, order, count)
    ]
    first = in_order_of(rows, order)[:count]
    places = [(row.part, row.document) for row in first]
    found = [Found(*at, score) for at, score in zip(places, scores(places), strict=True)]
    values = [row.value for row in first]
    return replace(ranked, best=found, values=values)


class Sortable(Protocol):
    """What can be sorted by a value."""

    @property
    def id(self) -> bytes:
        """Which decides between equal values."""

    @property
    def value(self) -> float | str | None:
        """None comes last, whichever way the others go."""


S = TypeVar("S", bound=Sortable)


def in_order_of(rows: Sequence[S], order: Order) -> list[S]:
    """Rows by their values."""
    by_id = sorted(rows, key=attrgetter("id"))
    present = sorted(
        (row for row in by_id if row.value is not None),
        key=attrgetter("value"),
        reverse=order.descending,
    )
    return [*present, *(row for row in by_id if row.value is None)]


class _Row(NamedTuple):
    id: DocumentId
    value: float | str | None
    part: int
    document: int


def _first_rows(
    snapshot: Snapshot, number: int, documents: Ints, order: Order, count: int
) -> Iterator[_Row]:
    """The first documents of one part."""
    part = snapshot.parts[number]
    values, keywords = _sortable(part, order.column, documents)
    for place in _lowest(-values if order.descending else values, count).tolist():
        value, document = float(values[place]), int(documents[place])
        named = keywords[int(value)] if keywords and value == value else value
        yield _Row(part.id(document), named if value == value else None, number, document)


def scores_of(
    terms: Sequence[AskedTerm],
    snapshot: Snapshot,
    profile: Profile,
    places: Sequence[tuple[int, int]],
    boosts: Boosts = NO_BOOSTS,
) -> list[float]:
    """The scores of some documents, given as parts and numbers in them, as `rank` adds them up."""
    by_level = _by_level(profile)
    parts, documents = np.array(places, np.int64).reshape(-1, 2).T
    scores = np.zeros(len(places), np.int64)
    for number in set(parts.tolist()):
        ours, part = parts == number, snapshot.parts[number]
        wanted = documents[ours]
        words = words_of(terms, profile, number, wanted)
        scores[ours] = words + by_level[part.levels[wanted]]
        if boosts:
            scores[ours] += boosts.of(terms, number, part).units(wanted, words)
    return [score / UNIT for score in scores.tolist()]


def words_of(terms: Sequence[AskedTerm], profile: Profile, part: int, wanted: Ints) -> Ints:
    """What some documents of a part have by their words, in units."""
    total = all_weights(terms)
    words = np.zeros(len(wanted), np.int64)
    for term in terms:
        scale = term_scale(profile, term.weight, total) / MAX_IMPACT * UNIT
        extra = round(term_scale(profile, term.extra, total) * UNIT)
        impacts = term.impacts(part, wanted)
        words += np.rint(impacts * scale).astype(np.int64) + extra * (impacts > 0)
    return words


def _lowest(values: npt.NDArray[np.float64], count: int) -> Ints:
    """The places of the lowest values in order, of equal ones the first; what is missing is last.

    Only as many are sorted as are wanted.
    """
    if count < len(values):
        last = np.partition(values, count - 1)[count - 1]
        missing = np.isnan(values)
        below, equal = (values < last, values == last) if last == last else (~missing, missing)
        first = np.flatnonzero(below)
        places = np.concatenate([first, np.flatnonzero(equal)[: count - len(first)]])
    else:
        places = np.arange(len(values))
    return places[np.argsort(values[places], kind="stable")]


def _sortable(
    part: Part, name: str, documents: Ints
) -> tuple[npt.NDArray[np.float64], Sequence[str]]:
    """Numbers that sort as the values do, and the keywords that they stand for.

    What is missing is not a number, and comes last.
    """
    if name == RANK:
        return part.levels[documents].astype(np.float64), ()
    column = part.view.column(name)
    if isinstance(column, NumberColumn):
        values = column.values[documents].astype(np.float64)
        values[~column.present[documents]] = np.nan
        return values, ()
    if isinstance(column, KeywordColumn):
        codes = column.codes[documents].astype(np.float64)
        codes[codes == 0] = np.nan
        return codes, ["", *column.keywords]
    return np.full(len(documents), np.nan), ()


def _among(plan: Plan, part: Part, filters: Filters, by_level: Ints, budget: Budget) -> Candidates:
    allowed = None if plan.mode == "ranked" else matches(part.view, plan.match, budget)
    live = filters.among(None if part.is_whole else part.live)
    return Candidates(live, allowed, part.levels, by_level, part.view.scratch)


def _found(lists: Sequence[ScoredList], among: Candidates, part: Part) -> Mask:
    """The live documents that the query itself finds, whatever its filters say."""
    allowed = among.allowed
    if allowed is None:
        layers = (each.layers for each in lists)
        allowed = part.view.mask(
            each.layer(number).documents for each in layers for number in range(len(each.bounds))
        )
    return allowed & part.live
