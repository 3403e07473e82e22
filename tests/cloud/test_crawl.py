"""Does a crawl in the cloud find, keep and answer what a crawl on one machine does?"""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec
import pytest

from gossamer import homes
from gossamer.entrypoints.audit.command import audit
from gossamer.search.groups.groups import Groups
from gossamer.search.searcher import Searcher
from gossamer.settings import Settings
from tests.cloud import crawls
from tests.e2e.crawls import crawl, expected, found_in, run
from tests.sites.generated import MAIN, SECOND, generate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cloud.harness import Stack
    from tests.sites.generated import Site, Truth

PAGES = 40
QUERIES = (
    "silk",
    "silk thread loom",
    '"silk thread"',
    "silk & !localhost",
    "thr*",
    "title:page -title:localhost",
    "loom | spool",
    "site:127.0.0.2 weft",
)


@dataclass(frozen=True)
class Crawled:
    """One site, crawled by both homes."""

    stack: Stack
    site: Site
    truth: Truth
    data: Path  # of the embedded home
    asked: list[str]  # by the stack


@pytest.fixture(scope="module")
def crawled(stack, loopback, tmp_path_factory) -> Crawled:
    site = loopback.publish(generate(1, loopback.port, PAGES))
    hosts = [f"{MAIN}:{loopback.port}", f"{SECOND}:{loopback.port}"]
    flags = [flag for host in hosts for flag in ("--host", host)]
    crawls.enqueue(stack, site.seed, *flags)
    assert crawls.finish(stack) == "finished"
    asked = loopback.asked()
    data = tmp_path_factory.mktemp("embedded")
    crawl(site.seed, data, *flags)
    assert run("index", "--data", data).returncode == 0
    return Crawled(stack, site, site.walk(hosts=hosts), data, asked)


def test_every_url_ends_in_the_state_and_for_the_reason_that_the_model_says(crawled):
    stack = crawled.stack
    urls, edges = crawls.exported(stack, "urls"), crawls.exported(stack, "edges")

    found, model = found_in(urls, edges, crawled.site), expected(crawled.truth, crawled.site)

    assert found.fates == model.fates
    assert found.edges == model.edges


def test_what_may_be_asked_is_asked_once_and_nothing_else_ever(crawled):
    service = {f"http://{host}/robots.txt" for host in crawled.site.rules}
    service |= {f"{crawled.site.origin}/sitemap.xml", f"{crawled.site.origin}/maps/1.xml"}

    assert Counter(crawled.asked) == Counter(crawled.truth.asked | service)


def test_the_documents_are_those_of_the_embedded_home(crawled):
    embedded = _lines(run("export", "--data", crawled.data, "--what", "documents", *JSONL).stdout)
    cloud = crawls.exported(crawled.stack, "documents")

    assert _texts(cloud) == _texts(embedded)


@pytest.mark.parametrize("query", QUERIES)
def test_the_best_ten_and_their_scores_are_those_of_the_embedded_home(crawled, query):
    embedded = json.loads(run("search", "--data", crawled.data, "--json", "--", query).stdout)

    cloud = crawls.search(crawled.stack, quote(query))

    assert cloud.status == 200, cloud
    assert cloud.json["total"] == embedded["total"] > 0
    assert _scores(cloud.json) == _scores(embedded)


def test_a_result_can_be_taken_apart_and_read(crawled):
    best = crawls.search(crawled.stack, "silk&explain=true").json["hits"][0]
    document = crawled.stack.ask(f"/documents/{best['id']}")

    assert best["explain"]["score"] == pytest.approx(best["score"])
    assert document.json["url"] == best["url"]


@pytest.mark.parametrize(
    ("bounds", "merges"),
    [({}, 0), ({"alone_bytes": 1, "part_bytes": 20_000}, 3)],
    ids=["whole", "in parts"],
)
def test_answers_are_the_same_after_a_compaction(crawled, bounds, merges):
    before = _answers(crawled.stack)

    crawls.compact(crawled.stack, **bounds)

    assert len(crawled.stack.logs("merge")) >= merges
    assert _answers(crawled.stack) == before


def test_groups_of_segments_answer_together_as_one_function_does(crawled, monkeypatch):
    stack = crawled.stack
    for name, value in stack.emulator.environment.items():
        monkeypatch.setenv(name, value)
    _, home = homes.find_stack(stack.name, None, Settings())
    groups = Groups(partial(home.ask, f"{stack.name}-search"), most=1)
    asked = home.index, home.documents, homes.analyzer_of(home), home.settings.get()
    several = Searcher(*asked, time.perf_counter, groups=groups)

    answers = [several.search(query, explain=True) for query in QUERIES]

    alone = [stack.ask(f"/search?explain=true&q={quote(query)}").json for query in QUERIES]
    assert [msgspec.to_builtins(a.hits) for a in answers] == [a["hits"] for a in alone]


def test_the_command_line_finds_the_same(crawled):
    reply = crawls.search(crawled.stack, "silk")

    assert _scores(crawls.gossamer(crawled.stack, "search", "silk")) == _scores(reply.json)


def test_the_page_is_served_with_its_files(crawled):
    page = crawled.stack.ask("/")
    script = crawled.stack.ask("/static/app.js")

    assert b"<form" in page.body
    assert script.headers["Content-Type"].startswith("text/javascript")


def test_every_request_is_in_the_warc_and_none_was_impolite(crawled, tmp_path):
    s3, bucket = crawled.stack.client("s3"), crawled.stack.outputs["PagesBucket"]
    names = [o["Key"] for o in s3.list_objects_v2(Bucket=bucket, Prefix="warc/")["Contents"]]
    for number, name in enumerate(names):
        s3.download_file(bucket, name, str(tmp_path / f"{number}.warc.gz"))

    checked = audit(sorted(tmp_path.iterdir()))

    assert checked.requests == len(crawled.asked)
    assert checked.violations == 0
    assert len(names) < len(crawled.asked) / 2  # many records share an object


def test_the_numbers_add_up(crawled):
    stats = crawled.stack.ask("/stats").json
    truth = crawled.truth

    sitemaps = 2
    assert stats["urls"] == len(truth.fates) + sitemaps == sum(stats["by_state"].values())
    assert stats["crawl_pages"] == len(truth.pages)
    assert stats["crawl_state"] == "finished"


@pytest.fixture(scope="module")
def ranked(crawled: Crawled) -> Crawled:
    """The same, with links weighed and names indexed by both homes."""
    answer = crawled.stack.invoke("rank", {"rank": True})
    assert answer.error is None, answer
    crawled.stack.wait_until_drained()
    here = json.loads(run("rank", "--data", crawled.data, "--json").stdout)
    for fact in ("nodes", "converged"):
        assert answer.payload["ranked"][fact] == here[fact] > 0
    return crawled


@pytest.mark.parametrize("query", QUERIES[:4])
def test_links_are_weighed_and_names_found_as_in_the_embedded_home(ranked, query):
    """But for twins: either may be the document, and so have the links, which moves ranks a bit."""
    embedded = json.loads(run("search", "--data", ranked.data, "--json", "--", query).stdout)

    cloud = crawls.search(ranked.stack, quote(query))

    assert cloud.json["total"] == embedded["total"] > 0
    scores = [sorted(hit["score"] for hit in found["hits"]) for found in (cloud.json, embedded)]
    assert scores[0] == pytest.approx(scores[1], abs=0.03)


def test_a_score_says_what_links_gave_and_a_document_who_links_to_it(ranked):
    best = crawls.search(ranked.stack, "silk&explain=true").json["hits"][0]
    document = ranked.stack.ask(f"/documents/{best['id']}").json

    assert best["explain"]["rank_score"] > 0
    assert document["inlinks"]["total"] > 0
    assert document["inlinks"]["links"][0]["url"].startswith("http")


def test_ranking_again_finds_nothing_new(ranked):
    again = ranked.stack.invoke("rank", {"rank": True})

    assert again.payload["ranked"]["anchors_changed"] == 0
    assert ranked.stack.counts("index") == (0, 0, 0)


def _answers(stack: Stack) -> list[object]:
    found = [crawls.search(stack, quote(query)).json for query in QUERIES]
    return [(answer["total"], _scores(answer)) for answer in found]


JSONL = ("--format", "jsonl")


def _lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def _texts(rows: list[dict[str, Any]]) -> list[str]:
    """Documents without when they were fetched; of twins either may be the document."""
    by_chance = ("fetched_at", "url", "page", "id")
    kept = ({k: v for k, v in row.items() if k not in by_chance} for row in rows)
    return sorted(json.dumps(row, sort_keys=True) for row in kept)


def _scores(answer: dict[str, Any]) -> list[tuple[float, str]]:
    """Scores and titles. Equals stand in the order of their indexing, which is chance: sorted, and
    where the page ends among equals, without the names of the last."""
    found = [(hit["score"], hit["title"]) for hit in answer["hits"]]
    last = found[-1][0] if found and answer["total"] > len(found) else None
    return sorted((score, "" if score == last else title) for score, title in found)
