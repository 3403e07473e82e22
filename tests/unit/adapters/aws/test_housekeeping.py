"""What does a minute of SCHEDULE cost in a stack, and who gets a turn in it?"""

from __future__ import annotations

import os
from unittest.mock import patch

import pytest
from moto import mock_aws

from gossamer.adapters.aws.home import AwsHome
from gossamer.adapters.aws.sqs.queues import SqsQueues
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.urls import url_id
from gossamer.entrypoints.lambdas.context import NoFetcher
from gossamer.entrypoints.lambdas.schedule import tend
from gossamer.entrypoints.lambdas.sqs import Worker
from gossamer.homes import decode_body
from gossamer.messages import MAX_PACK, Candidate, CrawlRequest
from gossamer.ports import Ports
from scripts.create_stack import create_stack
from tests.aws_backend import ENVIRONMENT, moto_clients

NOW = 1_000_000.0


@pytest.fixture
def home():
    with patch.dict(os.environ, ENVIRONMENT), mock_aws():
        clients = moto_clients()
        queues = create_stack(clients, "housekeeping")
        yield AwsHome("housekeeping", "housekeeping", "web", decode_body, queues, clients=clients)


def minute(home, now=NOW):
    """One call of SCHEDULE; what it answers, and the calls that it makes."""
    home.take_calls()
    states = tend(Worker(Ports(home, NoFetcher()), lambda: now), wait=lambda _seconds: None)
    return states, home.take_calls()


def park(home, host, job="web", until=0.0):
    url = f"http://{host}/"
    home.urls.add([Discovery(url_id(url), url, host, 1, job=job)], b"", NOW)
    home.frontier.park(CrawlRequest(job=job, host=host, urls=[Candidate(url, 1)]), until)


def begin(home, *names):
    for number, name in enumerate(names):
        home.jobs.configure(name, JobConfig(), NOW + number)


def test_stopped_jobs_cost_one_pass_together_and_then_nothing(home):
    begin(home, *(f"old{n}" for n in range(5)), "web")
    park(home, "a.test", "old0", until=NOW + 500)
    park(home, "b.test", "old3", until=NOW + 500)
    park(home, "c.test", until=NOW + 500)
    for number in range(5):
        home.jobs.set_state(f"old{number}", "stopped")

    _, first = minute(home)
    states, second = minute(home)

    assert first["dynamodb:Scan frontier"] == 1
    assert "dynamodb:Scan frontier" not in second
    assert not any(call.startswith("dynamodb:Scan") for call in second)
    assert states == {"web": "running"}
    assert home.jobs.get("old3").state == "stopped"
    ended = [home.urls.get(url_id(f"http://{h}.test/")).reason for h in "abc"]
    assert ended == ["stopped", "stopped", ""]


def test_an_end_that_takes_longer_than_one_call_goes_on_in_the_next(home, monkeypatch):
    monkeypatch.setattr("gossamer.entrypoints.lambdas.schedule.SWEEP_SECONDS", 0.0)
    monkeypatch.setattr("gossamer.adapters.aws.home.AT_ONCE", 2)
    begin(home, "web")
    for number in range(5):
        park(home, f"{number}.test", until=NOW + 500)
    home.jobs.set_state("web", "stopped")

    counts = []
    while home.jobs.to_tend():
        minute(home)
        counts.append(home.frontier.count())

    assert counts[:3] == [3, 1, 0]
    assert len(counts) <= 4  # the last one may find that there is no more


def test_no_more_hosts_are_woken_than_the_queue_can_take(home, monkeypatch):
    monkeypatch.setattr("gossamer.entrypoints.lambdas.schedule.FULL", 5)
    begin(home, "web")
    for number in range(8):
        park(home, f"{number}.test")

    depths = []
    for _ in range(2):
        minute(home)
        depths.append(home.queues.depth()["frontier"])
    assert depths == [5, 5]

    home.queues.acknowledge(home.queues.receive("frontier", 5, NOW))
    minute(home)
    assert home.queues.depth()["frontier"] == 3
    assert not home.frontier.has_packs()


def test_no_more_hosts_are_woken_than_fetch_can_ask_in_time(home, monkeypatch):
    monkeypatch.setattr(SqsQueues, "room", lambda *_: 2.5 * MAX_PACK)
    begin(home, "web")
    for number in range(8):
        park(home, f"{number}.test")

    minute(home)

    assert home.queues.depth()["frontier"] == 2


def test_a_live_job_gets_its_turn_beside_a_paused_one_with_many_hosts(home, monkeypatch):
    monkeypatch.setattr("gossamer.entrypoints.lambdas.schedule.CHUNK", 2)
    begin(home, "asleep", "web")
    for number in range(5):
        park(home, f"{number}.test", "asleep")
    park(home, "z.test")
    home.jobs.set_state("asleep", "paused")

    minute(home)
    (woken,) = home.queues.receive("frontier", 10, NOW)
    _, later = minute(home, NOW + 60)

    assert b"z.test" in woken.body
    assert "dynamodb:BatchGetItem frontier" not in later  # none of them is due
    home.jobs.set_state("asleep", "running")
    minute(home, NOW + 901)
    assert home.queues.depth()["frontier"] == 6


def test_a_minute_in_which_nothing_is_due_reads_no_host(home):
    begin(home, "web")
    for number in range(30):
        park(home, f"{number}.test", until=NOW + 5000)
    minute(home)
    home.meter.reset()

    minute(home)

    units = {key[1:]: n for key, n in home.meter.units.items() if key[0] == "rru"}
    assert sum(n for (table, _), n in units.items() if table.startswith("frontier")) <= 3.0
