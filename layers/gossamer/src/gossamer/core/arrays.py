"""Shared helpers for numpy arrays: distinct values, first occurrences."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.uint64] | npt.NDArray[np.int64]
Numbers = TypeVar("Numbers", npt.NDArray[np.uint64], npt.NDArray[np.int64])


def distinct(values: Numbers, *, in_runs: bool = False) -> Numbers:
    """Sort in place and drop repeated values.

    What consists of few runs that are in order is merged, at a tenth of what sorting takes.

    With ten million links `np.unique` would hold two more copies of them, and for a page's shingles
    it takes twice as long.
    """
    values.sort(kind="stable" if in_runs else None)
    is_new = is_first(values)
    return values if is_new.all() else values[is_new]


def is_first(values: Integers) -> npt.NDArray[np.bool_]:
    """Which values differ from the value before them."""
    is_new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_new[1:])
    return is_new
