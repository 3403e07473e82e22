"""Does a crawl say that it waits when its clock goes back, and count its seconds all the same?"""

from __future__ import annotations

import io
import time

import pytest

from gossamer.adapters.local.home import LocalHome
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.local.progress import Progress
from gossamer.entrypoints.local.report import report, summary
from gossamer.entrypoints.local.runner import Runner
from gossamer.homes import decode_body
from gossamer.messages import Candidate, CrawlRequest
from gossamer.ports import Ports
from tests.pump import ScriptedFetcher, VirtualClock

JOB, HOST = "crawl", "a.test"
HOUR = 3600.0


@pytest.fixture
def clock():
    return VirtualClock(100_000.0)


@pytest.fixture
def timer():
    return VirtualClock(5.0)


@pytest.fixture
def home(tmp_path, clock):
    home = LocalHome(tmp_path / "web.db", tmp_path / "warc", decode_body)
    home.jobs.configure(JOB, JobConfig(seeds=["http://a.test/"]), clock())
    request = CrawlRequest(job=JOB, host=HOST, urls=[Candidate("http://a.test/")])
    home.frontier.park(request, until=clock() + HOUR)
    yield home
    home.close()


@pytest.fixture
async def runner(home, clock, timer):
    return Runner(home, Ports(home, ScriptedFetcher(clock, {})), JOB, clock, timer=timer)


async def test_a_clock_that_goes_back_is_told_and_parked_hosts_are_looked_at(
    home, runner, clock, caplog
):
    clock.at -= HOUR

    runner._turn()

    assert "the clock went back by 1 h 00 min" in caplog.text
    assert home.frontier.next_at() < clock() + HOUR


async def test_a_clock_that_is_a_little_slower_is_not_told(home, runner, clock, caplog):
    clock.at -= 0.5

    runner._turn()

    assert not caplog.text
    assert home.frontier.next_at() == clock() + 0.5 + HOUR


async def test_the_seconds_of_a_crawl_are_counted_whatever_its_clock_says(runner, clock, timer):
    clock.at -= 24 * HOUR
    timer.advance(7.0)

    assert runner.seconds == 7.0


async def test_what_is_done_now_and_then_is_done_though_the_clock_goes_back(
    home, runner, clock, timer
):
    runner._turn()
    clock.at -= 24 * HOUR
    timer.advance(1.0)
    home.leave_command(JOB, "pause")

    runner._turn()

    assert runner.record.state == "paused"


async def test_a_crawl_that_only_waits_names_the_host_and_the_time(home, runner, clock):
    home.hosts.change(HOST, HostChange(next_slot=clock() + 300.0))
    out = io.StringIO()

    Progress(out, live=False).close(runner)

    at = time.strftime("%H:%M:%S", time.localtime(clock() + 300.0))
    assert out.getvalue().startswith(f"Waiting for a.test until {at}: 0 pages")


async def test_a_crawl_that_waits_for_its_usual_delay_is_crawling(home, runner, clock):
    home.hosts.change(HOST, HostChange(next_slot=clock() + 1.0))
    out = io.StringIO()

    Progress(out, live=False).close(runner)

    assert out.getvalue().startswith("Crawling: 0 pages")


def test_a_report_says_how_long_a_host_is_waited_for(home):
    home.hosts.change(HOST, HostChange(next_slot=time.time() + HOUR))
    home.hosts.change("b.test", HostChange(next_slot=time.time() + 1.0))

    done = report(home, JOB)

    assert list(done.hosts_waiting) == [HOST]
    assert HOUR - 60 < done.hosts_waiting[HOST] <= HOUR
    assert "waits for a.test, which is asked again in" in summary(done)
