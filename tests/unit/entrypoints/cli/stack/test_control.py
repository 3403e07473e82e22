"""Can a deployed crawl be paused, resumed and stopped, and is nothing lost?"""

from __future__ import annotations

import pytest

from gossamer.bolts.schedule import schedule
from gossamer.core.crawl.url_state import State
from gossamer.entrypoints.lambdas.context import NoFetcher
from gossamer.messages import Candidate, CrawlRequest, decode
from gossamer.ports import Ports
from tests.unit.entrypoints.moto_stack import STACK, add_url, begin_job, home, result, run

PAGE = "http://a.test/"
REQUEST = CrawlRequest(job="crawl", host="a.test", urls=[Candidate(PAGE)])


pytestmark = pytest.mark.usefixtures("stack")


def waiting(stream="frontier"):
    return [decode(d.body) for d in home().queues.receive(stream, 10, 0.0)]


def test_a_paused_job_parks_what_comes(capsys):
    begin_job()
    add_url(PAGE)

    done = result(capsys, "pause")

    opened = home()
    assert done == {"job": "crawl", "before": "running", "state": "paused"}
    assert schedule(REQUEST, Ports(opened, NoFetcher()), 200.0) == []
    assert opened.frontier.count() == 1


def test_a_resumed_job_wakes_its_hosts_at_once(capsys):
    begin_job()
    add_url(PAGE)
    result(capsys, "pause")
    home().frontier.park(REQUEST)

    done = result(capsys, "resume")

    assert (done["before"], done["state"], done["woken"]) == ("paused", "running", 1)
    assert waiting() == [REQUEST]
    assert home().frontier.count() == 0


def test_a_stopped_job_excludes_what_is_parked(capsys):
    begin_job()
    id = add_url(PAGE)
    home().frontier.park(REQUEST)

    done = result(capsys, "stop")

    record = home().urls.get(id)
    assert done["closed"] == 1
    assert record is not None
    assert (record.state, record.reason) == (State.EXCLUDED, "stopped")
    assert result(capsys, "stats")["by_state"] == {"excluded": 1}


def test_a_stopped_job_that_is_resumed_takes_up_what_the_stop_excluded(capsys):
    begin_job(seeds=[PAGE])
    id = add_url(PAGE)
    home().frontier.park(REQUEST)
    result(capsys, "stop")

    done = result(capsys, "resume")

    record = home().urls.get(id)
    assert done["reopened"] == 1
    assert record is not None
    assert record.state is State.DISCOVERED
    assert waiting() == [REQUEST]


def test_a_job_that_has_ended_cannot_be_paused(capsys):
    begin_job()
    home().jobs.set_state("crawl", "finished")

    code, _, err = run(capsys, "--stack", STACK, "pause")

    assert code == 2
    assert "finished" in err
