"""The impact of a word in a document: BM25F, up to the saturation.

`x = Σ weight·tf / (1 - b + b·length/pivot)` over the fields, and the impact is `x / (k1 + x)`, from
0 to 1, kept in a byte. The pivots are fixed numbers, not averages of the collection, so an impact
never changes when other documents come or go; the IDF is applied at query time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.core.index.schema import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.collection import FieldWeight, Weights
    from gossamer.core.index.declared import TextField

Floats = npt.NDArray[np.float64]
MAX_IMPACT = 255


def field_scales(
    weights: Weights, lengths: npt.NDArray[np.int64], declared: Iterable[TextField] = ()
) -> Floats:
    """What one occurrence adds to x, per document (row) and field (column)."""
    columns = []
    fields: list[FieldWeight | TextField] = [*map(weights.of, FIELDS), *declared]
    for number, given in enumerate(fields):
        norm = 1.0 - given.b + given.b * lengths[:, number] / given.pivot
        columns.append(given.weight / norm)
    return np.stack(columns, axis=1)


def impacts_of(weights: Weights, x: Floats) -> npt.NDArray[np.uint8]:
    """The saturated weight, in a byte; a word that occurs weighs at least 1."""
    saturated = np.rint(MAX_IMPACT * x / (weights.k1 + x))
    return np.clip(saturated, 1, MAX_IMPACT).astype(np.uint8)
