"""May every function do what it does, weeks later too? And what does it tell CloudWatch?

MiniStack enforces the same policies, but its clock cannot be moved.
"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.lambdas.powertools import METRICS
from tests.functions.rehearsal import Rehearsal
from tests.functions.stories import STORIES
from tests.topology.template import allowed_calls, load

ALLOWED = allowed_calls(load())
# What the stories must have led to, or they prove nothing.
RARE = [
    ("compact", "dynamodb:PutItem", "stats"),  # an hour that is over
    ("compact", "sqs:SendMessage", "queue:merge"),
    ("compact", "s3:DeleteObject", "bucket:index/"),  # what was merged, days later
    ("merge", "s3:PutObject", "bucket:index/"),
    ("merge", "dynamodb:PutItem", "segments"),
    ("merge", "dynamodb:BatchWriteItem", "inverted_index"),
    ("api", "dynamodb:Query", "inverted_index/by_tfidf"),
    ("api", "dynamodb:Scan", "urls"),  # a limit for a job that had none
    ("api", "dynamodb:Query", "stats"),
    ("rank", "sqs:SendMessage", "queue:index"),
    ("recrawl", "sqs:SendMessage", "queue:frontier"),
    ("schedule", "sqs:SendMessage", "queue:parse-dead"),  # what SQS gave up
    ("fetch", "sqs:ChangeMessageVisibility", "queue:fetch"),  # a store throttled
    ("index", "sqs:SendMessage", "queue:index-dead"),
]


@pytest.fixture(scope="module")
def rehearsed():
    stack = Rehearsal()
    try:
        for story in STORIES:
            story(stack)
        yield stack
    finally:
        stack.close()


@pytest.mark.timeout(300)
def test_every_function_may_do_what_it_did(rehearsed):
    for function, allowed in ALLOWED.items():
        assert rehearsed.calls[function] - allowed == set(), function


def test_the_stories_led_to_what_is_rare(rehearsed):
    for function, action, resource in RARE:
        assert (action, resource) in rehearsed.calls[function], function


def test_what_cloudwatch_makes_metrics_of_is_little_and_of_one_dimension(rehearsed):
    told = [each for line in rehearsed.metrics for each in line["_aws"]["CloudWatchMetrics"]]
    names = {metric["Name"] for each in told for metric in each["Metrics"]}

    assert {str(each["Dimensions"]) for each in told} == {"[['stack']]"}
    assert {"Failures", "DeadLetters", "Pages", "Cost"} < names <= set(METRICS)
    assert len(METRICS) <= 20


def test_a_quiet_minute_tells_three_metrics_which_are_free(rehearsed):
    rehearsed.metrics.clear()
    rehearsed.clock.advance(60.0)
    rehearsed.sweep()

    (line,) = rehearsed.metrics
    (told,) = line["_aws"]["CloudWatchMetrics"]
    assert {each["Name"] for each in told["Metrics"]} == {"WriteUnits", "ReadUnits", "Cost"}
