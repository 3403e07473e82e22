"""Can a URL be followed through the functions that had it?"""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from aws_lambda_powertools import Tracer
from aws_xray_sdk import core

from gossamer.entrypoints.lambdas import context
from gossamer.entrypoints.lambdas.tracing import LONGEST, MessageTraces

URL = "https://a.test/page"


class Daemon:
    """Where X-Ray's SDK sends what it has recorded."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send_entity(self, entity: Any) -> None:
        self.sent.append(json.loads(entity.serialize()))

    def set_daemon_address(self, _address: str) -> None:
        """It has none."""


@pytest.fixture
def recorded(monkeypatch):
    """Records messages as one invocation, and returns their subsegments."""
    daemon = Daemon()
    recorder = core.xray_recorder
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "false")
    monkeypatch.setattr(recorder, "_emitter", daemon)
    recorder.configure(sampling=False)

    def record(*messages: tuple[dict[str, object], float, Exception | None]) -> list[Any]:
        traces = MessageTraces(Tracer(service="fetch", auto_patch=False, disabled=False))
        with recorder.in_segment("fetch"):
            for facts, seconds, error in messages:
                traces.message(facts, seconds, error)
        return [each for each in daemon.sent if each.get("type") == "subsegment"]

    return record


def test_a_message_is_found_by_its_url_and_its_job(recorded):
    facts = {"stream": "fetch", "job": "crawl", "host": "a.test", "url": URL, "emitted": 2}

    (subsegment,) = recorded((facts, 0.5, None))

    wanted = {"stream": "fetch", "job": "crawl", "host": "a.test", "url": URL}
    assert subsegment["annotations"] == wanted


def test_the_links_of_a_page_are_found_by_its_url(recorded):
    (subsegment,) = recorded(({"stream": "links", "job": "crawl", "source": URL}, 0.1, None))

    assert subsegment["annotations"]["url"] == URL


def test_each_message_of_a_batch_has_its_own_time(recorded):
    """They are dealt with at the same time and told one after another."""
    facts = {"stream": "fetch", "job": "crawl", "url": URL}
    before = time.time()

    long, short = recorded((facts, 20.0, None), (facts, 1.0, None))

    assert long["start_time"] == pytest.approx(before - 20, abs=5)
    assert short["start_time"] - long["start_time"] == pytest.approx(19, abs=5)


def test_a_message_that_failed_is_marked(recorded):
    (subsegment,) = recorded(({"stream": "parse", "job": "crawl"}, 0.1, ValueError("no page")))

    assert subsegment["fault"] is True
    assert subsegment["cause"]["exceptions"][0]["message"] == "no page"


def test_an_annotation_is_no_longer_than_x_ray_takes(recorded):
    (subsegment,) = recorded(
        ({"stream": "fetch", "url": "https://a.test/" + "a" * 4000}, 0.1, None)
    )

    assert len(subsegment["annotations"]["url"]) == LONGEST


@pytest.mark.parametrize(
    ("environ", "traced"),
    [
        ({}, False),
        ({context.TRACE_SWITCH: "true"}, False),
        ({context.TRACE_SWITCH: "false"}, True),
    ],
)
def test_only_a_stack_that_asks_is_traced(environ, traced):
    assert (context._traces(environ) is not None) is traced
