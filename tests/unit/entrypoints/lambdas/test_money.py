"""Are jobs of a stack kept within their money: paused at the limit, and going on when they may?"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gossamer.core.cost.limits import DAY
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.lambdas.money import LOOK_EVERY, Guard
from gossamer.entrypoints.lambdas.schedule import tend
from gossamer.entrypoints.lambdas.sqs import Worker
from gossamer.ports import Ports
from gossamer.ports.admin.stack import Used
from tests.aws_backend import MotoBackend
from tests.topology.template import allowed_calls, load

NOW = 20_000 * DAY + 36_000.0
JOB = "web"


@pytest.fixture
def home():
    backend = MotoBackend({})
    yield backend.open()
    backend.close()


def begin(home, job=JOB, **config):
    home.jobs.configure(job, JobConfig(**config), NOW - 3600)


def spend(home, usd, now=NOW, **jobs):
    """An invocation that cost so much, in time of Lambda's."""
    home.spend({}, Used(gb_seconds=usd / 0.0000133334, jobs=jobs or {JOB: 1}), now)


def stands(home, job=JOB):
    record = home.jobs.get(job)
    return record.state, record.reason


def look(home, daily=0.0, now=NOW, bolt="fetch", job=JOB):
    Guard(home, daily).after(bolt, [job], now)
    return stands(home, job)


def test_a_job_pauses_when_it_has_cost_its_limit(home):
    begin(home, max_usd=1.0)
    spend(home, 0.5)
    assert look(home) == ("running", "")

    spend(home, 0.5)
    assert look(home) == ("paused", "max-usd")


def test_what_is_under_way_is_kept_back(home):
    begin(home, max_usd=1.0)
    spend(home, 0.7)
    assert look(home) == ("running", "")

    home.spend({}, Used(jobs={JOB: 1}, to_come={JOB: 0.3}), NOW)
    assert look(home) == ("paused", "max-usd")


def test_what_is_under_way_and_done_later_is_kept_back_no_more(home):
    begin(home, max_usd=1.0)
    spend(home, 0.7)
    for change in (0.3, -0.2):
        home.spend({}, Used(jobs={JOB: 1}, to_come={JOB: change}), NOW)

    assert home.to_come(JOB, NOW) == pytest.approx(0.1)
    assert look(home) == ("running", "")


def test_many_booked_requests_leave_a_job_half_of_its_money(home):
    begin(home, max_usd=1.0)
    spend(home, 0.4)
    home.spend({}, Used(jobs={JOB: 1}, to_come={JOB: 50.0}), NOW)

    assert look(home) == ("running", "")


def test_a_job_without_a_limit_goes_on(home):
    begin(home)
    spend(home, 1000.0)

    assert look(home) == ("running", "")


def test_the_bill_of_an_invocation_is_shared_by_messages(home):
    begin(home)
    begin(home, "other")
    spend(home, 4.0, web=3, other=1)

    shares = [home.spent(job, NOW) for job in (JOB, "other")]

    assert shares == pytest.approx([3.0, 1.0], rel=0.001)
    assert home.spent_since(NOW, NOW).crawl == pytest.approx(4.0, rel=0.001)


def test_what_a_job_cost_counts_for_ever(home):
    """Also when the hours were added up, and when a new round has begun."""
    begin(home, max_usd=1.0)
    spend(home, 0.7, NOW - 40 * DAY)
    home.counters.totals(NOW)
    home.jobs.begin_round(JOB, NOW)
    spend(home, 0.4)

    assert home.spent(JOB, NOW) == pytest.approx(1.1, rel=0.001)
    assert look(home) == ("paused", "max-usd")


def test_an_hour_that_is_over_is_read_once(home):
    begin(home, max_usd=1.0)
    spend(home, 0.1, NOW - 7200)
    guard = Guard(home, 5.0)
    guard.after("fetch", [JOB], NOW)
    home.meter.reset()

    guard.after("fetch", [JOB], NOW + LOOK_EVERY)

    assert home.meter.totals()["rru"] <= 10  # the job, and the present hour twice


def test_a_process_does_not_look_at_every_message(home):
    begin(home, max_usd=1.0)
    guard = Guard(home)
    guard.after("fetch", [JOB], NOW)
    spend(home, 2.0)

    guard.after("fetch", [JOB], NOW + LOOK_EVERY - 0.1)
    assert stands(home) == ("running", "")
    guard.after("fetch", [JOB], NOW + LOOK_EVERY)
    assert stands(home) == ("paused", "max-usd")


def test_only_functions_that_may_look_do(home):
    begin(home, max_usd=1.0)
    spend(home, 2.0)
    home.meter.reset()

    assert look(home, bolt="parse") == ("running", "")


@pytest.mark.parametrize("function", ["schedule", "fetch"])
def test_a_function_may_do_what_looking_takes(home, function):
    begin(home, max_usd=1.0)
    spend(home, 2.0)
    spend(home, 1.0, NOW - 50 * 3600)
    home.meter.reset()
    Guard(home, 1.0).after(function, [JOB], NOW)
    if function == "schedule":
        Guard(home, 1.0).tend(home.jobs.get(JOB), NOW)

    assert set(home.meter.calls) <= allowed_calls(load())[function]


def test_a_daily_limit_pauses_until_the_next_day(home):
    begin(home)
    spend(home, 3.0)
    guard = Guard(home, 2.0)

    guard.tend(home.jobs.get(JOB), NOW)
    assert stands(home) == ("paused", "daily-usd")

    guard.tend(home.jobs.get(JOB), NOW + 3600)
    assert stands(home) == ("paused", "daily-usd")

    guard.tend(home.jobs.get(JOB), NOW + DAY)
    assert stands(home) == ("running", "")


def test_a_higher_daily_limit_ends_the_pause(home):
    begin(home)
    spend(home, 3.0)
    Guard(home, 2.0).tend(home.jobs.get(JOB), NOW)

    Guard(home, 4.0).tend(home.jobs.get(JOB), NOW)

    assert stands(home) == ("running", "")


@pytest.mark.parametrize(
    ("state", "reason"), [("paused", ""), ("stopped", "stopped"), ("finished", "")]
)
def test_what_a_person_or_the_end_decided_stays(home, state, reason):
    begin(home, max_usd=1.0)
    spend(home, 3.0)
    home.jobs.set_state(JOB, state, reason)

    Guard(home, 2.0).tend(home.jobs.get(JOB), NOW)
    Guard(home, 0.0).tend(home.jobs.get(JOB), NOW + DAY)

    assert stands(home) == (state, reason)


def test_a_stop_between_a_look_and_its_pause_stays(home):
    begin(home, max_usd=1.0)
    spend(home, 3.0)
    seen = home.jobs.get(JOB)
    home.jobs.set_state(JOB, "stopped", "stopped")

    Guard(home).tend(seen, NOW)

    assert stands(home) == ("stopped", "stopped")


def test_a_job_over_its_own_limit_does_not_go_on_the_next_day(home):
    begin(home, max_usd=1.0)
    spend(home, 3.0)
    guard = Guard(home, 2.0)

    guard.tend(home.jobs.get(JOB), NOW)
    guard.tend(home.jobs.get(JOB), NOW + DAY)

    assert stands(home) == ("paused", "max-usd")


def test_housekeeping_pauses_what_no_function_looked_at(home):
    begin(home, max_usd=1.0)
    spend(home, 3.0)
    clock = SimpleNamespace(at=NOW)
    worker = Worker(Ports(home, None), lambda: clock.at, guard=Guard(home))  # type: ignore[arg-type]

    assert tend(worker, wait=lambda _: None) == {JOB: "paused"}


def test_without_limits_nothing_is_read(home):
    begin(home)
    record = home.jobs.get(JOB)
    home.meter.reset()

    Guard(home).tend(record, NOW)

    assert not home.meter.calls
