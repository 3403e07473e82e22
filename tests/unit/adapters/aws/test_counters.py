"""Does only the function that adds up the sums of a stack need permission to write them?"""

from __future__ import annotations

import pytest

from tests.topology.template import allowed_calls, load

HOUR = 3600.0
NOW = 500_000 * HOUR + 1800.0
ALLOWED = allowed_calls(load())


@pytest.fixture
def home(cloud):
    home = cloud.open()
    for hours, pages in ((50, 3), (2, 4), (0, 5)):
        home.counters.add({"pages": pages}, NOW - hours * HOUR)
    home.meter.reset()
    return home


def test_a_reader_writes_nothing_however_old_an_hour_is(home):
    assert home.counters.totals(NOW) == {"pages": 12}

    assert {action for action, _ in home.meter.calls} == {"dynamodb:Query", "dynamodb:Scan"}
    assert set(home.meter.calls) <= ALLOWED["api"]
    assert ("dynamodb:PutItem", "stats") not in ALLOWED["api"]


def test_hours_that_are_over_are_added_up_once_by_who_may(home):
    assert home.fold_sums(NOW) == 2  # not the hour that goes on
    assert home.fold_sums(NOW) == 0
    assert set(home.meter.calls) <= ALLOWED["compact"]
    home.meter.reset()

    assert home.counters.totals(NOW) == {"pages": 12}
    assert ("dynamodb:Scan", "stats") not in home.meter.calls


def test_what_comes_after_is_added_to_what_was_folded(home):
    home.fold_sums(NOW)
    home.counters.add({"pages": 1}, NOW + HOUR)
    home.fold_sums(NOW + 2 * HOUR)

    assert home.counters.totals(NOW + 2 * HOUR) == {"pages": 13}


def test_of_two_who_add_up_at_once_one_counts(home, cloud, monkeypatch):
    other = cloud.open()
    sum_of = home.counters._sum_of

    def late(hours):
        other.fold_sums(NOW)
        return sum_of(hours)

    monkeypatch.setattr(home.counters, "_sum_of", late)
    home.fold_sums(NOW)
    monkeypatch.undo()

    assert home.counters.totals(NOW) == {"pages": 12}
