"""Are jobs in the cloud looked after: woken, stopped in time, and finished when all is done?"""

from __future__ import annotations

import pytest

from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import url_id
from gossamer.entrypoints.lambdas.schedule import schedule_handler, tend
from gossamer.entrypoints.lambdas.sqs import Worker
from gossamer.messages import Candidate, CrawlRequest, Emission, FetchRequest, LinksFound, encode
from gossamer.ports.queues import Delivery
from tests.life import bring
from tests.pump import JOB, VirtualClock

URL = "http://a.test/x"


@pytest.fixture
def tended(world, clock: VirtualClock):
    """A world, and a function that looks after its jobs."""

    def make(**config):
        made = world(**config)
        worker = Worker(made.ports, clock)
        return made, worker, lambda: tend(worker, wait=clock.advance)

    return make


def park(world, until=0.0):
    world.home.urls.add([Discovery(url_id(URL), URL, "a.test", 1, job=JOB)], b"", 1.0)
    pack = CrawlRequest(job=JOB, host="a.test", urls=[Candidate(URL, 1)])
    world.home.frontier.park(pack, until)


def begin_work(world):
    """A function holds a message."""
    found = LinksFound(job=JOB, source="", depth=0, via="seed", links=[])
    world.home.queues.send([Emission("links", found)], 0.0)
    assert world.home.queues.receive("links", 1, 1.0)


def empty(world):
    for stream in ("frontier", "fetch", "parse", "links"):
        world.home.queues.drain(stream)


def test_parked_hosts_whose_time_has_come_are_woken(tended):
    world, _, look = tended()
    empty(world)
    park(world)

    states = look()

    assert states == {JOB: "running"}
    assert world.home.queues.depth()["frontier"] == 1
    assert world.home.frontier.next_at() is None


def test_a_job_with_nothing_left_is_finished(tended):
    world, _, look = tended()
    empty(world)

    assert look() == {JOB: "finished"}
    assert world.home.jobs.get(JOB).state == "finished"


@pytest.mark.parametrize("why", ["in flight", "parked for later"])
def test_a_job_that_waits_for_something_is_not_finished(tended, why):
    world, _, look = tended()
    empty(world)
    if why == "in flight":
        begin_work(world)
    else:
        park(world, until=1e9)

    assert look() == {JOB: "running"}


def test_a_message_that_turns_up_between_two_looks_keeps_the_job_running(tended, clock):
    world, worker, _ = tended()
    empty(world)

    def meanwhile(_seconds):
        begin_work(world)

    assert tend(worker, wait=meanwhile) == {JOB: "running"}


def test_what_a_spent_budget_leaves_waiting_is_excluded_by_it(tended):
    world, _, look = tended(max_pages=1)
    empty(world)
    first = "http://a.test/"
    world.home.urls.add([Discovery(url_id(first), first, "a.test", 0, job=JOB)], b"", 1.0)
    world.home.jobs.reserve(JOB, [url_id(first)])
    bring(world.home.urls, url_id(first), State.FETCHED)
    park(world)

    assert look() == {JOB: "finished"}

    record = world.home.urls.get(url_id(URL))
    assert (record.state, record.reason) == (State.EXCLUDED, "max-pages")
    assert world.home.jobs.get(JOB).reason == "max-pages"


def test_a_job_whose_time_is_over_is_stopped(tended, clock):
    world, _, look = tended(max_seconds=60.0)
    park(world)
    clock.advance(61)

    assert look() == {JOB: "stopped"}
    assert world.home.urls.get(url_id(URL)).reason == "max-seconds"


def test_a_paused_job_is_left_alone(tended):
    world, _, look = tended()
    empty(world)
    park(world)
    world.home.jobs.set_state(JOB, "paused")

    assert look() == {JOB: "paused"}
    assert world.home.frontier.next_at() is not None


def test_a_stopped_job_s_parked_urls_are_excluded(tended):
    world, _, look = tended()
    empty(world)
    park(world)
    world.home.jobs.set_state(JOB, "stopped")

    look()

    assert world.home.urls.get(url_id(URL)).reason == "stopped"


def test_the_handler_tells_messages_from_the_minute_s_call(tended, clock):
    world, worker, _ = tended()
    empty(world)
    handler = schedule_handler(lambda: worker)
    begin_work(world)

    assert handler({"Records": []}, None) == {"batchItemFailures": []}
    assert handler({"source": "aws.events"}, None) == {JOB: "running"}


def test_a_job_that_was_finished_too_early_goes_on(tended):
    world, _, look = tended()
    empty(world)
    assert look() == {JOB: "finished"}
    park(world)  # by a message that the counts did not show

    assert look() == {JOB: "running"}
    look()
    assert world.home.queues.depth()["frontier"] == 1


def test_units_of_parked_urls_are_taken_back_before_a_budget_counts_as_spent(tended):
    world, _, look = tended(max_pages=1)
    empty(world)
    park(world)
    world.home.jobs.reserve(JOB, [url_id(URL)])

    assert look() == {JOB: "running"}
    assert world.budget() == (1, None)


@pytest.fixture
def lose(tended, monkeypatch):
    """A world whose queues have given up some messages, and a function that looks after it."""

    def make(*bodies):
        world, _, look = tended()
        empty(world)
        waiting = [Delivery(number, body, 21) for number, body in enumerate(bodies, 1)]
        queues, bury = world.home.queues, world.home.queues.bury

        def buried(stream, delivery, reason, now):
            waiting.remove(delivery)
            bury(stream, delivery, reason, now)

        monkeypatch.setattr(queues, "lost", lambda: waiting[:1])
        monkeypatch.setattr(queues, "bury", buried)
        return world, look

    return make


def test_a_message_that_sqs_gave_up_ends_its_url_and_becomes_a_dead_letter(lose):
    candidate = Candidate(URL, 1)
    request = FetchRequest(
        job=JOB, host="a.test", candidate=candidate, slot=5.0, delay=1.0, grace=0.25
    )
    world, look = lose(encode(request), b"not a message")
    world.home.urls.add([Discovery(url_id(URL), URL, "a.test", 1, job=JOB)], b"", 1.0)
    bring(world.home.urls, url_id(URL), State.FETCHING)

    states = look()

    assert states == {JOB: "finished"}
    record = world.home.urls.get(url_id(URL))
    assert (record.state, record.reason) == (State.FAILED, "dead-letter")
    letters = world.home.queues.dead_letters()
    assert [(stream, body) for stream, _, body in letters] == [
        ("fetch", encode(request)),
        ("frontier", b"not a message"),
    ]
    assert all("never answered" in reason for _, reason, _ in letters)
