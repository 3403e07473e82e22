from __future__ import annotations

from math import inf, log
from statistics import mean, median

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.revisit.change_rate import (
    DAY,
    FASTEST,
    HOUR,
    NODES,
    PROBES,
    SLOWEST,
    History,
    Prior,
)

NOW = 1_700_000_000.0
RATE = 1 / (5 * DAY)
# Nearly no prior: what is tested is what the visits say.
OPEN = Prior(RATE, spread=50.0)
NEAR = 1 + 1e-6


# Estimators of Cho and Garcia-Molina, to compare with.


def regular_rate(visits: int, changes: int, interval: float) -> float:
    """The rate of a page visited at equal intervals, without a prior.

    Half an unchanged visit is added: otherwise a page that changed each time would have an infinite
    rate, and all other rates would be too high.
    """
    return -log((visits - changes + 0.5) / (visits + 0.5)) / interval


def dated_rate(visits: int, changes: int, known_quiet: float) -> float:
    """The rate of a page whose every change has a date, without a prior.

    `known_quiet` is the time before the visits that is known to be without a change. The quotient
    of changes and time is too high; by how much depends on the share of visits with a change.
    """
    if not changes:
        return 0.0
    unseen = changes / (visits * log(1 - changes / visits)) if changes < visits else 0.0
    return (changes - 1 - unseen) / known_quiet


def simulated(rate, intervals, *, dated, seed):
    """A page that changes at this rate, visited after each of the intervals."""
    chance = np.random.default_rng(seed)
    at, modified = NOW, NOW - chance.exponential(1 / rate)
    history = History().visited(at, True, None)
    for interval in intervals:
        changes = at + interval * chance.random(chance.poisson(rate * interval))
        at += interval
        modified = max([modified, *changes])
        history = history.visited(at, len(changes) > 0, float(modified) if dated else None)
    return history


def irregular(count, seed):
    return list(np.random.default_rng(seed).lognormal(np.log(3 * DAY), 1.0, count).tolist())


@pytest.mark.parametrize("dated", [False, True])
@pytest.mark.parametrize("changes_per_visit", [0.1, 0.5, 1.0, 2.0])
def test_many_regular_visits_find_the_rate(dated, changes_per_visit):
    interval = changes_per_visit / RATE
    pages = [simulated(RATE, [interval] * 300, dated=dated, seed=seed) for seed in range(20)]

    assert mean(page.rate(OPEN) for page in pages) == pytest.approx(RATE, rel=0.10)


@pytest.mark.parametrize("dated", [False, True])
def test_many_irregular_visits_find_the_rate(dated):
    pages = [simulated(RATE, irregular(300, seed), dated=dated, seed=seed) for seed in range(20)]

    assert mean(page.rate(OPEN) for page in pages) == pytest.approx(RATE, rel=0.10)


def test_dates_tell_apart_what_changes_between_any_two_visits():
    """Twenty changes per visit: without dates it could as well be ten or a thousand."""
    pages = [simulated(RATE, [20 / RATE] * 30, dated=True, seed=seed) for seed in range(20)]

    assert median(page.rate(OPEN) for page in pages) == pytest.approx(RATE, rel=0.15)


def test_without_dates_visits_agree_with_the_estimator_for_regular_visits():
    page = simulated(RATE, [4 * DAY] * 200, dated=False, seed=1)

    assert page.rate(OPEN) == pytest.approx(
        regular_rate(page.visits, page.changes, 4 * DAY), rel=0.05
    )


def test_with_dates_visits_agree_with_the_estimator_for_dates():
    page = simulated(RATE, [4 * DAY] * 200, dated=True, seed=1)

    known_quiet = page.quiet + page.dated_ages
    assert page.rate(OPEN) == pytest.approx(
        dated_rate(page.visits, page.changes, known_quiet), rel=0.05
    )


@pytest.mark.parametrize("changes_per_visit", [0.3, 1.0])
def test_few_regular_visits_are_hardly_biased_when_half_a_visit_is_added(changes_per_visit):
    interval = changes_per_visit / RATE
    chance = np.random.default_rng(7)
    found = chance.binomial(10, -np.expm1(-changes_per_visit), 20_000)

    rates = [regular_rate(10, int(changes), interval) for changes in found]

    assert mean(rates) == pytest.approx(RATE, rel=0.05)


def test_few_visits_with_dates_are_hardly_biased():
    pages = [simulated(RATE, [1 / RATE] * 10, dated=True, seed=seed) for seed in range(1000)]

    rates = [dated_rate(page.visits, page.changes, page.quiet + page.dated_ages) for page in pages]

    assert mean(rates) == pytest.approx(RATE, rel=0.10)


def test_an_unvisited_page_has_the_rate_of_the_prior():
    assert History().rate(Prior(RATE)) == pytest.approx(RATE)
    assert History().visited(NOW, True).rate(Prior(RATE)) == pytest.approx(RATE)


def test_one_visit_moves_the_rate_from_the_prior_and_many_forget_it():
    once = simulated(10 * RATE, [DAY], dated=False, seed=1)
    often = simulated(10 * RATE, [DAY] * 200, dated=False, seed=1)

    assert RATE < once.rate(Prior(RATE)) < 8 * RATE
    assert often.rate(Prior(RATE)) == pytest.approx(10 * RATE, rel=0.3)


def test_the_age_at_the_first_visit_is_already_evidence():
    young = History().visited(NOW, True, NOW - HOUR)
    old = History().visited(NOW, True, NOW - 80 * DAY)

    assert old.rate() < Prior().rate < young.rate()


@pytest.mark.parametrize(
    "modified",
    [
        pytest.param(NOW + DAY + 5.0, id="in the future"),
        pytest.param(NOW + DAY - 5.0, id="made for the request"),
        pytest.param(NOW - DAY, id="before the version seen then"),
        pytest.param(0.0, id="an unset clock"),
        pytest.param(float("nan"), id="no number"),
    ],
)
def test_an_incredible_date_counts_as_none(modified):
    page = History().visited(NOW, True)

    assert page.visited(NOW + DAY, True, modified) == page.visited(NOW + DAY, True)


def test_a_server_that_dates_unchanged_bytes_anew_is_not_believed_again():
    honest = simulated(RATE, [10 * DAY] * 5, dated=True, seed=1)
    assert honest.dated

    caught = honest.visited(honest.last_at + DAY, False, honest.last_at + HOUR)
    later = caught.visited(caught.last_at + DAY, True, caught.last_at + HOUR)

    assert (later.lied, later.dated, later.first_age) == (True, 0, 0.0)
    assert sum(later.undated.values()) == pytest.approx(later.changes)


def test_a_server_that_lies_each_time_does_not_make_a_page_look_faster():
    """It says "an hour ago", always; the page changes every five days."""
    truthful, lying = (History().visited(NOW, True) for _ in range(2))
    for day in range(1, 200):
        at = NOW + day * DAY
        truthful = truthful.visited(at, day % 5 == 0)
        lying = lying.visited(at, day % 5 == 0, at - HOUR)

    assert lying.rate() == pytest.approx(truthful.rate())


def test_the_same_visit_counts_once():
    once = History().visited(NOW, True).visited(NOW + DAY, True, NOW + HOUR)

    assert once.visited(NOW + DAY, True, NOW + HOUR) == once
    assert once.visited(NOW, False) == once


def test_a_history_remembers_when_the_page_last_changed():
    page = History().visited(NOW, True).visited(NOW + DAY, True, NOW + HOUR)

    assert page.changed_at == NOW + HOUR
    assert page.visited(NOW + 2 * DAY, False).changed_at == NOW + HOUR
    assert page.visited(NOW + 2 * DAY, True).changed_at == NOW + 2 * DAY


def test_a_history_stays_small():
    page = simulated(RATE, irregular(2000, 1), dated=False, seed=1)

    assert len(page.undated) <= 19
    assert len(msgspec.msgpack.encode(page)) < 400
    assert msgspec.json.decode(msgspec.json.encode(page), type=History) == page


INTERVALS = st.floats(1e-3, 1e9)
VISITS = st.lists(
    st.tuples(INTERVALS, st.booleans(), st.none() | st.floats(-1e6, 1e9)), max_size=20
)
PRIORS = st.builds(Prior, rate=st.floats(1e-9, 1e-2), spread=st.floats(0.3, 5.0))


def played(visits):
    """Visits as (interval, changed, age the server claims)."""
    history, at = History().visited(NOW, True), NOW
    for interval, changed, age in visits:
        at += interval
        history = history.visited(at, changed, None if age is None else at - age)
    return history


@given(VISITS, PRIORS)
def test_the_rate_is_finite_for_any_history(visits, prior):
    rate = played(visits).rate(prior)

    assert SLOWEST / NEAR <= rate <= FASTEST * NEAR


@given(VISITS, PRIORS, INTERVALS, INTERVALS)
def test_a_change_seen_sooner_never_lowers_the_rate(visits, prior, one, other):
    page = played(visits)
    sooner = page.visited(page.last_at + min(one, other), True)
    later = page.visited(page.last_at + max(one, other), True)

    assert later.rate(prior) <= sooner.rate(prior) * NEAR


@given(VISITS, PRIORS, INTERVALS)
def test_an_unchanged_visit_never_raises_the_rate_and_a_change_never_lowers_it(
    visits, prior, interval
):
    page = played(visits)
    unchanged = page.visited(page.last_at + interval, False)
    changed = page.visited(page.last_at + interval, True)

    assert unchanged.rate(prior) <= page.rate(prior) * NEAR
    assert page.rate(prior) <= changed.rate(prior) * NEAR


def test_a_page_that_always_changed_is_looked_at_in_quarters_until_it_did_not():
    page, at = History().visited(NOW, True), NOW
    waits = []
    for interval in (64 * HOUR, 16 * HOUR, 4 * HOUR):
        at += interval
        page = page.visited(at, True)
        waits.append(page.probe)

    assert waits == [16 * HOUR, 4 * HOUR, HOUR]
    assert page.visited(at + HOUR, False).probe == inf


def test_a_page_with_dates_or_without_a_second_visit_is_not_probed():
    first = History().visited(NOW, True)

    assert first.probe == inf
    assert first.visited(NOW + 9 * DAY, True, modified=NOW + 8 * DAY).probe == inf


@given(st.lists(st.floats(60.0, 1000 * DAY), min_size=1, max_size=20))
def test_a_probe_comes_sooner_than_any_visit_before_it_and_they_end(intervals):
    page, at = History().visited(NOW, True), NOW
    for interval in intervals:
        at += interval
        page = page.visited(at, True)

    assert page.probe == inf or page.probe <= max(min(intervals), 2.0 ** NODES[0] * HOUR) / 4
    assert (page.probe == inf) == (len(intervals) > PROBES)


class TestAHint:
    def seen(self, *visits):
        """After visits (hinted_at, changed), an hour apart; the first at hour 1."""
        history = History().visited(HOUR, True)
        for number, (hinted_at, changed) in enumerate(visits, 2):
            history = history.visited(number * HOUR, changed, None, hinted_at)
        return history

    @pytest.mark.parametrize(
        ("visits", "told", "misled", "heeded"),
        [
            ([], 0, 0, True),
            ([(0.5 * HOUR, False)], 0, 0, True),  # said before the visit: no news
            ([(1.5 * HOUR, True)], 1, 0, True),
            ([(1.5 * HOUR, False)], 1, 1, False),
            ([(1.5 * HOUR, False), (1.5 * HOUR, False)], 1, 1, False),
            ([(1.5 * HOUR, False), (2.5 * HOUR, True)], 2, 1, True),  # it may redeem itself
            ([(1.5 * HOUR, True), (2.5 * HOUR, False)], 2, 1, True),
        ],
    )
    def test_is_believed_while_not_most_were_wrong(self, visits, told, misled, heeded):
        history = self.seen(*visits)

        assert (history.hints, history.wrong_hints, history.trusts_hints) == (told, misled, heeded)

    def test_of_a_page_that_is_not_there_was_wrong(self):
        history = self.seen().absent(1.5 * HOUR)

        assert (history.hints, history.wrong_hints) == (1, 1)

    def test_is_not_believed_of_a_server_whose_dates_lie(self):
        history = self.seen().visited(2 * HOUR, False, 1.9 * HOUR)

        assert history.lied
        assert not history.trusts_hints

    def test_does_not_change_what_is_known_of_the_rate(self):
        assert self.seen((1.5 * HOUR, True)).rate() == self.seen((0.0, True)).rate()
