"""Does a bug that a handler answers show in the metrics by which a release goes back?"""

from __future__ import annotations

import pytest

from gossamer.core.crawl.url_record import PageRef
from gossamer.entrypoints.api.endpoints import collection
from gossamer.entrypoints.lambdas import sqs
from gossamer.entrypoints.lambdas.powertools import METRICS
from gossamer.messages import PageFetched
from tests.functions.rehearsal import Rehearsal
from tests.topology.template import load, metrics_of
from tests.unit.entrypoints.api.asking import event

ALARM = load()["Resources"]["ReleaseAlarm"]["Properties"]


@pytest.fixture
def stack():
    made = Rehearsal()
    yield made
    made.close()


def raise_key_error(*_: object) -> None:
    raise KeyError("a bug of a new version")


def measured(stack, name):
    """The sum of a metric that functions told."""
    return sum(each.get(name, [0])[0] for each in stack.metrics)


def test_a_bug_in_a_bolt_is_a_failure_among_the_messages(stack, monkeypatch):
    monkeypatch.setattr(sqs, "deal_with", raise_key_error)
    page = PageRef("f", 0, 1)
    stack.send(
        "parse", PageFetched(job="j", url="http://a.test/", page=page, depth=0, fetched_at=1)
    )

    stack.deliver("parse")

    assert measured(stack, "Failures") == measured(stack, "Messages") == 1


def test_what_is_given_up_at_once_counts_too(stack):
    """As a message of a version that the function does not know."""
    stack.put("parse", '{"kind": "nothing"}')

    stack.deliver("parse")

    assert measured(stack, "DeadLetters") == measured(stack, "Messages") == 1


def test_the_alarm_reads_metrics_that_functions_tell():
    own = {each["MetricName"] for each in metrics_of(ALARM) if each["Namespace"] == "Gossamer"}

    assert own == {"Failures", "DeadLetters", "Messages"}
    assert own < set(METRICS)


def test_a_bug_in_an_endpoint_is_an_answer_that_the_gateway_counts(stack, monkeypatch):
    monkeypatch.setattr(collection, "Health", raise_key_error)

    answer = stack.invoke("api", event("/health"))

    assert answer["statusCode"] == 500
    assert measured(stack, "Status5xx") == 1
