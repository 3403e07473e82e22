"""Does a message that failed wait longer each time, and only that one?"""

from __future__ import annotations

from collections import Counter

import pytest

from gossamer.core.errors import TransientError
from gossamer.entrypoints.lambdas.sqs import (
    FIRST_WAIT,
    LONGEST_WAIT,
    Case,
    Worker,
    answer,
    retry_wait,
    sqs_handler,
)
from gossamer.entrypoints.lambdas.telemetry import Telemetry
from gossamer.messages import Candidate, FetchRequest, encode
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


class Counting(Telemetry):
    """Keeps what was counted."""

    def __init__(self):
        self.sums: Counter[str] = Counter()

    def count(self, name, by=1):
        self.sums[name] += by


@pytest.mark.parametrize(("late", "missed"), [(0.9, 0), (1.1, 1)])
def test_a_slot_that_is_over_when_its_message_comes_is_counted(worker, clock, late, missed):
    worker.telemetry = Counting()
    request = FetchRequest(
        job="web",
        host="a.test",
        candidate=Candidate("http://a.test/"),
        slot=clock() - late,
        delay=1.0,
        grace=1.0,
    )
    one = record("one") | {"body": encode(request).decode()}

    sqs_handler("fetch", lambda: worker)({"Records": [one]}, None)

    assert worker.telemetry.sums["MissedSlots"] == missed


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
