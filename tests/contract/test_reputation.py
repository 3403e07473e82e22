"""Do all standing stores keep the promises of `ports.reputation`?"""

from __future__ import annotations

import pytest

from gossamer.core.crawl.host_record import HostChange
from gossamer.ports.reputation import Reputation
from tests.conftest import CLOUD

LONG = f"{'x' * 60}.{'y' * 60}.{'z' * 60}.test"


@pytest.fixture
def reputation(any_home):
    return any_home.reputation


def test_a_host_never_met_has_earned_nothing(reputation):
    assert reputation.get(["a.test", LONG]) == {"a.test": Reputation(), LONG: Reputation()}
    assert reputation.get([]) == {}


def test_pages_are_those_that_the_hosts_record_counts(any_home):
    any_home.hosts.change("a.test", HostChange(pages=1, requests=1))
    any_home.commit()

    assert any_home.reputation.get(["a.test"]) == {"a.test": Reputation(pages=1)}


@pytest.mark.only(*CLOUD)
def test_two_processes_that_count_at_once_lose_no_page(backend):
    one = backend.home
    one.hosts.get("a.test")
    backend._home = None
    other = backend.home
    other.hosts.get("a.test")

    for home in (one, other):
        home.hosts.change("a.test", HostChange(pages=1))
    for home in (one, other):
        home.commit()

    assert other.hosts.get("a.test").pages == 2


@pytest.mark.parametrize("worth", [-2, 0, 2])
def test_what_a_host_is_worth_outlives_the_process_and_touches_nothing_else(backend, worth):
    change = HostChange(pages=3, robots_text="Disallow:", penalty=4.0)
    backend.home.hosts.change("a.test", change)

    backend.home.reputation.set_worth({"a.test": worth, LONG: 1})

    home = backend.reopen()
    assert home.reputation.get(["a.test", LONG]) == {
        "a.test": Reputation(pages=3, worth=worth),
        LONG: Reputation(worth=1),
    }
    assert (home.hosts.get("a.test").penalty, home.hosts.get("a.test").worth) == (4.0, worth)


@pytest.mark.only("moto")
def test_what_stands_there_already_is_not_written_again(any_home):
    any_home.reputation.set_worth({"a.test": 1})
    any_home.reputation.mark_named(["b.test"])
    before = any_home.meter.totals()["wru"]

    any_home.reputation.set_worth({"a.test": 1, "b.test": 0})
    any_home.reputation.mark_named(["b.test"])

    assert any_home.meter.totals()["wru"] == before


def test_a_host_that_a_person_named_stays_so(backend):
    backend.home.reputation.mark_named({"a.test", LONG})

    home = backend.reopen()
    assert home.reputation.get(["a.test", LONG]) == dict.fromkeys(
        ["a.test", LONG], Reputation(named=True)
    )
    assert home.hosts.get("a.test").named is True
