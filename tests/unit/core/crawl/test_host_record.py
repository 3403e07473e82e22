from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl.host_pace import aside, readmitted
from gossamer.core.crawl.host_record import Aside, HostChange, HostRecord

COUNTS, TIMES = st.integers(0, 9), st.floats(0.0, 1e9)
CHANGES = st.builds(
    HostChange,
    requests=COUNTS,
    bad=COUNTS,
    pages=COUNTS,
    next_slot=TIMES,
    last_slot=TIMES,
    not_before=TIMES,
    service_slot=TIMES,
)
HOST = HostRecord(host="a.test")


@given(CHANGES, CHANGES)
def test_of_two_that_learn_at_once_nothing_is_lost_in_either_order(one, two):
    assert HOST.changed(one).changed(two) == HOST.changed(two).changed(one)


@given(CHANGES, CHANGES)
def test_times_never_move_back(one, two):
    before, after = HOST.changed(one), HOST.changed(one).changed(two)

    for name in ("next_slot", "last_slot", "not_before", "service_slot"):
        assert getattr(after, name) == max(getattr(before, name), getattr(two, name))


def test_what_is_not_given_stays():
    known = HostRecord(host="a.test", penalty=2.0, robots_text="Disallow:", named=True, requests=4)

    assert known.changed(HostChange()) == known
    assert known.changed(HostChange(penalty=0.0, named=False)).penalty == 0.0


def test_a_good_response_ends_a_row_of_bad_ones():
    ill = HOST.changed(HostChange(bad=1, bad_in_a_row=1)).changed(HostChange(bad_in_a_row=1))

    assert ill.bad_in_a_row == 2
    assert ill.changed(HostChange(is_well=True)).bad_in_a_row == 0


def test_a_host_gets_another_chance_once_though_two_give_it():
    given_up = HostChange(requests=40, bad=40, aside=aside(HOST, "host-set-aside", 100.0))
    host = HOST.changed(given_up)

    once = host.changed(readmitted(host))
    twice = once.changed(readmitted(host))

    assert once == twice
    assert (once.requests, once.bad, once.set_aside) == (5, 5, "")
    assert once.aside == Aside(spell=host.set_aside_for)
