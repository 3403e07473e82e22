"""Do all quota stores keep the promises of `ports.quotas`?"""

from __future__ import annotations

import pytest


@pytest.fixture
def quotas(any_home):
    return any_home.quotas


def test_what_fits_under_the_ceiling_is_granted_and_no_more(quotas):
    granted = [quotas.take({"a.test": (3, 5)})["a.test"] for _ in range(3)]

    assert granted == [3, 2, 0]


def test_keys_are_counted_apart(quotas):
    quotas.take({"a.test": (5, 5)})

    assert quotas.take({"a.test": (1, 5), "b.test": (1, 5)}) == {"a.test": 0, "b.test": 1}


def test_a_ceiling_lowered_below_what_was_taken_grants_nothing(quotas):
    quotas.take({"a.test": (5, 10)})

    assert quotas.take({"a.test": (1, 3)}) == {"a.test": 0}


def test_a_raised_ceiling_grants_the_difference(quotas):
    quotas.take({"a.test": (5, 5)})

    assert quotas.take({"a.test": (9, 7)}) == {"a.test": 2}


def test_counts_outlive_the_process(backend):
    backend.home.quotas.take({"a.test": (4, 5)})

    assert backend.reopen().quotas.take({"a.test": (4, 5)}) == {"a.test": 1}


def test_what_is_given_back_can_be_taken_again(quotas):
    quotas.take({"a.test": (5, 5)})

    quotas.give_back({"a.test": 2})

    assert quotas.take({"a.test": (9, 5)}) == {"a.test": 2}
