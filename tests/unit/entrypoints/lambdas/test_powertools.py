"""What does a function tell CloudWatch?"""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from gossamer.entrypoints.lambdas.powertools import NOTHING_DONE, PowertoolsTelemetry


class Home:
    """A stack in which an invocation costs what it is told."""

    stack = "s"

    def __init__(self, usd: float) -> None:
        self.usd, self.spent = usd, 0

    def spend(self, _sums: Any, _used: Any, _now: float) -> dict[str, float]:
        self.spent += 1
        return {"Cost": self.usd, "WriteUnits": 1.0}

    def take_calls(self) -> dict[str, int]:
        return {}


@pytest.fixture
def told(capsys, monkeypatch):
    """The metrics that an invocation tells."""
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Gossamer")

    def tell(usd: float, **counts: float) -> tuple[set[str], Home]:
        home = Home(usd)
        telemetry = PowertoolsTelemetry(cast("Any", home), lambda: 0.0)
        with telemetry.invocation("schedule", None):
            for name, count in counts.items():
                telemetry.count(name, count)
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        found = [
            line["_aws"]["CloudWatchMetrics"][0]["Metrics"] for line in lines if "_aws" in line
        ]
        return {metric["Name"] for metrics in found for metric in metrics}, home

    return tell


def test_a_call_that_found_nothing_to_do_tells_no_metrics_but_is_counted(told):
    metrics, home = told(NOTHING_DONE / 4, Revisits=0)

    assert not metrics
    assert home.spent == 1


def test_whatever_was_done_is_told_with_its_cost(told):
    assert told(NOTHING_DONE / 4, Messages=1)[0] == {"Messages", "Cost", "WriteUnits"}
    assert told(NOTHING_DONE / 4, apigw=1)[0] == {"Cost", "WriteUnits"}


def test_a_call_that_costs_is_told_even_if_it_counts_nothing(told):
    """A merge, or a ranking."""
    assert told(0.01)[0] == {"Cost", "WriteUnits"}


def test_a_template_that_finds_less_is_a_metric_and_a_line_of_the_log(capsys, monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Gossamer")
    telemetry = PowertoolsTelemetry(cast("Any", Home(0.0)), lambda: 0.0)

    with telemetry.invocation("schedule", None):
        telemetry.template("shop", ["fewer prices"])
        telemetry.template("blog", ["no titles"])

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["TemplateAlarms"] for line in lines if "_aws" in line] == [[2.0]]
    told = {line["template"]: line["alarms"] for line in lines if "template" in line}
    assert told == {"shop": ["fewer prices"], "blog": ["no titles"]}


@pytest.mark.parametrize(("level", "kept"), [("INFO", None), ("WARN", "ERROR"), ("ERROR", "ERROR")])
def test_metrics_are_told_however_little_is_logged(capsys, monkeypatch, level, kept):
    """Lambda drops what is below LogLevel, and takes a line without a level for INFO."""
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Gossamer")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", f"logs-{level}")  # a logger of its own
    monkeypatch.setenv("POWERTOOLS_LOG_LEVEL", level)
    telemetry = PowertoolsTelemetry(cast("Any", Home(1.0)), lambda: 0.0)

    for _ in range(2):
        with telemetry.invocation("schedule", None):
            telemetry.count("Messages")

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = [(line.get("level"), line.get("timestamp")) for line in lines if "_aws" in line]
    assert found == [(kept, kept and "1970-01-01T00:00:00+00:00")] * 2
