"""Do all queues keep the promises of `ports.queues`?"""

from __future__ import annotations

import pytest

from gossamer.messages import Candidate, CrawlRequest, Emission, LinksFound, decode
from tests.conftest import EMBEDDED

VISIBILITY = 30.0  # of the stream "fetch", see the fixture


@pytest.fixture
def queues(any_home):
    return any_home.queues


def crawl_request(host="a.test"):
    return CrawlRequest(job="web", host=host, urls=[Candidate(f"http://{host}/")])


def send(queues, *hosts, stream="fetch", delay=0.0, now=100.0):
    queues.send([Emission(stream, crawl_request(host), delay) for host in hosts], now)


def host_in(body):
    message = decode(body)
    assert isinstance(message, CrawlRequest)
    return message.host


def hosts_of(deliveries):
    return [host_in(delivery.body) for delivery in deliveries]


def test_what_was_sent_is_received_once_and_in_order(queues):
    send(queues, "a.test", "b.test", "c.test")

    first = queues.receive("fetch", 2, 100.0)
    second = queues.receive("fetch", 2, 100.0)

    assert hosts_of(first) == ["a.test", "b.test"]
    assert hosts_of(second) == ["c.test"]
    assert queues.receive("fetch", 2, 100.0) == []


def test_a_message_comes_back_as_it_was_sent(queues):
    queues.send([Emission("frontier", crawl_request("ü.test"))], 100.0)

    (delivery,) = queues.receive("frontier", 1, 100.0)

    assert decode(delivery.body) == crawl_request("ü.test")


def test_streams_do_not_mix(queues):
    links = LinksFound(job="web", source="", depth=0, via="seed", links=[])
    queues.send([Emission("fetch", crawl_request()), Emission("links", links)], 100.0)

    received = queues.receive("links", 10, 100.0)

    assert [decode(delivery.body) for delivery in received] == [links]


def test_a_delayed_message_is_not_received_before_its_time(queues):
    send(queues, "late.test", delay=5.0)
    send(queues, "soon.test", delay=1.0)

    assert queues.receive("fetch", 10, 100.999) == []
    assert hosts_of(queues.receive("fetch", 10, 101.0)) == ["soon.test"]
    assert queues.receive("fetch", 10, 104.999) == []
    assert hosts_of(queues.receive("fetch", 10, 105.0)) == ["late.test"]


def test_a_message_sent_with_no_delay_overtakes_one_that_waits(queues):
    send(queues, "slow.test", delay=50.0)
    assert queues.receive("fetch", 10, 100.0) == []

    send(queues, "quick.test", now=101.0)

    assert hosts_of(queues.receive("fetch", 10, 101.0)) == ["quick.test"]


def test_a_received_message_is_hidden_until_its_visibility_is_over(queues):
    send(queues, "a.test")
    queues.receive("fetch", 1, 100.0)

    hidden = queues.receive("fetch", 1, 100.0 + VISIBILITY - 0.001)
    visible = queues.receive("fetch", 1, 100.0 + VISIBILITY)

    assert hidden == []
    assert hosts_of(visible) == ["a.test"]


def test_receives_are_counted(queues):
    send(queues, "a.test")

    counts = [queues.receive("fetch", 1, 100.0 + i * VISIBILITY)[0].received for i in range(3)]

    assert counts == [1, 2, 3]


def test_an_acknowledged_message_never_comes_back(queues):
    send(queues, "a.test", "b.test")
    first, _ = queues.receive("fetch", 2, 100.0)

    queues.acknowledge([first])

    assert hosts_of(queues.receive("fetch", 10, 1000.0)) == ["b.test"]


def test_acknowledging_twice_changes_nothing_else(queues):
    send(queues, "a.test", "b.test")
    first, _ = queues.receive("fetch", 2, 100.0)

    queues.acknowledge([first])
    queues.acknowledge([first])

    assert queues.depth()["fetch"] == 1


def test_a_retried_message_comes_back_at_the_time_given(queues):
    send(queues, "a.test")
    (delivery,) = queues.receive("fetch", 1, 100.0)

    queues.retry(delivery, 103.0)

    assert queues.receive("fetch", 1, 102.999) == []
    (again,) = queues.receive("fetch", 1, 103.0)
    assert again.received == 2


def test_a_buried_message_is_a_dead_letter_with_its_reason_and_stays_dead(queues):
    send(queues, "a.test")
    (delivery,) = queues.receive("fetch", 1, 100.0)

    queues.bury("fetch", delivery, "ValueError: no", 100.0)

    assert queues.dead_letters() == [("fetch", "ValueError: no", delivery.body)]
    assert queues.receive("fetch", 1, 10_000.0) == []


def test_no_message_is_lost_unless_a_queue_gives_it_up(queues):
    send(queues, "a.test")
    queues.receive("fetch", 1, 100.0)

    assert queues.lost() == []


@pytest.mark.only("moto", "endpoint")
def test_a_lost_message_comes_back_until_it_is_buried(queues):
    send(queues, "a.test", stream="lost")  # where SQS puts what it gives up
    (found,) = queues.lost()
    queues.retry(found, 130.0)
    queues.receive("fetch", 1, 131.0)  # it is later
    (again,) = queues.lost()

    queues.bury("fetch", again, "its function died", 131.0)

    assert hosts_of([found, again]) == ["a.test", "a.test"]
    assert queues.dead_letters() == [("fetch", "its function died", found.body)]
    assert queues.depth()["lost"] == 0


def test_a_message_is_hopeless_after_its_last_try(queues):
    send(queues, "a.test")

    hopeless = [
        queues.is_hopeless(queues.receive("fetch", 1, 100.0 + i * VISIBILITY)[0]) for i in range(5)
    ]

    assert hopeless == [False, False, False, False, True]


def test_a_queue_outlives_its_process(backend):
    send(backend.home.queues, "a.test", delay=5.0)

    queues = backend.reopen().queues

    assert queues.depth()["fetch"] == 1
    assert queues.receive("fetch", 1, 104.0) == []
    assert hosts_of(queues.receive("fetch", 1, 105.0)) == ["a.test"]


@pytest.mark.only(*EMBEDDED)
def test_recovery_hands_out_what_a_dead_process_held_at_once_and_does_not_blame_it(backend):
    send(backend.home.queues, "held.test")
    send(backend.home.queues, "waiting.test", delay=50.0)
    backend.home.queues.receive("fetch", 10, 100.0)

    home = backend.reopen()
    home.recover()
    (again,) = home.queues.receive("fetch", 10, 101.0)

    assert hosts_of([again]) == ["held.test"]
    assert again.received == 1


@pytest.mark.only(*EMBEDDED)
def test_draining_a_stream_takes_all_of_it_and_nothing_else(queues):
    send(queues, "a.test", "b.test", delay=9.0)
    send(queues, "c.test", stream="frontier")

    bodies = queues.drain("fetch")

    assert [host_in(body) for body in bodies] == ["a.test", "b.test"]
    assert queues.receive("fetch", 10, 1000.0) == []
    assert hosts_of(queues.receive("frontier", 10, 100.0)) == ["c.test"]


def test_the_backlog_is_what_is_due_or_taken_but_not_what_is_delayed(queues):
    send(queues, "a.test", "b.test", now=100.0)
    send(queues, "late.test", delay=500.0, now=100.0)
    queues.receive("fetch", 1, 101.0)

    assert queues.backlog("fetch", 102.0) == 2


def test_there_is_room_while_little_waits_and_no_more_than_before(queues):
    before = queues.room("fetch", 100.0)
    send(queues, "a.test", "b.test", now=100.0)

    assert 0 < queues.room("fetch", 106.0) <= before
    assert queues.room("frontier", 106.0) == float("inf")


def test_what_is_sent_while_no_one_looks_is_not_lost(queues):
    queues.poll("fetch", wanted=False)
    send(queues, "a.test", now=100.0)
    queues.poll("fetch", wanted=True)

    assert hosts_of(queues.receive("fetch", 1, 101.0)) == ["a.test"]
