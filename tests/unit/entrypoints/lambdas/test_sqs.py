"""Does a message that failed wait longer each time, and only that one?"""

from __future__ import annotations

import pytest

from gossamer.core.errors import TransientError
from gossamer.entrypoints.lambdas.sqs import (
    FIRST_WAIT,
    LONGEST_WAIT,
    Case,
    Worker,
    answer,
    retry_wait,
)
from gossamer.topology import SQS_RECEIVES


def test_the_wait_grows_up_to_a_bound_and_differs_between_messages():
    waits = [retry_wait(received, "handle") for received in range(1, SQS_RECEIVES + 1)]

    assert waits == sorted(waits)
    assert FIRST_WAIT / 2 <= waits[0] <= FIRST_WAIT
    assert LONGEST_WAIT / 2 <= waits[-1] <= LONGEST_WAIT
    assert len({retry_wait(3, str(handle)) for handle in range(100)}) == 100


def test_a_store_that_throttles_for_an_hour_loses_nothing():
    """Even the messages that wait the least are still there."""
    least = sum(min(LONGEST_WAIT, FIRST_WAIT * 2**n) / 2 for n in range(SQS_RECEIVES))

    assert least > 3600


@pytest.fixture
def worker(world, clock):
    return Worker(world().ports, clock)


def record(id):
    count = {"ApproximateReceiveCount": "3"}
    return {"messageId": id, "receiptHandle": f"of {id}", "body": "", "attributes": count}


def throttled(id):
    return Case(record(id), error=TransientError("no capacity"))


def test_what_failed_is_held_back_and_what_was_done_is_not(worker, clock, monkeypatch):
    held = []
    monkeypatch.setattr(worker.home.queues, "retry", lambda *given: held.append(given))

    said = answer("fetch", [Case(record("done")), throttled("again")], worker)

    assert said == {"batchItemFailures": [{"itemIdentifier": "again"}]}
    [(delivery, at)] = held
    assert delivery.receipt == "fetch of again"
    assert at == clock() + retry_wait(3, "of again")


def test_what_cannot_even_be_held_back_comes_back_all_the_same(worker, monkeypatch):
    def throttle(*_):
        raise TransientError("no capacity")

    monkeypatch.setattr(worker.home.queues, "retry", throttle)

    said = answer("fetch", [throttled("again")], worker)

    assert said == {"batchItemFailures": [{"itemIdentifier": "again"}]}
