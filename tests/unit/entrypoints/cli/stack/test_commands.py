"""Does `gossamer --stack NAME` say what a deployed crawl does?"""

from __future__ import annotations

import csv
import io
import json

import pytest

from gossamer.core.crawl.url_state import State
from gossamer.core.index.impacts import WEIGHTS
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.main import COMMANDS, main
from gossamer.entrypoints.cli.stack.commands import INSTEAD
from gossamer.messages import Candidate, CrawlRequest, Emission, Link
from tests.unit.entrypoints.moto_stack import (
    STACK,
    CloudFormation,
    add_document,
    add_url,
    aws,
    begin_job,
    deploy,
    home,
)

PAGE = "http://a.test/"


@pytest.fixture
def stack():
    with aws():
        deploy()
        yield STACK


def run(capsys, *argv):
    """Exit code, what was printed, and what was complained about."""
    code = main([*argv])
    out, err = capsys.readouterr()
    return code, out, err


def result(capsys, *argv):
    code, out, err = run(capsys, "--stack", STACK, *argv, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_no_such_stack_is_one_line_and_exit_2(capsys):
    with aws():
        code, out, err = run(capsys, "--stack", "nowhere", "stats")

    assert (code, out) == (2, "")
    assert err == "gossamer: there is no stack 'nowhere' in us-east-1\n"


@pytest.mark.parametrize("missing", ["AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID"])
def test_no_region_or_no_credentials_is_one_line_and_exit_2(capsys, monkeypatch, tmp_path, missing):
    for name, value in {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv(missing)
    if missing == "AWS_ACCESS_KEY_ID":
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

    code, out, err = run(capsys, "stats", "--stack", STACK)

    assert (code, out) == (2, "")
    assert err.startswith("gossamer: AWS is not set up here: ")
    assert err.count("\n") == 1


def test_a_stack_of_somebody_else_is_refused(capsys):
    with aws():
        CloudFormation.stacks["other"] = {}
        code, _, err = run(capsys, "--stack", "other", "stats")

    assert code == 2
    assert "no output PagesBucket" in err


@pytest.mark.parametrize("name", ["", "a b", "-x", "x" * 129])
def test_what_cannot_be_a_name_is_not_asked_for(capsys, name):
    assert run(capsys, f"--stack={name}", "stats")[0] == 2


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_a_command_without_sense_on_a_stack_says_what_to_do_instead(capsys, name):
    more = {"crawl": ["http://a.test/"], "run": ["http://a.test/"], "eval": ["folder"]}
    code, out, err = run(capsys, name, "--stack", STACK, *more.get(name, []))

    assert (code, out) == (2, "")
    assert err == f"gossamer: `gossamer {name}` does not work on a stack: {INSTEAD[name]}\n"


@pytest.mark.parametrize("name", ["cost", "redrive", "purge"])
def test_a_command_only_for_stacks_says_so(capsys, name):
    code, _, err = run(capsys, name)

    assert code == 2
    assert f"`gossamer {name}` needs --stack NAME" in err


def test_every_command_works_on_a_stack_or_says_why_not():
    from gossamer.entrypoints.cli.arguments import ON_STACKS
    from gossamer.entrypoints.cli.stack.commands import COMMANDS as STACKED

    assert set(STACKED) == ON_STACKS
    assert set(STACKED) | set(INSTEAD) == set(COMMANDS)


@pytest.mark.parametrize("argv", [["--stack", STACK, "stats"], ["stats", "--stack", STACK]])
def test_the_stack_is_named_before_or_after_the_command(capsys, stack, argv):
    begin_job()

    assert run(capsys, *argv)[0] == 0


def test_stats_of_a_stack_without_a_job_say_how_to_begin(capsys, stack):
    code, _, err = run(capsys, "--stack", STACK, "stats")

    assert (code, err) == (2, "gossamer: there is no job yet; scripts/enqueue.py begins one\n")


def test_an_unknown_job_is_told_with_those_there_are(capsys, stack):
    begin_job("crawl")

    code, _, err = run(capsys, "--stack", STACK, "stats", "--job", "crwal")

    assert (code, err) == (2, "gossamer: there is no job 'crwal'; jobs there: crawl\n")


def test_stats_count_urls_queues_and_documents(capsys, stack):
    begin_job(max_pages=10)
    add_url(PAGE, State.PARSED, "document")
    add_url("http://a.test/x", State.FAILED, "timeout")
    add_url("http://a.test/y")
    opened = home()
    request = CrawlRequest(job="crawl", host="a.test", urls=[Candidate("http://a.test/y")])
    opened.queues.send([Emission("frontier", request), Emission("frontier", request, 60.0)], 0.0)
    opened.frontier.park(request)
    opened.counters.add({"pages": 3, "requests": 5, "bytes": 1000}, 200.0)

    found = result(capsys, "stats")

    assert found["by_state"] == {"discovered": 1, "failed": 1, "parsed": 1}
    assert found["by_reason"] == {"document": 1, "timeout": 1}
    assert (found["job"], found["state"], found["pages_left"]) == ("crawl", "running", 10)
    assert (found["urls"], found["documents"], found["parked"]) == (3, 1, 1)
    assert found["queues"]["frontier"] == {
        "due": 1,
        "held": 0,
        "delayed": 1,
        "dead": 0,
        "oldest": None,
    }


def test_stats_are_a_page_for_a_person(capsys, stack):
    begin_job()
    add_url("http://a.test/x", State.FAILED, "timeout")

    code, out, _ = run(capsys, "--stack", STACK, "stats")

    assert code == 0
    assert "1  timeout" in out
    assert "the host did not answer in time" in out
    assert "frontier" in out


def test_recount_mends_counts_that_a_dead_function_left_wrong(capsys, stack):
    begin_job()
    add_url(PAGE, State.PARSED, "document")
    home().counters.add_states({"parsed": 41}, {"document": 41})

    assert result(capsys, "stats")["by_state"] == {"parsed": 42}
    assert result(capsys, "stats", "--recount")["by_state"] == {"parsed": 1}


def test_a_url_tells_its_life(capsys, stack):
    begin_job()
    add_url(PAGE, State.FAILED, "timeout", code=0, tries=4)

    life = result(capsys, "explain-url", PAGE)

    assert (life["state"], life["reason"], life["requests"]) == ("failed", "timeout", 4)
    assert life["explanation"] == "the host did not answer in time"


def test_an_unknown_url_is_exit_1(capsys, stack):
    code, out, _ = run(capsys, "--stack", STACK, "explain-url", PAGE)

    assert code == 1
    assert "unknown" in out


def test_urls_leave_as_csv_with_the_page_that_led_to_them(capsys, stack):
    add_url(PAGE)
    opened = home()
    from gossamer.core.crawl.url_record import Discovery

    found = Discovery(url_id("http://a.test/x"), "http://a.test/x", "a.test", 1, job="crawl")
    opened.urls.add([found], url_id(PAGE), 100.0)

    code, out, _ = run(capsys, "--stack", STACK, "export", "--what", "urls")

    rows = {row["url"]: row for row in csv.DictReader(io.StringIO(out))}
    assert code == 0
    assert (rows[PAGE]["found_on"], rows["http://a.test/x"]["found_on"]) == ("", PAGE)


def test_documents_and_edges_leave_as_json_lines(capsys, stack):
    add_url(PAGE)
    add_url("http://a.test/x")
    add_document(PAGE, "Silk")
    home().edges.put(url_id(PAGE), [Link("http://a.test/x", "next")], 0, 1)

    _, documents, _ = run(capsys, "--stack", STACK, "export", "--what", "documents", "--json")
    _, edges, _ = run(capsys, "--stack", STACK, "export", "--what", "edges", "--json")

    assert json.loads(documents)["title"] == "Silk"
    assert json.loads(edges) == {
        "source": PAGE,
        "target": "http://a.test/x",
        "anchor": "next",
        "nofollow": False,
    }


def test_an_export_goes_into_a_file(capsys, stack, tmp_path):
    add_url(PAGE)
    target = tmp_path / "urls.csv"

    code, out, err = run(capsys, "--stack", STACK, "export", "--output", str(target))

    assert (code, out) == (0, "")
    assert err == f"1 urls in {target}\n"
    assert PAGE in target.read_text()


def test_what_was_indexed_is_found(capsys, stack):
    from gossamer import homes
    from gossamer.bolts.index import index

    add_url(PAGE, State.PARSED, "document")
    add_document(PAGE, "Silk")
    opened = home()
    versions = opened.documents.read([url_id(PAGE)])
    index(versions, opened.index, homes.analyzer_of(opened.index), WEIGHTS, 100.0)

    found = result(capsys, "search", "silk")

    assert [hit["url"] for hit in found["hits"]] == [PAGE]


def test_a_query_that_cannot_be_read_is_pointed_at(capsys, stack):
    code, _, err = run(capsys, "--stack", STACK, "search", "--", '"open')

    assert code == 2
    assert "^" in err


def test_the_bill_is_made_of_what_was_counted(capsys, stack):
    from time import time

    home().counters.add({"pages": 1000, "wru": 20_000, "postings": 200_000}, time())

    bill = result(capsys, "cost", "--predict", "1000000")

    assert bill["pages"] == 1000
    assert bill["usd"] == pytest.approx(0.0125)
    assert bill["predicted_usd"] == pytest.approx(12.5)


def test_the_pages_of_a_stack_are_audited_from_its_bucket(capsys, stack, tmp_path):
    import gzip

    opened = home()
    opened.clients.call(
        "s3",
        "PutObject",
        "",
        Bucket=opened.bucket,
        Key="warc/web/d/1.warc.gz",
        Body=gzip.compress(b""),
    )

    assert result(capsys, "audit")["violations"] == 0
    assert run(capsys, "--stack", STACK, "audit", "x.warc.gz")[0] == 2


def test_another_collection_of_the_stack_is_another_world(capsys, stack):
    add_url(PAGE)

    code, out, _ = run(capsys, "--stack", STACK, "explain-url", PAGE, "--collection", "other")

    assert code == 1
    assert "unknown" in out
