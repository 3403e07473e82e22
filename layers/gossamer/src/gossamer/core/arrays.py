"""Shared helpers for numpy arrays: distinct values, first occurrences."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.uint64] | npt.NDArray[np.int64]
Numbers = TypeVar("Numbers", npt.NDArray[np.uint64], npt.NDArray[np.int64])


def distinct(values: Numbers) -> Numbers:
    """Sort in place and drop repeated values.

    With ten million links `np.unique` would hold two more copies of them, and for a page's shingles
    it takes twice as long.
    """
    values.sort()
    is_new = is_first(values)
    return values if is_new.all() else values[is_new]


def is_first(values: Integers) -> npt.NDArray[np.bool_]:
    """Which values differ from the value before them."""
    is_new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_new[1:])
    return is_new
