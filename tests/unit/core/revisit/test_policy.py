from __future__ import annotations

from math import exp, inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.revisit.change_rate import DAY, HOUR, History, Prior
from gossamer.core.revisit.policy import (
    Policy,
    Revisit,
    due,
    next_visit,
    seconds_until_worth,
    worth,
)

NOW = 1_700_000_000.0
NEAR = 1 + 1e-6
RATES = st.floats(1e-9, 1e-2)
INTERVALS = st.floats(1.0, 1e8)


def test_a_page_is_due_when_it_is_fresh_with_less_than_the_target_probability():
    policy = Policy(target=0.8)
    page = History().visited(NOW, True)

    waited = next_visit(page, NOW, policy) - NOW

    assert exp(-policy.prior.rate * waited) == pytest.approx(0.8)


def test_an_unvisited_page_is_due_now():
    assert next_visit(History(), NOW, Policy()) == NOW


def test_an_overdue_page_was_due_in_the_past():
    page = History().visited(NOW - 365 * DAY, True)

    assert next_visit(page, NOW, Policy()) < NOW


def test_a_clock_that_went_backwards_does_not_put_a_page_off():
    page = History().visited(NOW + 365 * DAY, True)

    assert next_visit(page, NOW, Policy()) <= NOW + Policy().max_interval


def test_with_a_price_a_page_that_changes_too_often_waits_longest():
    policy = Policy(price=HOUR)

    assert seconds_until_worth(2 / HOUR, policy.price) == inf
    assert policy.interval(2 / HOUR) == policy.max_interval
    assert policy.interval(1 / DAY) < policy.interval(1 / (30 * DAY)) < policy.max_interval


def test_an_important_page_is_visited_more_often():
    policy = Policy(price=HOUR, target=0.99)

    assert policy.interval(1 / DAY, importance=4.0) < policy.interval(1 / DAY)


def test_a_visit_is_worth_most_where_the_page_has_changed_and_stays():
    calm, lively, restless = (worth(rate, DAY) for rate in (0.1 / DAY, 1 / DAY, 50 / DAY))

    assert lively > calm
    assert lively > restless


def test_of_more_than_the_limit_those_worth_most_go_first():
    policy = Policy(min_interval=0.0)
    calm = Revisit("calm", 0.5 / DAY, NOW - DAY)
    lively = Revisit("lively", 2 / DAY, NOW - DAY)
    restless = Revisit("restless", 50 / DAY, NOW - DAY)
    asleep = Revisit("asleep", 0.01 / DAY, NOW - DAY)
    favourite = Revisit("favourite", 50 / DAY, NOW - DAY, importance=20.0)

    ordered = due([restless, asleep, calm, favourite, lively], NOW, policy, 9)

    assert ordered == [favourite, lively, calm, restless]
    assert due([restless, calm, lively], NOW, policy, 1) == [lively]


def test_what_waited_beyond_the_longest_interval_goes_before_all_others():
    policy = Policy(price=DAY)
    lively = Revisit("lively", 1 / (5 * DAY), NOW - 20 * DAY)
    restless = [Revisit(str(days), 50 / DAY, NOW - days * DAY) for days in (59, 61, 70)]

    ordered = due([lively, *restless], NOW, policy, 9)

    assert [revisit.id for revisit in ordered] == ["70", "61", "lively"]


def test_half_of_a_budget_may_go_to_pages_of_which_too_little_is_known():
    policy = Policy(price=DAY)
    lively = [Revisit(f"lively{n}", 1 / (5 * DAY), NOW - 20 * DAY) for n in range(4)]
    always = [Revisit(f"always{n}", 50 / DAY, NOW - n * DAY, probe=2 * DAY) for n in range(1, 5)]

    chosen = [revisit.id for revisit in due(lively + always, NOW, policy, 4)]

    assert chosen == ["always2", "always3", "lively0", "lively1"]
    assert "always1" not in [revisit.id for revisit in due(lively + always, NOW, policy, 9)]


def test_without_a_budget_nothing_is_probed():
    asleep = Revisit("asleep", 0.01 / DAY, NOW - DAY, probe=HOUR)

    assert due([asleep], NOW, Policy(), 9) == []
    assert due([asleep], NOW, Policy(price=1.0), 9) == [asleep]


@given(RATES, st.floats(1e-6, 1 - 1e-6))
def test_a_page_is_ripe_when_a_visit_is_worth_its_price(rate, share):
    waited = seconds_until_worth(rate, share / rate)

    assert worth(rate, waited) == pytest.approx(share / rate, rel=1e-6)


POLICIES = st.builds(
    Policy,
    target=st.floats(0.01, 0.99),
    min_interval=st.floats(0.0, DAY),
    max_interval=st.floats(DAY, 1000 * DAY),
    price=st.just(0.0) | st.floats(1.0, 1e7),
    prior=st.builds(Prior, rate=RATES, spread=st.floats(0.3, 5.0)),
)


@given(POLICIES, RATES, st.floats(0.01, 100.0))
def test_the_interval_keeps_its_bounds(policy, rate, importance):
    interval = policy.interval(rate, importance)

    assert policy.min_interval <= interval <= policy.max_interval
    assert interval >= min(-log(policy.target) / rate, policy.max_interval)


@given(POLICIES.filter(lambda policy: not policy.price), INTERVALS, INTERVALS)
def test_without_a_budget_a_change_seen_sooner_never_lengthens_the_interval(policy, one, other):
    page = History().visited(NOW, True)
    sooner = page.visited(NOW + min(one, other), True)
    later = page.visited(NOW + max(one, other), True)

    waits = [next_visit(page, inf, policy) - page.last_at for page in (sooner, later)]

    assert waits[0] <= waits[1] * NEAR + 1e-6


@given(POLICIES.filter(lambda policy: not policy.price), st.lists(INTERVALS, max_size=10))
def test_without_a_budget_unchanged_visits_lengthen_the_interval(policy, intervals):
    page = History().visited(NOW, True)
    for interval in intervals:
        before = next_visit(page, inf, policy) - page.last_at
        page = page.visited(page.last_at + interval, False)

        assert before <= (next_visit(page, inf, policy) - page.last_at) * NEAR + 1e-6
