"""Rank the documents of all parts of the index together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gossamer.search.asked_terms import scored
from gossamer.search.boolean import matches
from gossamer.search.top import UNIT, Candidates, rank_parts, top

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.index.segments.numbers import Ints
    from gossamer.core.search.plan import Plan
    from gossamer.core.search.scoring import Profile
    from gossamer.search.asked_terms import AskedTerm
    from gossamer.search.snapshot import Part, Snapshot

_LEVELS = np.arange(256) / 255


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
    best = [
        (
            -score,
            snapshot.parts[number].id(document) if len(tops) > 1 else document,
            number,
            document,
        )
        for number, found in enumerate(tops)
        for document, score in zip(found.documents.tolist(), found.scores.tolist(), strict=True)
    ]
    best.sort()
    return Ranked(
        [Found(part, document, -score / UNIT) for score, _, part, document in best[:count]],
        sum(found.total for found in tops),
        all(found.is_exact for found in tops),
    )


def _among(plan: Plan, part: Part, by_level: Ints) -> Candidates:
    allowed = None if plan.mode == "ranked" else matches(part.view, plan.match)
    live = None if part.is_whole else part.live
    return Candidates(live, allowed, part.levels, by_level, part.view.scratch)
