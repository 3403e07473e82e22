"""Does `gossamer stats` say what a crawl does?"""

from __future__ import annotations

from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import State
from gossamer.core.ids import UrlId
from gossamer.core.urls import host_of, url_id
from gossamer.entrypoints.local.report import report, report_of_job
from gossamer.messages import Candidate, CrawlRequest, Emission
from tests.commands import complains, judged_folder, run_here, said
from tests.pump import JOB, page
from tests.unit.entrypoints.moto_stack import STACK, add_url, begin_job, home, result, run

PAGE = "http://a.test/"


def test_a_collection_that_was_made_from_files_is_counted_without_a_crawl(tmp_path):
    data = tmp_path / "data"
    said("index", "--data", data, judged_folder(tmp_path / "judged"))

    done = run_here("stats", "--data", data)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("3 documents on 3 pages; nothing was crawled here")
    assert said("stats", "--data", data)["state"] == "not crawled"
    assert "there is no job 'night'" in complains("stats", "--data", data, "--job", "night")


def test_stats_of_a_stack_without_a_job_say_how_to_begin(capsys, stack):
    code, _, err = run(capsys, "--stack", STACK, "stats")

    assert (code, err) == (
        2,
        "gossamer: there is no job yet; `gossamer --stack crawl-test crawl URL` begins one\n",
    )


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
    assert (found["urls"], found["document_pages"], found["parked"]) == (3, 1, 1)
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


def test_stats_of_a_stack_say_that_they_count_all_jobs(capsys, stack):
    begin_job("first")
    alone = run(capsys, "--stack", STACK, "stats")[1]
    begin_job("second")
    both = run(capsys, "--stack", STACK, "stats", "--job", "second")[1]

    assert "jobs" not in alone
    assert "0 URLs of all 2 jobs, 0 of them parked" in both


async def test_stats_of_a_job_count_its_urls_alone(world):
    w = world({"http://a.test/": page("/x", title="a"), "http://a.test/x": page(title="x")})
    await w.crawl()
    alone = report_of_job(w.home, JOB)
    others = [
        Discovery(url_id(url), url, host_of(url), 0, job="other")
        for url in ("http://b.test/", "http://c.test/")
    ]
    w.home.jobs.configure("other", JobConfig(seeds=["http://b.test/"]), w.clock())
    w.home.urls.add(others, UrlId(b""), w.clock())

    mine, theirs = report_of_job(w.home, JOB), report_of_job(w.home, "other")

    assert report(w.home, JOB).urls == 4
    assert (alone.urls, alone.pages, alone.documents, alone.hosts) == (2, 2, 2, 1)
    for name in ("urls", "by_state", "by_reason", "pages", "bytes", "documents", "hosts"):
        assert getattr(mine, name) == getattr(alone, name)
    assert (theirs.urls, theirs.by_state, theirs.pages) == (2, {"discovered": 2}, 0)
    assert (theirs.documents, theirs.document_pages, theirs.hosts) == (0, 0, 2)
