"""Are requests of a host counted once, together, and in time?"""

from __future__ import annotations

import asyncio

from gossamer.adapters.aws.hosts import DynamoHostStore
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.politeness import Pace


def test_good_requests_of_a_host_are_counted_by_one_write_when_the_home_commits(home):
    for n in range(10):
        home.hosts.change("a.test", HostChange(requests=1, pages=n % 2, last_slot=100.0 + n))
    before, known = home.meter.totals()["wru"], home.hosts.get("a.test")

    home.commit()

    assert before == 0
    assert home.meter.totals()["wru"] == 1
    assert (known.requests, known.pages, known.last_slot) == (10, 5, 109.0)
    stored = DynamoHostStore(home.clients, home.stack, home.collection, home.counters)
    assert stored.get("a.test") == known


def test_what_others_act_on_is_written_at_once_with_what_was_counted_before(home):
    home.hosts.change("a.test", HostChange(requests=1, last_slot=100.0))
    home.hosts.change("a.test", HostChange(requests=1, bad=1, bad_in_a_row=1))

    stored = DynamoHostStore(home.clients, home.stack, home.collection, home.counters)

    assert (stored.get("a.test").requests, stored.get("a.test").bad) == (2, 1)


def test_a_durable_count_is_durable(home):
    asyncio.run(home.hosts.change_durably("a.test", HostChange(requests=1, last_slot=100.0)))

    stored = DynamoHostStore(home.clients, home.stack, home.collection, home.counters)

    assert stored.get("a.test").requests == 1


def test_slots_are_booked_after_requests_that_are_not_counted_yet(home):
    home.hosts.change("a.test", HostChange(requests=1, last_slot=100.0))

    booking = home.hosts.book("a.test", 1, 101.0, Pace(10.0, 2.0), 840.0)

    assert booking.first == 112.0
