"""What other weights of fields would make of results, without a new index.

An impact is kept in the index, but it depends on its document alone: how often the word stands in
each field, and how long the fields are. An explanation reads both from the text, so for results
that are explained the impact by other weights can be computed, and with it the score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from gossamer.core.index.impacts import MAX_IMPACT, impacts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.core.collection import Weights
    from gossamer.core.search.result import Hit, TermPart

ROUNDED = 2.0  # of 255, by which an impact and its explanation may differ


def reweighed(
    hits: Sequence[Hit], others: Sequence[Hit], now: Weights, wanted: Weights
) -> list[Hit]:
    """Results in the order of other weights, given the same results explained by both of them."""
    by_id = {hit.id: hit for hit in others}  # all of them, unless the index changed in between
    both = [(hit, by_id[hit.id]) for hit in hits if hit.id in by_id]
    scored = [_rescored(hit, other, now, wanted) for hit, other in both]
    ordered = sorted(scored, key=_place)
    return [msgspec.structs.replace(hit, rank=rank) for rank, hit in enumerate(ordered, 1)]


def _place(hit: Hit) -> tuple[bool, bool, float]:
    """Return what sorts results: exact before filled ones, pinned ones as they are, by score."""
    return hit.filled, not hit.pinned, 0.0 if hit.pinned else -hit.score


def _rescored(hit: Hit, other: Hit, now: Weights, wanted: Weights) -> Hit:
    if hit.explain is None or other.explain is None:
        return other
    before = hit.explain.terms
    after = [
        _reweighed(*both, now, wanted) for both in zip(before, other.explain.terms, strict=True)
    ]
    score = hit.score + _sum(after) - _sum(before)
    explain = msgspec.structs.replace(other.explain, score=round(score, 6), terms=after)
    return msgspec.structs.replace(other, score=score, explain=explain)


def _reweighed(before: TermPart, after: TermPart, now: Weights, wanted: Weights) -> TermPart:
    """The part of a term; one that weighs the same wherever it stands stays as it is.

    So do beginnings of words and words with signs.
    """
    was = _impact(before, now)
    if abs(MAX_IMPACT * before.weight - was * before.factor) > ROUNDED:
        return before
    ratio = _impact(after, wanted) / was
    own = before.score - before.as_written
    return msgspec.structs.replace(
        after, weight=before.weight * ratio, score=own * ratio + before.as_written
    )


def _impact(term: TermPart, weights: Weights) -> float:
    """As the index keeps it, in a byte."""
    x = sum(part.weight for part in term.fields)
    return float(impacts_of(weights, np.array([x]))[0])


def _sum(terms: Iterable[TermPart]) -> float:
    return sum(term.score for term in terms)
