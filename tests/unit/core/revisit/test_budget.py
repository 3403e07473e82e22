from __future__ import annotations

import time

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.revisit.budget import SLACK, frequencies, mean_freshness, within
from gossamer.core.revisit.change_rate import DAY, HOUR
from gossamer.core.revisit.policy import Policy, worth

# Bounds so wide that nothing but the budget decides.
FREE = Policy(target=0.9999, min_interval=1e-3, max_interval=1e5 * DAY)


def drawn(pages, seed=1):
    return np.random.default_rng(seed).lognormal(np.log(0.1 / DAY), 1.7, pages)


NEARLY = 1 + 1e-9
RATES = st.lists(st.floats(1e-8, 1e-2), min_size=1, max_size=30).map(np.array)


@given(RATES, st.floats(0.001, 1000.0), st.floats(0.1, 0.999), st.integers(0, 9))
def test_the_visits_never_exceed_the_budget_and_use_what_they_may(rates, each, target, seed):
    """Unless a page changes so often that no float is a price between some visits and none."""
    importances = np.random.default_rng(seed).lognormal(0.0, 1.0, len(rates))
    budget = each * len(rates)

    policy = within(Policy(target=target), rates, budget, importances)
    visits = frequencies(policy, rates, importances).sum() * DAY

    assert visits <= budget * (1 + 1e-12)
    resolved = rates.max() * DAY < 20 * each
    assert not policy.price or not resolved or visits == pytest.approx(budget, rel=2 * SLACK)


@given(RATES, st.floats(0.01, 100.0))
def test_one_more_visit_is_worth_the_same_everywhere_or_a_bound_says_why(rates, each):
    policy = within(Policy(target=0.9), rates, each * len(rates))
    visits = frequencies(policy, rates)

    for rate, frequency in zip(rates, visits, strict=True):
        value = worth(rate, 1 / frequency)
        if frequency > NEARLY / policy.max_interval:
            assert value >= policy.price * (1 - 1e-6) - 1e-6
        if frequency * NEARLY < min(1 / policy.min_interval, rate / -np.log(policy.target)):
            assert value <= policy.price * (1 + 1e-6) + 1e-6


@given(RATES, st.floats(1.0, 1e6), st.floats(0.1, 10.0))
def test_all_pages_at_once_are_judged_as_each_alone(rates, price, importance):
    policy = Policy(price=price, target=0.9)

    alone = [1 / policy.interval(float(rate), importance) for rate in rates]

    assert frequencies(policy, rates, importance) == pytest.approx(alone, rel=1e-6)


@pytest.mark.parametrize("each", [0.01, 0.1, 1.0])
def test_the_optimum_beats_equal_and_proportional_visits_and_its_own_neighbours(each):
    rates = drawn(2000)
    visits = frequencies(within(FREE, rates, each * 2000), rates)
    best = mean_freshness(rates, visits)
    shaken = visits * np.random.default_rng(2).lognormal(0.0, 0.2, 2000)

    assert best > mean_freshness(rates, np.full(2000, each / DAY))
    assert best > mean_freshness(rates, rates * each / DAY / rates.mean())
    assert best > mean_freshness(rates, shaken * visits.sum() / shaken.sum())


def test_what_changes_too_often_gets_nothing_but_its_turn_at_the_longest_interval():
    rates = np.array([100 / DAY, 0.1 / DAY, 0.1 / DAY])

    policy = within(Policy(), rates, 0.3)
    restless, calm, _ = frequencies(policy, rates) * DAY

    assert restless == pytest.approx(DAY / policy.max_interval)
    assert calm > 0.1


def test_an_ample_budget_has_no_price_and_leaves_the_target_alone():
    rates = drawn(100)

    assert within(Policy(price=HOUR), rates, 1e6) == Policy()


def test_a_scarce_budget_stretches_the_longest_interval():
    policy = within(Policy(), drawn(1000), visits_a_day=1.0)

    assert policy.max_interval == pytest.approx(5000 * DAY)


def test_a_sample_finds_nearly_the_same_price():
    rates = drawn(100_000)

    whole = within(Policy(), rates, 10_000.0).price
    part = within(Policy(), rates[::20], 500.0).price

    assert part == pytest.approx(whole, rel=0.1)


def test_a_million_pages_take_seconds():
    """It takes 0.4 on a busy machine."""
    began = time.process_time()

    policy = within(Policy(), drawn(1_000_000), 100_000.0)

    assert policy.price > 0
    assert time.process_time() - began < 6.0


def test_a_plan_survives_storage():
    policy = within(Policy(), drawn(100), 1.0)

    assert msgspec.json.decode(msgspec.json.encode(policy), type=Policy) == policy
