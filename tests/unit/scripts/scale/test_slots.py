"""Does FETCH wait in the model as it does message by message?"""

from __future__ import annotations

import heapq
import math
from random import Random

import pytest

from gossamer.adapters.aws.sqs.gathering import held_back, stretch_of
from gossamer.core.crawl.politeness import CLOUD_GRACE
from gossamer.messages import Candidate, CrawlRequest, Emission
from scripts.scale import deployment, profile
from scripts.scale.functions import Bolt

REQUEST = CrawlRequest(job="web", host="a.test", urls=[Candidate("http://a.test/")])
PACE = CLOUD_GRACE.pace(1.0)
SECONDS = 200
FUNCTION = deployment.read()["fetch"]
BOLT = Bolt(FUNCTION, profile.load().steps["fetch"], timed=True)


def visible(slot: float, booked: float, rate: float) -> float:
    emission = Emission("fetch", REQUEST, slot - booked, timed=True)
    return booked + math.floor(held_back(emission, booked, stretch_of(rate)))


def message_by_message(hosts: int) -> tuple[float, float, float]:
    """Requests in an invocation, its seconds, and the share of requests that missed their slots."""
    chance, spacing = Random(1), PACE.spacing
    slots = [chance.random() * spacing + n * spacing for _ in range(hosts) for n in range(SECONDS)]
    waiting = [
        (visible(slot, slot - 10 - 90 * chance.random(), hosts / spacing), slot) for slot in slots
    ]
    heapq.heapify(waiting)
    free = [0.0] * int(FUNCTION.concurrency)
    calls: list[tuple[int, float]] = []
    missed = 0
    while waiting:
        first = max(waiting[0][0], heapq.heappop(free))
        taken: list[tuple[float, float]] = []
        while waiting and len(taken) < FUNCTION.batch and waiting[0][0] <= first + FUNCTION.window:
            taken.append(heapq.heappop(waiting))
        is_full = len(taken) == FUNCTION.batch
        began = max(first, taken[-1][0]) if is_full else first + FUNCTION.window
        in_time = [slot for _, slot in taken if began <= slot + PACE.grace]
        missed += len(taken) - len(in_time)
        last = max([began, *(max(began, slot) for slot in in_time)])
        ended = last + BOLT.seconds(len(taken))
        heapq.heappush(free, ended)
        calls.append((len(taken), ended - began))
    batches, seconds = zip(*calls, strict=True)
    return sum(batches) / len(calls), sum(seconds) / len(calls), missed / len(slots)


@pytest.mark.parametrize("hosts", [4, 20, 40, 80, 160, 300])
def test_a_function_takes_as_many_requests_and_waits_as_long_for_them(hosts):
    rate = hosts / PACE.spacing
    turn = BOLT.turn(60.0 * rate, 60.0, FUNCTION.concurrency)

    batch, seconds, missed = message_by_message(hosts)

    assert turn.messages / turn.invocations == pytest.approx(batch, rel=0.15)
    assert turn.seconds == pytest.approx(seconds, rel=0.15)
    assert missed < 0.01
