"""How well does a document answer a query?

BM25F: the sum over the query's terms of IDF × impact (core/index/weights.py), and beside it the
PageRank of the document where ranks exist. The profile `tfidf` is 0.6 TF-IDF + 0.4 PageRank.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gossamer.core.index.weights import MAX_IMPACT

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Profile:
    """How text and links are blended."""

    name: str
    text: float
    rank: float
    normalised: bool  # whether the text's part is brought to 0..1 first


PROFILES = {
    "bm25": Profile("bm25", 1.0, 1.0, normalised=False),
    "tfidf": Profile("tfidf", 0.6, 0.4, normalised=True),
}
DEFAULT_PROFILE = "bm25"


def idf(df: int, documents: int) -> float:
    """How much it tells that a document has a term: never negative."""
    return math.log(1.0 + (documents - df + 0.5) / (df + 0.5))


def term_scale(profile: Profile, weight: float, all_weights: float) -> float:
    """What an impact of 1 adds to a score, for a term of this weight (IDF × times in the query)."""
    if profile.normalised:
        return profile.text * weight / all_weights if all_weights else 0.0
    return profile.text * weight


def accumulate(
    scores: Floats, ordinals: Ints, impacts: npt.NDArray[np.uint8], scale: float
) -> None:
    """Add what one term gives to each of its documents."""
    scores[ordinals] += impacts * (scale / MAX_IMPACT)


def best(ordinals: Ints, scores: Floats, count: int) -> Ints:
    """The `count` best of some documents, best first; of equals the older."""
    if count < len(ordinals):
        threshold = np.partition(scores, len(scores) - count)[len(scores) - count]
        chosen = scores >= threshold
        ordinals, scores = ordinals[chosen], scores[chosen]
    order = np.lexsort((ordinals, -scores))[:count]
    top: Ints = ordinals[order]
    return top
