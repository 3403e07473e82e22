"""Does a simulated queue lose nothing, and bury what was received too often?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scripts.scale.queue import Cohort, Queue


def count(taken: list[Cohort]) -> float:
    return sum(cohort.count for cohort in taken)


def test_the_oldest_are_received_first():
    queue = Queue(receives=3, visibility=60)
    queue.put(5, 0.0)
    queue.put(5, 10.0)

    first = queue.take(7)

    assert [(cohort.sent, cohort.count) for cohort in first] == [(0.0, 5), (10.0, 2)]
    assert queue.depth() == 3
    assert queue.oldest(30.0) == 20.0


def test_what_a_dead_function_held_comes_back_and_is_buried_in_the_end():
    queue = Queue(receives=2, visibility=60)
    queue.put(5, 0.0)

    for now in (0.0, 60.0):
        queue.hold(queue.take(10), now)
        assert queue.in_flight() == 5
        queue.reveal(now + 59)
        assert queue.depth() == 0
        queue.reveal(now + 60)

    assert queue.buried == 5
    assert queue.redrive(200.0) == 5
    assert queue.depth() == 5


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100), st.booleans()), max_size=30))
def test_every_message_is_somewhere(steps):
    queue, sent, done = Queue(receives=2, visibility=2), 0.0, 0.0

    for now, (put, most, dies) in enumerate(steps):
        queue.reveal(float(now))
        queue.put(put, float(now))
        sent += put
        taken = queue.take(most)
        if dies:
            queue.hold(taken, float(now))
        else:
            done += count(taken)

    there = queue.depth() + queue.in_flight() + queue.buried
    assert abs(sent - done - there) < 1e-6
