"""A list of documents that adds to their scores, in layers of falling impact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from gossamer.core.index.segments.dictionary import Impacts, Layer
    from gossamer.core.index.segments.numbers import Ints

    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

# Scores are added as whole numbers of this unit: a sum is the same in whichever order its parts
# were read, and equal scores are equal.
UNIT = 1 << 40
_IMPACTS = np.arange(256)


class Layers(Protocol):
    """Postings in layers of falling impact."""

    @property
    def df(self) -> int:
        """How many postings there are."""

    @property
    def bounds(self) -> list[int]:
        """The highest impact in each layer."""

    def layer(self, number: int) -> Layer:
        """A layer."""

    def known(self, number: int) -> Layer | None:
        """A layer, if it was read."""

    def is_known(self) -> bool:
        """Whether all layers were read."""

    def by_document(self) -> Impacts | None:
        """The impact in every document of the segment, 0 where it is not; None of a short list.

        All layers are read. Long lists are smaller so, and a document is looked up at once.
        """


@dataclass(frozen=True, slots=True)
class ScoredList:
    """A list, and what an impact of 1 adds to a score."""

    layers: Layers
    scale: float
    live_df: int  # live documents in the list
    is_among_others: bool = False  # all its documents are in another list too that is not so
    extra: float = 0.0  # what being in it adds, whatever the impact

    def adds(self) -> Ints:
        """What each of 256 impacts adds to a score, in units."""
        adds: Ints = np.rint(_IMPACTS * (self.scale * UNIT)).astype(np.int64)
        if self.extra:
            adds[1:] += round(self.extra * UNIT)
        return adds


def rank_parts(levels_add: Floats) -> Ints:
    """What each of 256 levels adds to a score, in units."""
    return np.rint(levels_add * UNIT).astype(np.int64)


def impacts_of(layers: Layers, wanted: Ints) -> Impacts:
    """How heavy a list is in some documents, 0 where it is not; all its layers are read."""
    everywhere = layers.by_document()
    if everywhere is not None:
        return everywhere.take(wanted)
    return impacts_in(layers, wanted, len(layers.bounds))


def impacts_in(layers: Layers, wanted: Ints, depth: int) -> Impacts:
    """How heavy a list is in some documents by so many of its layers, 0 where it is not."""
    weights = np.zeros(len(wanted), np.uint8)
    for number in range(depth):
        documents, impacts = layers.layer(number)
        places = documents.searchsorted(wanted)
        there = np.flatnonzero(documents.take(places, mode="clip") == wanted)
        weights[there] = impacts[places[there]]
    return weights
