"""Do all host stores keep the promises of `ports.hosts`?"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.host_pace import readmitted
from gossamer.core.crawl.host_record import Aside, HostChange, HostRecord
from gossamer.core.crawl.politeness import Pace, slot_times
from tests.conftest import CLOUD, EMBEDDED, Backend
from tests.effort import often

PACE = Pace(delay=1.0, grace=0.25)


@pytest.fixture
def hosts(any_home):
    return any_home.hosts


def test_a_host_never_met_has_a_fresh_record(hosts):
    assert hosts.get("a.test") == HostRecord(host="a.test")


def test_an_idle_host_gives_slots_from_now_on(hosts):
    booking = hosts.book("a.test", 3, 100.0, PACE, window=10.0)

    assert slot_times(booking, PACE.spacing) == [100.0, 101.25, 102.5]
    assert hosts.get("a.test").next_slot == 103.75


def test_a_busy_host_gives_slots_after_those_booked_before(hosts):
    hosts.book("a.test", 2, 100.0, PACE, window=10.0)

    booking = hosts.book("a.test", 1, 100.5, PACE, window=10.0)

    assert slot_times(booking, PACE.spacing) == [102.5]


def test_no_slot_lies_beyond_the_window(hosts):
    first = hosts.book("a.test", 100, 100.0, PACE, window=10.0)
    second = hosts.book("a.test", 100, 100.0, PACE, window=10.0)

    assert max(slot_times(first, PACE.spacing)) <= 110.0
    assert second.count == 0


def test_a_host_slower_than_the_window_still_gives_one_slot_when_idle(hosts):
    slow = Pace(delay=60.0, grace=1.0)

    booking = hosts.book("a.test", 5, 100.0, slow, window=10.0)

    assert slot_times(booking, slow.spacing) == [100.0]
    assert hosts.book("a.test", 5, 101.0, slow, window=10.0).count == 0
    assert hosts.book("a.test", 5, 161.0, slow, window=10.0).first == 161.0


def test_one_host_does_not_wait_for_another(hosts):
    hosts.book("a.test", 5, 100.0, PACE, window=10.0)

    assert hosts.book("b.test", 1, 100.0, PACE, window=10.0).first == 100.0


def test_no_slot_begins_before_the_host_wants_to_be_asked_again(hosts):
    hosts.change("a.test", HostChange(not_before=105.0))

    assert hosts.book("a.test", 1, 100.0, PACE, window=10.0).first == 105.0


def test_the_next_slot_is_pushed_forward_and_never_back(hosts):
    hosts.change("a.test", HostChange(next_slot=120.0))
    hosts.change("a.test", HostChange(next_slot=110.0))

    assert hosts.get("a.test").next_slot == 120.0


def test_a_delay_that_grew_keeps_its_distance_from_the_last_slot_of_the_old_pace(hosts):
    hosts.book("a.test", 1, 100.0, PACE, window=10.0)

    booking = hosts.book("a.test", 1, 101.5, Pace(delay=4.0, grace=0.25), window=10.0)

    assert booking.first == 104.25


def test_a_delay_of_nothing_gives_as_many_slots_as_wanted(hosts):
    booking = hosts.book("a.test", 500, 100.0, Pace(0.0, 0.0), window=10.0)

    assert slot_times(booking, 0.0) == [100.0] * 500


def test_one_of_many_becomes_the_one_who_fetches_robots_txt(hosts):
    leases = [hosts.lease_robots("a.test", 100.0, 150.0) for _ in range(5)]

    assert leases == [True, False, False, False, False]


def test_a_lease_of_robots_txt_ends(hosts):
    hosts.lease_robots("a.test", 100.0, 150.0)

    assert not hosts.lease_robots("a.test", 149.0, 199.0)
    assert hosts.lease_robots("a.test", 150.0, 200.0)


async def test_a_service_slot_is_claimed_once(hosts):
    claims = [await hosts.claim_service("a.test", 100.0) for _ in range(3)]

    assert claims == [True, False, False]
    assert await hosts.claim_service("a.test", 101.0)
    assert not await hosts.claim_service("a.test", 100.5)


async def test_a_service_claim_is_durable_when_it_returns(backend):
    await backend.home.hosts.claim_service("a.test", 100.0)

    assert not await backend.reopen().hosts.claim_service("a.test", 100.0)


def test_a_host_is_set_aside_for_a_while_and_it_is_remembered_for_how_long(backend):
    aside = Aside("host-set-aside", until=200.5, spell=100.5)
    backend.home.hosts.change("a.test", HostChange(aside=aside))

    set_aside = backend.reopen().hosts.get("a.test")
    after = backend.home.hosts.change("a.test", HostChange(aside=Aside(spell=100.5)))

    assert set_aside.aside == aside
    assert (set_aside.is_set_aside(200.0), set_aside.is_set_aside(200.5)) == (True, False)
    assert (after.set_aside, after.set_aside_for) == ("", 100.5)
    assert not after.is_set_aside(100.0)


def test_a_host_set_aside_without_an_end_stays_so(hosts):
    hosts.change("a.test", HostChange(aside=Aside("dns")))

    assert hosts.get("a.test").set_aside == "dns"
    assert hosts.get("a.test").is_set_aside(1e12)


def test_facts_outlive_the_process(backend):
    change = HostChange(robots_text="Disallow:", penalty=4.0, requests=7)
    backend.home.hosts.change("a.test", change)

    record = backend.reopen().hosts.get("a.test")

    assert (record.robots_text, record.penalty, record.requests) == ("Disallow:", 4.0, 7)


async def test_what_a_host_demands_can_be_made_durable_at_once(backend):
    demand = HostChange(not_before=200.0, next_slot=205.0, penalty=4.0)
    record = await backend.home.hosts.change_durably("a.test", demand)

    assert backend.reopen().hosts.get("a.test") == record
    assert (record.not_before, record.next_slot, record.penalty) == (200.0, 205.0, 4.0)


def test_counts_grow_by_what_is_given_and_times_never_move_back(hosts):
    change = HostChange(requests=3, bad=1, bad_in_a_row=1, pages=2, last_slot=100.0)
    hosts.change("a.test", change)

    record = hosts.change("a.test", HostChange(requests=1, bad=1, bad_in_a_row=1, last_slot=90.0))

    assert (record.requests, record.bad, record.bad_in_a_row, record.pages) == (4, 2, 2, 2)
    assert record.last_slot == 100.0
    assert hosts.change("a.test", HostChange(is_well=True)).bad_in_a_row == 0


def test_of_two_that_give_a_host_another_chance_one_does(hosts):
    given_up = HostChange(requests=40, bad=40, aside=Aside("host-set-aside", 200.0, 100.0))
    host = hosts.change("a.test", given_up)

    first, second = (hosts.change("a.test", readmitted(host)) for _ in range(2))

    assert first == second == hosts.get("a.test")
    assert (first.requests, first.bad, first.set_aside) == (5, 5, "")


@pytest.mark.only(*EMBEDDED)
def test_recovery_lets_go_of_leases_and_keeps_slots(backend):
    backend.home.hosts.lease_robots("a.test", 100.0, 900.0)
    backend.home.hosts.book("a.test", 4, 100.0, PACE, window=10.0)

    home = backend.reopen()
    home.recover()

    assert home.hosts.lease_robots("a.test", 101.0, 900.0)
    assert home.hosts.get("a.test").next_slot == 105.0


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("book"), st.integers(1, 8)),
        st.tuples(st.just("wait"), st.sampled_from([0.0, 0.1, 1.0, 7.5, 40.0])),
        st.tuples(st.just("push"), st.sampled_from([0.5, 3.0, 20.0])),
        st.tuples(st.just("delay"), st.sampled_from([0.5, 1.0, 2.0, 8.0])),
    ),
    max_size=40,
)


WINDOWS = st.sampled_from([5.0, 10.0, 900.0])


@given(actions=ACTIONS, window=WINDOWS)
def test_whatever_is_booked_in_whatever_order_slots_lie_a_spacing_apart(actions, window):
    _hold_to_it("sqlite-memory", actions, window)


@pytest.mark.parametrize("kind", CLOUD)
@often(10)  # each of them makes tables
@given(actions=ACTIONS, window=WINDOWS)
def test_slots_lie_a_spacing_apart_in_the_cloud_as_well(kind, actions, window):
    _hold_to_it(kind, actions, window)


def _hold_to_it(kind, actions, window):
    """Each slot keeps the longer of its own spacing and that of the slot before it."""
    backend = Backend(kind, Path("unused"))
    try:
        slots = _book(backend.home.hosts, actions, window)
    finally:
        backend.close()

    for (before, old), (after, new) in itertools.pairwise(slots):
        assert after - before >= max(old, new) - 1e-9


def _book(hosts, actions, window):
    now, pace = 100.0, PACE
    slots: list[tuple[float, float]] = []
    furthest = 0.0
    for action, value in actions:
        if action == "book":
            booking = hosts.book("a.test", value, now, pace, window)
            slots += [(slot, pace.spacing) for slot in slot_times(booking, pace.spacing)]
        elif action == "wait":
            now += value
        elif action == "push":
            hosts.change("a.test", HostChange(next_slot=now + value))
        else:
            pace = Pace(value, value / 4)
        next_slot = hosts.get("a.test").next_slot
        assert next_slot >= furthest
        furthest = next_slot
    return slots


def test_why_robots_txt_could_not_be_read_is_kept_until_it_can(hosts):
    failed = HostChange(robots_unavailable=True, robots_until=5.0, robots_fault="timeout")
    hosts.change("a.test", failed)
    before = [(record.host, record.robots_fault) for record in hosts.troubled()]

    hosts.change("a.test", HostChange(robots_unavailable=False, robots_fault=""))

    assert before == [("a.test", "timeout")]
    assert hosts.get("a.test").robots_fault == ""
    assert list(hosts.troubled()) == []


def test_void_slots_give_way_to_an_era_of_their_own(hosts):
    ahead = 3700.0
    hosts.book("a.test", 3, ahead, PACE, window=10.0)
    before = hosts.change("a.test", HostChange(robots_until=ahead, robots_lease=ahead))

    after = hosts.void_slots(before, 400.0, 100.0)
    again = hosts.void_slots(before, 450.0, 150.0)  # by another process, at the same time

    assert after == again == hosts.get("a.test")
    assert (after.era, after.next_slot, after.robots_until) == (1, 400.0, ahead)
    assert hosts.book("a.test", 1, 400.0, PACE, window=10.0).first == 400.0


def test_a_host_that_is_set_aside_for_years_by_a_clock_ahead_is_so_for_its_spell(hosts):
    ahead = 1e9
    aside = Aside("host-set-aside", ahead + 50.0, 50.0)
    before = hosts.change("a.test", HostChange(next_slot=ahead, service_slot=ahead, aside=aside))

    after = hosts.void_slots(before, 400.0, 100.0)

    assert (after.set_aside_until, after.service_slot) == (150.0, 100.0)
    assert hosts.get("a.test") == after
