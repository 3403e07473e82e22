"""When does a process find that searches have cost their budget, and when that a day has begun?"""

from __future__ import annotations

import pytest

from gossamer.core.cost.limits import DAY
from gossamer.core.errors import Throttled
from gossamer.entrypoints.allowance import LOOK_EVERY, SearchAllowance
from gossamer.ports.admin.stack import Spent, Used
from tests.aws_backend import MotoBackend
from tests.pump import VirtualClock


@pytest.fixture
def home():
    backend = MotoBackend({})
    yield backend.open()
    backend.close()


def allowance(home, clock, daily=1.0):
    return SearchAllowance(home, daily, clock)


def spend(home, clock, usd, *, for_search=True):
    home.spend({}, Used(gb_seconds=usd / 0.0000133334, for_search=for_search), clock())


def test_searches_are_answered_again_after_midnight(home):
    clock = VirtualClock(20_000 * DAY + 3600.0)
    spend(home, clock, 1.1)

    assert allowance(home, clock).closed_for() == pytest.approx(DAY - 3600)
    clock.advance(DAY - 3600)
    assert allowance(home, clock).closed_for() == 0


def test_what_crawls_cost_closes_no_search(home):
    clock = VirtualClock(20_000 * DAY)
    spend(home, clock, 5.0, for_search=False)

    assert allowance(home, clock).closed_for() == 0


def test_without_a_budget_nothing_is_read_and_nothing_refused(home):
    clock = VirtualClock(20_000 * DAY)
    spend(home, clock, 5.0)
    home.take_calls()

    assert allowance(home, clock, daily=0.0).closed_for() == 0
    assert not home.take_calls()


def test_a_process_looks_every_few_seconds(home):
    clock = VirtualClock(20_000 * DAY)
    looking = allowance(home, clock)
    assert looking.closed_for() == 0
    spend(home, clock, 1.1)

    assert looking.closed_for() == 0
    clock.advance(LOOK_EVERY)
    assert looking.closed_for() > 0


class Throttling:
    """A home whose sums can be read once."""

    reads = 0

    def spent_since(self, *_: float) -> Spent:
        self.reads += 1
        if self.reads > 1:
            raise Throttled("too many reads")
        return Spent(search=2.0)


def test_a_look_that_fails_changes_nothing():
    clock = VirtualClock(20_000 * DAY)
    looking = allowance(Throttling(), clock)
    assert looking.closed_for() > 0
    clock.advance(LOOK_EVERY)

    assert looking.closed_for() > 0
