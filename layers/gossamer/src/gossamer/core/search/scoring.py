"""Scoring: how well a document answers a query.

BM25F: the sum over the query's terms of IDF × impact (core/index/impacts.py), and beside it what
the PageRank of the document says, where ranks exist. The rank is a level from 0 to 1
(links/pagerank.py). It counts as level / (level + half), which rises fast, then hardly more: that
a page is linked to at all tells much, and the hubs of a site must not win every query (Craswell,
Robertson, Zaragoza, Taylor, "Relevance weighting for query independent evidence", SIGIR 2005). The
profile `tfidf` is 0.6 TF-IDF + 0.4 PageRank, as it says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from gossamer.core.collection import Blend, CollectionSettings

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Profile:
    """A way to score, with the collection's blend of text and links."""

    name: str
    blend: Blend
    normalised: bool = False  # whether the text's part is brought to 0..1 first
    named: bool = False  # whether it counts that a page is called just as the query

    def rank_part(self, levels: Floats) -> Floats:
        """What levels of PageRank, 0 to 1, add to scores."""
        half = self.blend.half
        return self.blend.rank * (levels / (levels + half) if half else levels)


def profiles_of(settings: CollectionSettings) -> dict[str, Profile]:
    """The profiles of a collection by name."""
    return {
        "bm25": Profile("bm25", settings.bm25, named=True),
        "tfidf": Profile("tfidf", settings.tfidf, normalised=True),
    }


def idf(df: int, documents: int) -> float:
    """How much it tells that a document has a term: never negative."""
    return math.log(1.0 + (documents - df + 0.5) / (df + 0.5))


def term_scale(profile: Profile, weight: float, all_weights: float) -> float:
    """What an impact of 1 adds to a score, for a term of this weight (IDF × times in the query)."""
    if profile.normalised:
        return profile.blend.text * weight / all_weights if all_weights else 0.0
    return profile.blend.text * weight
