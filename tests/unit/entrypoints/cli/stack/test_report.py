"""Is the report of a stack right about its speed, and readable?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.cli.stack.home import open_stack
from gossamer.entrypoints.cli.stack.report import stack_report, stack_summary
from tests.unit.entrypoints.moto_stack import STACK, begin_job, home, job

pytestmark = pytest.mark.usefixtures("stack")
NOON = 12 * 3600.0


def test_the_speed_is_that_of_the_last_hours_alone():
    begin_job()  # hours ago
    stack = open_stack(STACK)
    home().counters.add({"pages": 5000}, NOON - 3 * 3600)
    home().counters.add({"pages": 180}, NOON - 1800)

    report = stack_report(stack, job(), NOON + 1800)

    assert report.pages == 5180
    assert report.pages_per_minute == 2.0  # 180 pages in 90 minutes


def test_dead_letters_are_counted_and_the_remedy_is_named():
    begin_job()
    stack = open_stack(STACK)
    report = stack_report(stack, job(), NOON)
    report.dead_letters = 3

    text = stack_summary(report)

    assert text.startswith("crawl: running, ")
    assert "3 dead letters: see `gossamer redrive`" in text
