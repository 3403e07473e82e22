"""What does a stack ask of AWS while it has nothing to do? `cost --idle` must say the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer.adapters.aws.sqs.readers import POLLS, RESTS
from gossamer.core.cost.standing import LOGGED_BY_LAMBDA, TICKS
from gossamer.entrypoints.lambdas.compact import NO_ORPHANS_AFTER
from tests.functions.rehearsal import Rehearsal
from tests.functions.stories import first_crawl

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMES = 5
CALLS: dict[str, tuple[str, Any, float]] = {
    "SCHEDULE each minute": ("schedule", {"sweep": True}, 60.0),
    "COMPACT each five minutes": ("compact", {"compact": True}, 300.0),
    "COMPACT each quarter of an hour, for small WARC objects": ("compact", {"pages": True}, 900.0),
}


@pytest.fixture(scope="module")
def idle() -> Iterator[Rehearsal]:
    """A stack whose only crawl has ended days ago."""
    stack = Rehearsal()
    first_crawl(stack)
    stack.clock.advance(NO_ORPHANS_AFTER + 60.0)
    for _ in range(3):  # what is left of the crawl: counts, hours, small segments
        for name in CALLS:
            call(stack, name)
    yield stack
    stack.close()


def call(stack: Rehearsal, name: str) -> None:
    function, event, wait = CALLS[name]
    if function == "schedule":
        stack.sweep()
    else:
        stack.invoke(function, event)
    stack.clock.advance(wait)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_finds_nothing_to_do_asks_for_what_the_bill_says(idle, name):
    _, told = TICKS[name]
    before = idle.person.sums()
    idle.logged.clear()

    for _ in range(TIMES):
        call(idle, name)

    after = idle.person.sums()
    for unit in ("wru", "rru", "sqs", "s3put", "s3get"):
        asked = (after[unit] - before[unit]) / TIMES
        assert 0.75 * told.get(unit, 0.0) <= asked <= told.get(unit, 0.0), unit
    logged = idle.logged.total() / TIMES + LOGGED_BY_LAMBDA
    assert logged == pytest.approx(told["logs"], rel=0.15)


def test_every_schedule_has_its_line():
    assert set(CALLS) == set(TICKS)


def test_merges_are_looked_for_only_while_there_are_some(idle):
    assert idle.reader.state == RESTS

    idle.put("merge", "a task that someone sent again")
    idle.invoke("compact", {"compact": True})
    assert idle.reader.state == POLLS

    idle.deliver("merge")
    idle.invoke("compact", {"compact": True})
    assert idle.reader.state == RESTS
