"""The terms of a plan with their documents and weights in one snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gossamer.core.index.impacts import MAX_IMPACT
from gossamer.core.search.plan import Kind, Plan, Wanted
from gossamer.core.search.scoring import accumulate, idf, term_scale
from gossamer.search.snapshot import TermList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.search.plan import Asked
    from gossamer.core.search.scoring import Floats, Profile
    from gossamer.search.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """What the query asks for, the documents that have it, and how much having it tells."""

    asked: Asked
    found: TermList
    weight: float  # IDF × times in the query


def weigh(plan: Plan, snapshot: Snapshot, profile: Profile) -> list[WeightedTerm]:
    """The terms that some document has; under some profiles a whole name counts as one more."""
    name = [plan.name] if plan.name and profile.named else []
    terms = []
    for asked in [*plan.asked, *name]:
        found = _documents(asked, snapshot)
        if found.df:
            terms.append(WeightedTerm(asked, found, asked.times * idf(found.df, snapshot.size)))
    return terms


def score(terms: Sequence[WeightedTerm], profile: Profile, capacity: int) -> Floats:
    """The part of the score that comes from text, by ordinal."""
    scores = np.zeros(capacity)
    total = sum(term.weight for term in terms)
    for term in terms:
        scale = term_scale(profile, term.weight, total)
        accumulate(scores, term.found.ordinals, term.found.impacts, scale)
    return scores


def had_by(ordinal: int, wanted: Wanted, terms: Sequence[WeightedTerm]) -> Wanted:
    """What of the query a document has: a snippet need not look for the rest."""
    had = [term.asked for term in terms if term.found.find(ordinal) is not None]
    prefixes = {asked.text for asked in had if asked.kind is Kind.PREFIX}
    return Wanted(
        terms=wanted.terms.intersection([a.text for a in had if a.kind is Kind.TERM]),
        prefixes=tuple([prefix for prefix in wanted.prefixes if prefix in prefixes]),
        phrases=wanted.phrases,
    )


def _documents(asked: Asked, snapshot: Snapshot) -> TermList:
    if asked.kind is not Kind.PREFIX:
        return snapshot.documents(asked.text)
    # All words that begin alike count as one term of middling weight.
    ordinals = snapshot.prefixed(asked.text)
    return TermList(ordinals, np.full(len(ordinals), MAX_IMPACT // 2, np.uint8))
