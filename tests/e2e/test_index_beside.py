"""Can pages be found while the crawl that fetches them still runs?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gossamer.core.urls import url_id
from gossamer.entrypoints.local.rank_beside import FIRST
from tests.e2e.crawls import (
    GOSSAMER,
    PATIENCE,
    await_that,
    crawl,
    crawl_flags,
    crawling,
    environment,
    exported,
    hold_after,
    opened,
    run,
)
from tests.sites.generated import generate

INDEXER = "gossamer.entrypoints.local.index_child"
ALL = ("--limit", 1000)
ENOUGH = 40  # requests, after which the site keeps the crawl waiting


@pytest.fixture
def site(server):
    return server.publish(generate(11, server.port, 120, second=0))


def found(data: Path) -> set[str]:
    """The URLs of all documents that can be found."""
    done = run("search", "--data", data, "--json", "--limit", 1000, "--all", "--", "*")
    return {hit["url"] for hit in json.loads(done.stdout)["hits"]} if done.stdout else set()


def kept(data: Path) -> set[str]:
    return {row["url"] for row in exported(data, "documents")}


def indexers(pid: int) -> list[int]:
    """The processes that index for a crawl."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(n) for n in children if INDEXER in Path(f"/proc/{n}/cmdline").read_text()]


def test_pages_are_found_before_the_crawl_has_ended(server, site, data):
    with crawling(site.seed, data, index=True) as process:
        hold_after(server, ENOUGH, process)
        await_that(lambda: found(data) == kept(data) != set(), "what was parsed is found")
        early = found(data)
        server.release()
        process.communicate(timeout=PATIENCE)

    assert process.returncode == 0
    assert early < found(data) == kept(data)


def test_the_death_of_the_process_that_indexes_changes_nothing(server, site, data):
    with crawling(site.seed, data, index=True) as process:
        hold_after(server, ENOUGH, process)
        await_that(lambda: bool(indexers(process.pid)), "it is started")
        [first] = indexers(process.pid)
        os.kill(first, signal.SIGKILL)
        server.release()
        _, errors = process.communicate(timeout=PATIENCE)

    assert (process.returncode, found(data)) == (0, kept(data))
    assert "indexes beside the crawl ended" in errors


def test_nothing_is_indexed_if_it_is_not_wanted_and_the_next_crawl_makes_up_for_it(site, data):
    crawl(site.seed, data)
    before = found(data)

    crawl(site.seed, data, index=True)

    assert before == set()
    assert found(data) == kept(data) != set()


def test_the_answers_are_those_of_an_index_made_at_once(site, data, tmp_path):
    crawl(site.seed, data, index=True)
    crawl(site.seed, tmp_path / "other")
    assert run("index", "--data", tmp_path / "other").returncode == 0

    for query in ("silk", "silk thread", '"silk thread"', "thr*"):
        beside, after = (
            json.loads(run("search", "--data", folder, "--json", *ALL, "--", query).stdout)
            for folder in (data, tmp_path / "other")
        )
        # Which of two pages with the same bytes came first is chance, and of two pages with the
        # same score the one with the lower id comes first.
        told, expected = (
            sorted((hit["score"], hit["title"]) for hit in answer["hits"])
            for answer in (beside, after)
        )
        assert told == expected != []


def test_pages_are_ranked_before_the_crawl_of_run_has_ended(server, data):
    site = server.publish(generate(11, server.port, 200, second=0))
    flags = crawl_flags(site.seed, data)[1:]
    with subprocess.Popen(
        [GOSSAMER, "run", "--no-serve", *flags],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        try:
            hold_after(server, 3 * FIRST, process)  # half of them are no documents
            await_that(lambda: linked(data, site.seed) > 0, "the first ranking")
            before = len(server.log)
            server.release()
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()

    assert process.returncode == 0
    assert len(server.log) > before, "it was ranked at the end only"
    assert found(data) == kept(data) != set()


def linked(data: Path, url: str) -> int:
    """How many pages are known to link to a page; waits a moment if a process holds it."""
    time.sleep(0.1)
    with opened(data) as home:
        known = home.edges.inlinks([url_id(url)])
    return sum(links.total for links in known.values())
