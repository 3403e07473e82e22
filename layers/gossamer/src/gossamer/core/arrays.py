"""What several parts ask of arrays of numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]


def distinct(values: Numbers) -> Numbers:
    """Ascending, each once.

    Sorts in place: at ten million links, `np.unique` would hold two more copies of them, and of a
    page's shingles it takes twice as long.
    """
    values.sort()
    is_new = is_first(values)
    return values if is_new.all() else values[is_new]


def is_first(values: Numbers) -> npt.NDArray[np.bool_]:
    """Which are not the same as the one before?"""
    is_new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_new[1:])
    return is_new
