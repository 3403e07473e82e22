from __future__ import annotations

from itertools import product

import pytest

from gossamer.core.search.significance import paired_p


@pytest.mark.parametrize(
    "differences", [[0.1, 0.2, 0.3], [0.5, -0.1, 0.2, 0.05, -0.3], [1.0, 1.0, -1.0, 0.0]]
)
def test_p_is_the_share_of_all_signs_that_lie_as_far_from_none(differences):
    signs = list(product((-1, 1), repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(each, differences, strict=True))) for each in signs]
    exact = sum(each >= abs(sum(differences)) - 1e-12 for each in sums) / len(signs)

    assert paired_p(differences) == pytest.approx(exact, abs=0.02)


def test_equal_rankings_do_not_differ():
    assert paired_p([0.0, 0.0]) == 1.0
    assert paired_p([]) == 1.0


def test_a_difference_on_every_query_is_no_chance_and_the_same_each_time():
    assert paired_p([0.1] * 30) < 0.001
    assert paired_p([0.1, -0.05, 0.2]) == paired_p([0.1, -0.05, 0.2])
