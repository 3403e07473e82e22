"""Can a deployed crawl be paused, resumed, stopped and deleted, and is nothing lost?"""

from __future__ import annotations

import json

import pytest

from gossamer.bolts.schedule import schedule
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.main import main
from gossamer.entrypoints.lambdas.context import NoFetcher
from gossamer.homes import aws_ports
from gossamer.messages import Candidate, CrawlRequest, Emission, decode
from tests.unit.entrypoints.moto_stack import (
    STACK,
    add_document,
    add_url,
    aws,
    begin_job,
    deploy,
    home,
)

PAGE = "http://a.test/"
REQUEST = CrawlRequest(job="crawl", host="a.test", urls=[Candidate(PAGE)])


@pytest.fixture(autouse=True)
def stack():
    with aws():
        deploy()
        yield


def steer(capsys, *argv):
    assert main(["--stack", STACK, *argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def waiting(stream="frontier"):
    return [decode(d.body) for d in home().queues.receive(stream, 10, 0.0)]


def test_a_paused_job_parks_what_comes(capsys):
    begin_job()
    add_url(PAGE)

    done = steer(capsys, "pause")

    opened = home()
    assert done == {"job": "crawl", "before": "running", "state": "paused"}
    assert schedule(REQUEST, aws_ports(opened, NoFetcher()), 200.0) == []
    assert opened.frontier.count() == 1


def test_a_resumed_job_wakes_its_hosts_at_once(capsys):
    begin_job()
    add_url(PAGE)
    steer(capsys, "pause")
    home().frontier.park(REQUEST)

    done = steer(capsys, "resume")

    assert (done["before"], done["state"], done["woken"]) == ("paused", "running", 1)
    assert waiting() == [REQUEST]
    assert home().frontier.count() == 0


def test_a_stopped_job_excludes_what_is_parked(capsys):
    begin_job()
    id = add_url(PAGE)
    home().frontier.park(REQUEST)

    done = steer(capsys, "stop")

    record = home().urls.get(id)
    assert done["closed"] == 1
    assert record is not None
    assert (record.state, record.reason) == (State.EXCLUDED, "stopped")
    assert steer(capsys, "stats")["by_state"] == {"excluded": 1}


def test_a_stopped_job_that_is_resumed_takes_up_what_the_stop_excluded(capsys):
    begin_job(seeds=[PAGE])
    id = add_url(PAGE)
    home().frontier.park(REQUEST)
    steer(capsys, "stop")

    done = steer(capsys, "resume")

    record = home().urls.get(id)
    assert done["reopened"] == 1
    assert record is not None
    assert record.state is State.DISCOVERED
    assert waiting() == [REQUEST]


def test_a_job_that_has_ended_cannot_be_paused(capsys):
    begin_job()
    home().jobs.set_state("crawl", "finished")

    assert main(["--stack", STACK, "pause"]) == 2
    assert "finished" in capsys.readouterr().err


def test_purge_without_yes_deletes_nothing(capsys):
    begin_job()
    id = add_url(PAGE)

    assert main(["--stack", STACK, "purge"]) == 2
    assert home().urls.get(id) is not None


def test_purge_deletes_a_collection_and_leaves_the_others(capsys):
    from gossamer.entrypoints.cli.stack.home import open_stack

    begin_job()
    add_url(PAGE, State.PARSED, "document")
    add_document(PAGE, "Silk")
    opened = home()
    opened.frontier.park(REQUEST)
    opened.index.put_ranks(b"\x00" * 10)
    opened.queues.send([Emission("frontier", REQUEST)], 0.0)
    for name in ("warc/web/1.warc.gz", "documents/web/1.zst", "warc/webcam/1.warc.gz"):
        opened.clients.call("s3", "PutObject", name, Bucket=opened.bucket, Key=name, Body=b"x")
    other = open_stack(STACK, "webcam").home
    other.contents.own(b"m" * 16, PAGE)
    other.index.put_ranks(b"\x00" * 10)

    done = steer(capsys, "purge", "--yes")

    assert done["objects"] == 2
    assert {n: c for n, c in done["items"].items() if c} == {
        "urls": 1,
        "frontier": 2,
        "documents": 1,
        "jobs": 2,
        "stats": 1,
        "segments": 1,
        "pagerank": 1,
    }
    left = home()
    assert left.urls.get(url_id(PAGE)) is None
    assert left.jobs.names() == []
    assert (left.documents.count(), left.frontier.count()) == (0, 0)
    assert waiting() == []
    assert other.contents.own(b"m" * 16, "http://b.test/") == PAGE
    assert other.index.ranks() == b"\x00" * 10
