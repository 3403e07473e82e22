"""How much does a word weigh in a document? BM25F, up to the saturation.

`x = Σ weight·tf / (1 - b + b·length/pivot)` over the fields, and the impact is `x / (k1 + x)`, from
0 to 1, kept in a byte. The pivots are fixed numbers, not averages of the collection, so an impact
never changes when other documents come or go; the IDF is applied at query time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gossamer.core.index.schema import FIELDS

Floats = npt.NDArray[np.float64]
MAX_IMPACT = 255


@dataclass(frozen=True, slots=True)
class FieldWeight:
    """How one field counts: its weight, how much its length matters, and its usual length."""

    weight: float
    b: float
    pivot: float


@dataclass(frozen=True, slots=True)
class Weights:
    """The scoring of a collection, fixed when it is indexed."""

    # A plateau over four judged collections: moving k1, or a title's or body's number, by a third
    # costs less than two per cent (docs/relevance.md). Those sets have no headings, images or
    # anchors; what others call a page counts more than a heading, less than what it calls itself.
    k1: float = 2.0
    body: FieldWeight = FieldWeight(1.0, 0.7, 100.0)
    title: FieldWeight = FieldWeight(3.0, 0.5, 8.0)
    headings: FieldWeight = FieldWeight(1.5, 0.5, 30.0)
    images: FieldWeight = FieldWeight(0.5, 0.5, 10.0)
    anchors: FieldWeight = FieldWeight(2.0, 0.5, 20.0)

    def of(self, field: str) -> FieldWeight:
        """The weight of a field."""
        found: FieldWeight = getattr(self, field)
        return found

    def scales(self, lengths: npt.NDArray[np.int64]) -> Floats:
        """What one occurrence adds to x, per document (row) and field (column)."""
        columns = []
        for number, name in enumerate(FIELDS):
            given = self.of(name)
            norm = 1.0 - given.b + given.b * lengths[:, number] / given.pivot
            columns.append(given.weight / norm)
        return np.stack(columns, axis=1)

    def impacts(self, x: Floats) -> npt.NDArray[np.uint8]:
        """The saturated weight, in a byte; a word that occurs weighs at least 1."""
        saturated = np.rint(MAX_IMPACT * x / (self.k1 + x))
        return np.clip(saturated, 1, MAX_IMPACT).astype(np.uint8)


WEIGHTS = Weights()
