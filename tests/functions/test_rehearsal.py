"""May every function do what it does, weeks later too? And what does it tell CloudWatch?

MiniStack enforces the same policies, but its clock cannot be moved.
"""

from __future__ import annotations

import fcntl
from typing import Any, NamedTuple

import msgspec
import pytest

from gossamer.entrypoints.lambdas.powertools import METRICS
from tests.functions.rare_stories import RARE_STORIES
from tests.functions.rehearsal import Rehearsal
from tests.functions.stories import STORIES
from tests.topology.template import BY_LAMBDA, allowed_calls, load

pytestmark = pytest.mark.timeout(1200)  # whichever test comes first waits for the stories
ALLOWED = allowed_calls(load())
# What only the release before does, while a release is gradual (docs/decisions/0128).
BEFORE = {"search": {("dynamodb:Query", "inverted_index/by_tfidf")}}
# What S3 demands though it is not called: to be told that a file is missing, not that it is
# forbidden, and to give up an upload in parts that failed.
DEMANDED = {"s3:ListBucket", "s3:AbortMultipartUpload"}
# Steered and broken stacks come last: their messages come back for hours.
ORDER = (*STORIES[:4], *RARE_STORIES, *STORIES[4:])


class Rehearsed(NamedTuple):
    """What the stories left behind."""

    calls: dict[str, set[tuple[str, str]]]
    metrics: list[Any]
    quiet_metrics: list[Any]  # of a minute after them, in which nothing happens


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory, worker_id) -> Rehearsed:
    """The stories take a minute, so the first of all workers plays them for the others."""
    if worker_id == "master":
        return _play()
    kept = tmp_path_factory.getbasetemp().parent / "rehearsed"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_bytes(msgspec.json.encode(_play()))
        return msgspec.json.decode(kept.read_bytes(), type=Rehearsed)


def _play() -> Rehearsed:
    stack = Rehearsal()
    try:
        for story in ORDER:
            story(stack)
        told = list(stack.metrics)
        stack.metrics.clear()
        stack.clock.advance(60.0)
        stack.sweep()
        return Rehearsed(dict(stack.calls), told, list(stack.metrics))
    finally:
        stack.close()


def test_every_function_may_do_what_it_did(rehearsed):
    for function, allowed in ALLOWED.items():
        assert rehearsed.calls[function] - allowed == set(), function


@pytest.mark.parametrize("function", ALLOWED)
def test_a_function_did_everything_that_it_may_do(rehearsed, function):
    unused = ALLOWED[function] - rehearsed.calls[function] - BEFORE.get(function, set())

    assert {call for call in unused if call[0] not in BY_LAMBDA | DEMANDED} == set()


def test_what_cloudwatch_makes_metrics_of_is_little_and_of_one_dimension(rehearsed):
    told = [each for line in rehearsed.metrics for each in line["_aws"]["CloudWatchMetrics"]]
    names = {metric["Name"] for each in told for metric in each["Metrics"]}

    assert {str(each["Dimensions"]) for each in told} == {"[['stack']]"}
    assert {"Failures", "DeadLetters", "Pages", "Cost"} < names <= set(METRICS)
    assert len(METRICS) <= 20


def test_a_quiet_minute_tells_no_metrics(rehearsed):
    assert not rehearsed.quiet_metrics
