"""Is a collection that is made from the WARC files of a crawl the one that was crawled?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.entrypoints.demo.site import JOB, serve_demo
from tests.e2e.crawls import crawl, exported, run
from tests.e2e.test_demo import free_port
from tests.sites.generated import generate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sites.generated import Server

QUERIES = (
    *("silk", "silk thread loom", '"silk thread" | "of silk"'),
    *("thr*", "title:page | title:silk", "*"),
)


def crawl_generated(data: Path, loopback: Server) -> None:
    crawl(loopback.publish(generate(5, loopback.port, 150, second=0)).seed, data, index=True)


def crawl_demo(data: Path, _: Server) -> None:
    """It links to its own robots.txt, which is fetched as rules and as a page."""
    with serve_demo(free_port()) as base:
        crawl(f"{base}/", data, "--config", JOB, index=True)


@pytest.fixture(scope="module", params=[crawl_generated, crawl_demo])
def both(request, loopback, tmp_path_factory) -> tuple[Path, Path]:
    """The crawled collection, and the one from its WARC files."""
    folder = tmp_path_factory.mktemp("warc")
    request.param(folder / "crawled", loopback)
    files = sorted((folder / "crawled" / "warc").rglob("*.warc.gz"))
    done = run("index", "--data", folder / "made", *files)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "crawled", folder / "made"


def answers(data: Path) -> dict[str, list[Any]]:
    """What is found for each query, in which order, and how many similar pages stand behind it."""
    found = {}
    for query in QUERIES:
        done = run("search", "--data", data, "--json", "--limit", 200, "--", query)
        hits = json.loads(done.stdout)["hits"]
        found[query] = [(hit["url"], hit["score"], hit.get("similar")) for hit in hits]
    return found


def test_the_documents_are_the_same(both):
    crawled, made = (
        {row["url"]: (row["title"], row["text"]) for row in exported(data, "documents")}
        for data in both
    )

    assert crawled == made
    assert len(made) > 70


def test_the_answers_are_the_same(both):
    crawled, made = map(answers, both)

    assert crawled == made
    assert all(crawled.values())
