"""Can a deployed crawl be paused, resumed and stopped, and is nothing lost?"""

from __future__ import annotations

import time

import pytest

from gossamer.bolts.schedule import schedule
from gossamer.core.crawl.url_state import State
from gossamer.entrypoints.lambdas.context import NoFetcher
from gossamer.entrypoints.lambdas.money import Guard
from gossamer.messages import Candidate, CrawlRequest, decode
from gossamer.ports import Ports
from gossamer.ports.admin.stack import Used
from tests.unit.entrypoints import moto_stack
from tests.unit.entrypoints.moto_stack import STACK, add_url, begin_job, home, job, result, run

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


def spend(usd):
    home().spend({}, Used(gb_seconds=usd / 0.0000133334, jobs={"crawl": 1}), time.time())


def pause_for_money(limit=1.0, spent=2.0):
    begin_job(max_usd=limit)
    spend(spent)
    Guard(home()).tend(job(), time.time())
    assert (job().state, job().reason) == ("paused", "max-usd")


def test_a_job_without_money_does_not_resume(capsys):
    pause_for_money()

    code, _, err = run(capsys, "--stack", STACK, "resume")

    assert code == 2
    assert "has cost $2.0000 of its max_usd = 1, with what is under way; give it more" in err
    assert job().state == "paused"


def test_a_higher_limit_resumes_a_job(capsys):
    pause_for_money()

    done = result(capsys, "resume", "--max-usd", "3")

    assert (done["before"], done["state"], job().config.max_usd) == ("paused", "running", 3.0)


def test_a_limit_that_is_spent_already_changes_nothing(capsys):
    pause_for_money()

    code, _, _ = run(capsys, "--stack", STACK, "resume", "--max-usd", "1.5")

    assert (code, job().state, job().config.max_usd) == (2, "paused", 1.0)


def test_a_job_does_not_resume_in_a_day_whose_money_is_spent(capsys, monkeypatch):
    monkeypatch.setitem(moto_stack.PARAMETERS, "DailyBudget", "1.5")
    monkeypatch.setitem(moto_stack.PARAMETERS, "OverBudget", "pause")
    begin_job()
    spend(2.0)

    code, _, err = run(capsys, "--stack", STACK, "resume")

    assert code == 2
    assert "DailyBudget is 1.5; jobs go on after midnight UTC" in err


def test_seeding_with_a_higher_limit_goes_on_and_says_what_it_will_cost(capsys):
    pause_for_money()

    done = result(capsys, "crawl", PAGE, "--max-usd", "30", "--max-pages", "1000000")

    assert done["state"] == "running"
    assert (
        "1,000,000 pages will cost about $60.00 (an estimate); max_usd = 30"
        in (done["expectation"])
    )


def test_the_report_and_the_explanation_say_why_a_job_stands(capsys):
    pause_for_money()
    add_url(PAGE)

    found = result(capsys, "stats")
    _, text, _ = run(capsys, "--stack", STACK, "stats")
    explained = result(capsys, "explain-url", PAGE)

    assert (found["state"], found["reason"], found["max_usd"]) == ("paused", "max-usd", 1.0)
    assert found["usd"] == pytest.approx(2.0, rel=0.001)
    assert "resume --max-usd" in text
    assert "$2.0000 of $1 for this job" in text
    assert "job 'crawl' is paused: the job has cost its max_usd" in explained["explanation"]


def test_money_is_no_limit_on_this_machine(capsys, tmp_path):
    code, _, err = run(capsys, "crawl", PAGE, "--max-usd", "1", "--data", str(tmp_path))

    assert code == 2
    assert "--max-usd is for a stack in AWS" in err
