"""What the signs and functions of a formula compute, on arrays.

Every result is finite: what is no number or infinite, as a division by zero, becomes 0, so that
one document without a value does not lose the rest of its formula.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

Floats = npt.NDArray[np.float64]
MANY: Final = 100  # arguments: as many as a formula can have


class Function(NamedTuple):
    """A function, and how many arguments it takes."""

    compute: Callable[..., Any]
    least: int
    most: int


def finite(values: Floats) -> Floats:
    """Values with 0 for what is no number or infinite."""
    known = np.isfinite(values)
    return values if known.all() else np.where(known, values, 0.0)


def saturation(values: Floats, half: Floats) -> Floats:
    """From 0 towards 1: ½ where a value is `half`. Values below 0 count as 0."""
    positive = np.maximum(values, 0.0)
    return positive / (positive + half)


def sigmoid(values: Floats) -> Floats:
    """From 0 to 1, ½ at 0."""
    return 1.0 / (1.0 + np.exp(-values))


def all_of(*values: Floats) -> Floats:
    """1 where every value is not 0, else 0."""
    return reduce(np.logical_and, values).astype(np.float64)


def any_of(*values: Floats) -> Floats:
    """1 where a value is not 0, else 0."""
    return reduce(np.logical_or, values).astype(np.float64)


def chosen(condition: Floats, then: Floats, otherwise: Floats) -> Floats:
    """One value where the condition is not 0, the other where it is."""
    return np.where(condition != 0, then, otherwise)


def clipped(values: Floats, low: Floats, high: Floats) -> Floats:
    """Values, not below one and not above the other."""
    return np.minimum(np.maximum(values, low), high)


def least_of(*values: Floats) -> Floats:
    """The lowest at each place."""
    return reduce(np.minimum, values)


def greatest_of(*values: Floats) -> Floats:
    """The highest at each place."""
    return reduce(np.maximum, values)


def _truth(compare: Callable[[Floats, Floats], Any]) -> Callable[[Floats, Floats], Floats]:
    return lambda left, right: compare(left, right).astype(np.float64)


FUNCTIONS: Final = {
    "log": Function(np.log, 1, 1),
    "log1p": Function(np.log1p, 1, 1),
    "sqrt": Function(np.sqrt, 1, 1),
    "abs": Function(np.abs, 1, 1),
    "min": Function(least_of, 2, MANY),
    "max": Function(greatest_of, 2, MANY),
    "clip": Function(clipped, 3, 3),
    "saturation": Function(saturation, 2, 2),
    "sigmoid": Function(sigmoid, 1, 1),
}
SIGNS: Final[dict[str, Callable[..., Any]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.mod,
    "**": np.power,
    "<": _truth(np.less),
    "<=": _truth(np.less_equal),
    ">": _truth(np.greater),
    ">=": _truth(np.greater_equal),
    "==": _truth(np.equal),
    "!=": _truth(np.not_equal),
    "and": all_of,
    "or": any_of,
    "not": _truth(lambda values, zero: values == zero),
    "negative": np.negative,
    "if": chosen,
}
