"""Are requests gathered as long as it takes to fill batches, and no longer?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.aws.sqs.gathering import (
    ENOUGH,
    LONGEST,
    LOOK_EVERY,
    Gathering,
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


def test_few_requests_are_gathered_for_long():
    gathering = Gathering(lambda: 100)  # two in a second
    gathering.note(50.0)

    assert gathering.stretch(0.0) == LONGEST


def test_the_more_come_due_in_a_second_the_shorter_they_are_gathered():
    gathering = Gathering(lambda: 1_000)
    gathering.note(50.0)

    assert gathering.stretch(0.0) == pytest.approx(ENOUGH / 20.0)


def test_many_are_handed_out_by_their_own_slots():
    gathering = Gathering(lambda: 10_000)
    gathering.note(50.0)

    waits = [math.floor(held_back(emission(w), 100.0, gathering.stretch(100.0))) for w in (28, 34)]

    assert waits == [26, 32]


def test_what_is_held_back_is_asked_for_now_and_then():
    asked = []
    gathering = Gathering(lambda: asked.append(1) or 1_000)
    gathering.note(50.0)

    for second in range(int(2 * LOOK_EVERY)):
        gathering.stretch(float(second))

    assert len(asked) == 2


def test_nothing_is_asked_for_before_a_request_was_held_back():
    gathering = Gathering(lambda: pytest.fail("asked"))
    gathering.note(0.0)

    assert gathering.stretch(0.0) == LONGEST


def test_a_queue_that_does_not_answer_changes_nothing():
    answers = iter([1_000])

    def held() -> int:
        for answer in answers:
            return answer
        raise Throttled("queue fetch")

    gathering = Gathering(held)
    gathering.note(50.0)
    before = gathering.stretch(0.0)

    assert gathering.stretch(LOOK_EVERY) == before < LONGEST


def test_the_queue_itself_is_asked(home, faults):
    fault = faults("sqs", lambda *_: None)
    queues = home.queues

    queues.send([emission(60.0 + n) for n in range(20)], 100.0)
    queues.send([emission(60.0)], 100.0 + LOOK_EVERY)

    asked = [params for name, params in fault.calls if name == "GetQueueAttributes"]
    assert len(asked) == 1
    assert "fetch" in asked[0]["QueueUrl"]
