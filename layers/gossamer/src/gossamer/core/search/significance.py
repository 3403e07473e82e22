"""Whether one ranking is better than another, or a few queries were lucky.

Paired randomisation: if both were equally good, which of them a query's two values belong to would
be chance. So the signs of the differences are drawn anew many times, and p is how often their mean
is as far from 0 as the one that was measured (Smucker, Allan, Carterette, "A comparison of
statistical significance tests for information retrieval evaluation", CIKM 2007).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

ROUNDS: Final = 10_000
SEED: Final = 15  # the same p for the same measurements
_AT_ONCE: Final = 1_000
_EQUAL: Final = 1e-12  # sums in another order


def paired_p(differences: Sequence[float], rounds: int = ROUNDS, seed: int = SEED) -> float:
    """How likely so large a mean difference is by chance, on either side: 0 to 1."""
    values = np.array([each for each in differences if each], np.float64)
    measured = abs(values.sum())
    if not len(values):
        return 1.0
    random, as_far = np.random.default_rng(seed), 0
    for done in range(0, rounds, _AT_ONCE):
        signs = random.integers(0, 2, (min(_AT_ONCE, rounds - done), len(values))) * 2 - 1
        as_far += int(np.count_nonzero(np.abs(signs @ values) >= measured - _EQUAL))
    return (as_far + 1) / (rounds + 1)
