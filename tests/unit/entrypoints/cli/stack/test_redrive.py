"""Do dead letters come back with the URLs that ended because of them, and with nothing else?"""

from __future__ import annotations

import json

import pytest

from gossamer.core.crawl.url_record import PageRef
from gossamer.core.crawl.url_state import State
from gossamer.entrypoints.cli.main import main
from gossamer.entrypoints.dispatch import end_dead_letter
from gossamer.entrypoints.lambdas.context import NoFetcher
from gossamer.messages import (
    Candidate,
    CrawlRequest,
    DocumentParsed,
    FetchRequest,
    Link,
    LinksFound,
    PageFetched,
    decode,
    encode,
)
from gossamer.ports import Ports
from gossamer.ports.queues import Delivery
from tests.unit.entrypoints.moto_stack import STACK, add_url, aws, begin_job, deploy, home, job

PAGE = "http://a.test/"
CRAWL = CrawlRequest(job="crawl", host="a.test", urls=[Candidate(PAGE)])
FETCH = FetchRequest(
    job="crawl", host="a.test", candidate=Candidate(PAGE), slot=100.0, delay=1.0, grace=1.0
)
FETCHED = PageFetched(job="crawl", url=PAGE, page=PageRef("f", 0, 9), depth=0, fetched_at=100.0)
LINKS = LinksFound(job="crawl", source=PAGE, depth=0, via="page", links=[Link("http://a.test/x")])
PARSED = DocumentParsed(job="crawl", url=PAGE, fetched_at=100.0)
BY_STREAM = {"frontier": CRAWL, "fetch": FETCH, "parse": FETCHED, "links": LINKS, "index": PARSED}


@pytest.fixture(autouse=True)
def stack():
    with aws():
        deploy()
        yield


def bury(stream, message, reason="ValueError: no"):
    """What a handler does with a message that failed too often."""
    opened = home()
    body = message if isinstance(message, bytes) else encode(message)
    if not isinstance(message, bytes):
        end_dead_letter(message, Ports(opened, NoFetcher()), 200.0)
    opened.queues.bury(stream, Delivery("", body, 4), reason, 200.0)
    opened.close()


def redrive(capsys, *flags, code=0):
    assert main(["--stack", STACK, "redrive", *flags, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def received(stream):
    return [decode(d.body) for d in home().queues.receive(stream, 10, 0.0)]


def stands(id):
    record = home().urls.get(id)
    assert record is not None
    return record.state, record.reason


@pytest.mark.parametrize("stream", sorted(BY_STREAM))
def test_a_letter_goes_back_into_its_stream_as_it_was(capsys, stream):
    begin_job()
    bury(stream, BY_STREAM[stream])

    done = redrive(capsys)

    assert {name: n for name, n in done["sent"].items() if n} == {stream: 1}
    assert received(stream) == [BY_STREAM[stream]]
    assert home().queues.dead_counts()[stream] == 0


@pytest.mark.parametrize(
    ("stream", "before", "after"),
    [
        ("frontier", State.DISCOVERED, State.DISCOVERED),
        ("fetch", State.FETCHING, State.DISCOVERED),
        ("parse", State.FETCHED, State.FETCHED),
    ],
)
def test_a_url_that_ended_with_its_letter_is_opened_again(capsys, stream, before, after):
    begin_job()
    id = add_url(PAGE, before)
    bury(stream, BY_STREAM[stream])
    assert stands(id) == (State.FAILED, "dead-letter")

    done = redrive(capsys)

    assert done["reopened"] == 1
    assert stands(id) == (after, "")
    assert main(["--stack", STACK, "stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["by_state"] == {after.value: 1}


@pytest.mark.parametrize(
    ("state", "reason"), [(State.FAILED, "timeout"), (State.PARSED, "document")]
)
@pytest.mark.parametrize("stream", ["frontier", "fetch", "parse"])
def test_a_url_that_ended_otherwise_stays_as_it_is(capsys, stream, state, reason):
    begin_job()
    id = add_url(PAGE, state, reason)
    bury(stream, BY_STREAM[stream])

    assert redrive(capsys)["reopened"] == 0
    assert stands(id) == (state, reason)


def test_the_unit_of_a_document_is_taken_again(capsys):
    begin_job(max_documents=5)
    id = add_url(PAGE, State.FETCHED)
    home().jobs.reserve("crawl", [id])
    bury("parse", FETCHED)
    assert job().documents_left == 5

    redrive(capsys)

    assert job().documents_left == 4


def test_what_cannot_be_read_stays_and_is_listed_with_its_reason(capsys):
    bury("frontier", b"{not json", "UndecodableMessage: not a message of ours")
    bury("frontier", encode(LINKS), "")

    done = redrive(capsys, code=1)
    again = redrive(capsys, code=1)

    assert sorted(kept["reason"] for kept in done["kept"]) == [
        "UndecodableMessage: not a message of ours",
        "unknown",
    ]
    assert len(again["kept"]) == 2
    assert done["kept"][0]["stream"] == "frontier"
    assert received("frontier") == []


def test_what_cannot_be_read_is_dropped_on_demand(capsys):
    bury("frontier", b"{not json")

    done = redrive(capsys, "--drop-undecodable")

    assert done["dropped"] == 1
    assert redrive(capsys) == {"sent": {}, "reopened": 0, "kept": [], "dropped": 0}


@pytest.mark.parametrize(("before", "after"), [("finished", "running"), ("stopped", "stopped")])
def test_a_finished_job_goes_on_and_a_stopped_one_does_not(capsys, before, after):
    begin_job()
    home().jobs.set_state("crawl", before)
    bury("frontier", CRAWL)

    redrive(capsys)

    assert job().state == after


def test_more_letters_than_a_batch_all_come_back(capsys):
    begin_job()
    opened = home()
    for _ in range(23):
        opened.queues.bury("links", Delivery("", encode(LINKS), 4), "", 200.0)

    assert redrive(capsys)["sent"] == {"links": 23}
    assert home().queues.depth()["links"] == 23


def test_a_person_reads_what_was_sent_where(capsys):
    begin_job()
    bury("links", LINKS)
    bury("index", b"?")

    assert main(["--stack", STACK, "redrive"]) == 1

    out = capsys.readouterr().out
    assert "1  sent again to links" in out
    assert "1  cannot be read: kept" in out
    assert "index: ValueError: no: ?" in out
