from __future__ import annotations

import numpy as np
import pytest

from gossamer.core.index.grouping import stable_order


@pytest.mark.parametrize("most", [1, 300, 1 << 16, (1 << 16) + 1, 1 << 20])
def test_values_are_ordered_and_equal_ones_keep_their_order(most):
    values = np.random.default_rng(7).integers(0, most, 5_000, dtype=np.int32)

    order = stable_order(values, most).tolist()

    assert order == sorted(range(len(values)), key=values.tolist().__getitem__)
