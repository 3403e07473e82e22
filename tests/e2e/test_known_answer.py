"""Does a site whose answers are known, crawled and indexed, answer exactly so?"""

from __future__ import annotations

import json

import pytest

from gossamer import homes
from tests.e2e.crawls import crawl, opened, run
from tests.sites.known_answer import QUERIES, address, known_answer_site

PAGES = 100
THE_HARDEST = [*QUERIES][-2:]


@pytest.fixture(scope="module")
def collection(loopback, tmp_path_factory):
    """The site, crawled over HTTP and indexed by the real commands."""
    data = tmp_path_factory.mktemp("known") / "data"
    site = loopback.publish(known_answer_site(loopback.origin(), PAGES))
    report = crawl(site.seed, data)
    assert report["documents"] == PAGES
    indexed = run("index", "--data", data, "--json")
    assert json.loads(indexed.stdout)["indexed"] == PAGES, indexed.stderr
    return site.origin, data


@pytest.fixture(scope="module")
def searcher(collection):
    with opened(collection[1]) as home:
        yield homes.searcher(home)


def right(origin: str, query: str) -> set[str]:
    return {address(origin, number) for number in range(PAGES) if QUERIES[query](number)}


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_finds_the_right_pages_and_no_other(collection, searcher, query):
    found = searcher.search(query, limit=1000)

    assert {hit.url for hit in found.hits} == right(collection[0], query)
    assert found.total == len(found.hits)


@pytest.mark.parametrize("query", ["!Disney", "divthree", "!divthree | divtwo", *THE_HARDEST])
def test_the_command_finds_the_same(collection, query):
    origin, data = collection

    done = run("search", "--data", data, "--json", "--limit", 1000, "--", query)

    found = json.loads(done.stdout)
    assert {hit["url"] for hit in found["hits"]} == right(origin, query)
    assert found["total"] == len(found["hits"])


def test_compaction_changes_no_answer(collection):
    origin, data = collection
    assert run("compact", "--data", data).returncode == 0

    with opened(data) as home:
        searcher = homes.searcher(home)
        for query in QUERIES:
            hits = searcher.search(query, limit=1000).hits
            assert {hit.url for hit in hits} == right(origin, query), query
