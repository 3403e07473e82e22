"""Are templates that find less than before told of, once an hour and no more?"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from gossamer.core.errors import TransientError
from gossamer.core.page.templates.health import Health
from gossamer.entrypoints.lambdas.sqs import Worker
from gossamer.entrypoints.lambdas.telemetry import Telemetry
from gossamer.entrypoints.lambdas.template_watch import EVERY, watch_templates

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from unittest.mock import Mock

LOOK = "gossamer.entrypoints.lambdas.template_watch.healths"


class Told(Telemetry):
    """Telemetry that keeps what it was told of templates."""

    def __init__(self) -> None:
        self.alarms: list[tuple[str, list[str]]] = []

    def template(self, name: str, alarms: Sequence[str]) -> None:
        self.alarms.append((name, [*alarms]))


@pytest.fixture
def worker(world, clock) -> Worker:
    return Worker(world().ports, clock, telemetry=Told())


@pytest.fixture
def look() -> Iterator[Mock]:
    bad = Health("shop", 20, 20, 1.0, 1.0, 0.0, 0.0, {}, {}, ["fewer prices"])
    good = Health("blog", 20, 20, 1.0, 1.0, 0.0, 0.0, {}, {}, [])
    with patch(LOOK, return_value=[bad, good]) as looked:
        yield looked


def test_only_templates_with_an_alarm_are_told_of(worker, look):
    watch_templates(worker, 0.0, has_finished=False)

    assert worker.telemetry.alarms == [("shop", ["fewer prices"])]


def test_they_are_looked_at_once_an_hour_and_at_the_end_of_a_job(worker, look):
    for now, finished, looks in (
        (0.0, False, 1),
        (60.0, False, 1),
        (120.0, True, 2),
        (EVERY + 119.0, False, 2),
        (EVERY + 120.0, False, 3),
    ):
        watch_templates(worker, now, has_finished=finished)
        assert look.call_count == looks, now


def test_a_store_that_cannot_answer_now_is_asked_by_the_next_call(worker, look):
    look.side_effect = TransientError("throttled")
    watch_templates(worker, 0.0, has_finished=False)
    look.side_effect = None
    watch_templates(worker, 60.0, has_finished=False)

    assert worker.telemetry.alarms == [("shop", ["fewer prices"])]
