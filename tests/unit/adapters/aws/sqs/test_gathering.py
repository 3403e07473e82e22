"""Are requests gathered as long as it takes to fill batches, and no longer?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.aws.sqs.gathering import (
    A_SECOND,
    ENOUGH,
    LONGEST,
    LOOK_EVERY,
    SWEEP,
    Ahead,
    held_back,
)
from gossamer.core.errors import Throttled
from gossamer.messages import Candidate, CrawlRequest, Emission
from gossamer.ports.queues import EARLY

REQUEST = CrawlRequest(job="web", host="a.test", urls=[Candidate("http://a.test/")])


def emission(delay: float) -> Emission:
    return Emission("fetch", REQUEST, delay, timed=True)


@given(
    now=st.floats(0.0, 1e6),
    slots=st.lists(st.floats(0.0, 800.0), min_size=1),
    stretch=st.floats(0.0, LONGEST),
)
def test_requests_come_before_their_slots_but_never_too_early(now, slots, stretch):
    for wait in slots:
        held = math.floor(held_back(emission(wait), now, stretch))

        assert 0 <= held <= wait
        assert wait - held <= EARLY


def ahead(delayed: int, fetchers: int = 0) -> Ahead:
    """What FETCH has ahead, of requests that are held back for 50 seconds on average."""
    made = Ahead(lambda: {"due": 0, "held": 0, "delayed": delayed}, fetchers)
    made.note(50.0)
    return made


def test_few_requests_are_gathered_for_long():
    assert ahead(100).stretch(0.0) == LONGEST  # two in a second


def test_the_more_come_due_in_a_second_the_shorter_they_are_gathered():
    assert ahead(1_000).stretch(0.0) == pytest.approx(ENOUGH / 20.0)


def test_many_are_handed_out_by_their_own_slots():
    stretch = ahead(10_000).stretch(100.0)

    waits = [math.floor(held_back(emission(w), 100.0, stretch)) for w in (28, 34)]

    assert waits == [26, 32]


def test_a_process_that_has_sent_nothing_gathers_for_long():
    assert Ahead(lambda: pytest.fail("asked")).stretch(0.0) == LONGEST


def test_a_process_that_was_idle_for_days_forgets_what_it_sent():
    idle = ahead(1_000, fetchers=20)
    stretches = [idle.stretch(60.0 * minute) for minute in range(24 * 60)]

    assert stretches[-1] == LONGEST


def test_there_is_room_for_what_fetchers_do_in_the_time_that_requests_are_held_back():
    assert ahead(1_000, fetchers=20).room(0.0) == 20 * A_SECOND * (50.0 + SWEEP / 2) - 1_000

    slow = ahead(1_000, fetchers=20)
    slow.note(550.0)
    assert slow.room(0.0) == 20 * A_SECOND * (300.0 + SWEEP / 2) - 1_000


def test_what_a_process_sends_takes_room_before_the_queue_is_asked_again():
    full = ahead(0, fetchers=1)
    before = full.room(0.0)

    for _ in range(10):
        full.note(50.0)

    assert full.room(LOOK_EVERY / 2) == before - 10
    assert full.room(LOOK_EVERY) == before


def test_without_a_number_of_fetchers_there_is_always_room():
    assert ahead(10**9).room(0.0) == math.inf


def test_the_queue_is_asked_now_and_then():
    asked = []

    def counts() -> dict[str, int]:
        asked.append(1)
        return {"delayed": 1_000}

    made = Ahead(counts, fetchers=20)
    made.note(50.0)
    for second in range(int(2 * LOOK_EVERY)):
        made.stretch(float(second))
        made.room(float(second))

    assert len(asked) == 2


def test_a_queue_that_does_not_answer_changes_nothing():
    answers = [{"delayed": 1_000}]

    def counts() -> dict[str, int]:
        if answers:
            return answers.pop()
        raise Throttled("queue fetch")

    made = Ahead(counts)
    made.note(50.0)
    before = made.stretch(0.0)

    assert made.stretch(LOOK_EVERY) == before < LONGEST


def test_the_queue_itself_is_asked(home, faults):
    fault = faults("sqs", lambda *_: None)
    queues = home.queues

    queues.send([emission(60.0 + n) for n in range(20)], 100.0)
    queues.send([emission(60.0)], 100.0 + LOOK_EVERY)

    asked = [params for name, params in fault.calls if name == "GetQueueAttributes"]
    assert len(asked) == 1
    assert "fetch" in asked[0]["QueueUrl"]
