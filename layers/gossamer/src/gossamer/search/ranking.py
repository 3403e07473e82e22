"""Rank the documents of all parts of the index together."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gossamer.core.index.impacts import MAX_IMPACT
from gossamer.core.index.segments.columns import NumberColumn
from gossamer.core.search.scoring import term_scale
from gossamer.search.asked_terms import scored
from gossamer.search.boolean import matches
from gossamer.search.top import UNIT, Candidates, rank_parts, top

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from gossamer.core.ids import DocumentId
    from gossamer.core.index.segments.columns import Column
    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.search.plan import Plan
    from gossamer.core.search.scoring import Profile
    from gossamer.search.asked_terms import AskedTerm
    from gossamer.search.snapshot import Part, Snapshot

_LEVELS = np.arange(256) / 255


@dataclass(frozen=True, slots=True)
class Order:
    """Another order of results than by score."""

    column: str
    descending: bool = False


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


def rank(
    plan: Plan,
    terms: Sequence[AskedTerm],
    snapshot: Snapshot,
    profile: Profile,
    count: int,
    *,
    all_of_them: bool = False,
) -> Ranked:
    """The `count` best documents; of equals the one with the lower id.

    With `all_of_them` the total is exact, whatever that costs.
    """
    by_level = rank_parts(profile.rank_part(_LEVELS))
    tops = []
    for number, part in enumerate(snapshot.parts):
        among = _among(plan, part, by_level)
        lists = scored(terms, number, profile)
        tops.append(top(lists, among, count, all_of_them=all_of_them))
    rows = [
        (-score, number, document)
        for number, found in enumerate(tops)
        for document, score in zip(found.documents.tolist(), found.scores.tolist(), strict=True)
    ]
    best = _in_order(rows, snapshot)
    return Ranked(
        [Found(part, document, -score / UNIT) for score, part, document in best[:count]],
        sum(found.total for found in tops),
        all(found.is_exact for found in tops),
        {part: found.matching for part, found in enumerate(tops) if found.matching is not None},
    )


def _in_order(rows: list[tuple[int, int, int]], snapshot: Snapshot) -> list[tuple[int, int, int]]:
    """By score, and equal scores by id. In a part numbers ascend with ids, so none is read."""
    rows.sort()
    groups = [list(group) for _, group in groupby(rows, key=itemgetter(0))]
    tied = [group for group in groups if len({part for _, part, _ in group}) > 1]
    ids = _ids([(part, document) for group in tied for _, part, document in group], snapshot)
    for group in tied:
        group.sort(key=lambda row: ids[row[1:]])
    return [row for group in groups for row in group]


def _ids(found: Sequence[tuple[int, int]], snapshot: Snapshot) -> dict[tuple[int, ...], bytes]:
    """The ids of some documents of several parts; those that are not known are read at once."""
    places = [(snapshot.parts[part].view, document) for part, document in found]
    wishes = dict(wish for view, document in places for wish in view.missing_id(document))
    if wishes:
        read = places[0][0].segment.fetch  # of any file of the index
        for learn, data in zip(wishes.values(), read(list(wishes)), strict=True):
            learn(data)
    return {row: place[0].id(place[1]) for row, place in zip(found, places, strict=True)}


def by_column(
    ranked: Ranked,
    snapshot: Snapshot,
    order: Order,
    count: int,
    score: Callable[[int, int], float],
) -> Ranked:
    """The first `count` of all that match by the values of a column; those without one are last."""
    rows: list[tuple[bool, float, DocumentId, int, int]] = []
    for number, documents in ranked.matching.items():
        part = snapshot.parts[number]
        values = _sortable(part.view.column(order.column), documents)
        if order.descending:
            values = -values
        for place in np.argsort(values, kind="stable")[:count].tolist():
            document = int(documents[place])
            value = float(values[place])
            missing = value != value
            rows.append((missing, 0.0 if missing else value, part.id(document), number, document))
    rows.sort()
    best = [Found(part, document, score(part, document)) for *_, part, document in rows[:count]]
    return Ranked(best, ranked.total, ranked.is_exact, ranked.matching)


def score_of(
    terms: Sequence[AskedTerm], snapshot: Snapshot, profile: Profile, part: int, document: int
) -> float:
    """The score of one document, as `rank` adds it up."""
    total = sum(term.weight for term in terms)
    scales = [term_scale(profile, term.weight, total) / MAX_IMPACT * UNIT for term in terms]
    impacts = [term.impact(part, document) for term in terms]
    words = sum(round(impact * scale) for impact, scale in zip(impacts, scales, strict=True))
    level = snapshot.parts[part].levels[document]
    return (words + int(rank_parts(profile.rank_part(_LEVELS))[level])) / UNIT


def _sortable(column: Column | None, documents: Ints) -> npt.NDArray[np.float64]:
    """Numbers to sort by; what is missing is not a number, and comes last."""
    if isinstance(column, NumberColumn):
        values = column.values[documents].astype(np.float64)
        values[~column.present[documents]] = np.nan
        return values
    return np.full(len(documents), np.nan)


def _among(plan: Plan, part: Part, by_level: Ints) -> Candidates:
    allowed = None if plan.mode == "ranked" else matches(part.view, plan.match)
    live = None if part.is_whole else part.live
    return Candidates(live, allowed, part.levels, by_level, part.view.scratch)
