"""Does a limit count for one command, and a crawl go on with what it was told?"""

from __future__ import annotations

import json

import pytest

from tests.commands import run_here
from tests.e2e.crawls import crawl_flags
from tests.sites.generated import Site, star

A, B = "127.0.0.1", "127.0.0.2"


@pytest.fixture
def sites(server):
    """Two sites of twelve pages, and one of four."""
    made = Site(server.origin(A))
    for address, pages in ((A, 12), (B, 12), ("127.0.0.3", 4)):
        star(made, server.origin(address), pages)
    server.publish(made)
    return [f"{server.origin(address)}/" for address in (A, B, "127.0.0.3")]


def crawl_here(seeds, data, *flags):
    done = run_here(*crawl_flags(seeds, data, "--workers", 1, *flags))
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["pages"]


def test_a_second_site_has_the_whole_limit(sites, data):
    a, b, _ = sites

    assert crawl_here(a, data, "--max-pages", 10) == 10
    assert crawl_here(b, data, "--max-pages", 10) == 20


def test_the_same_command_fetches_nothing_more_also_after_another_site(sites, data):
    a, _, small = sites
    crawl_here(a, data, "--max-pages", 10)
    crawl_here(small, data, "--max-pages", 10)

    assert crawl_here(small, data, "--max-pages", 10) == 14
    assert crawl_here(a, data, "--max-pages", 10) == 14
    assert crawl_here(a, data, "--max-pages", 11) == 15


def test_another_door_to_the_same_site_is_another_crawl(sites, data, server):
    a, *_ = sites
    crawl_here(a, data, "--max-pages", 3)

    assert crawl_here(f"{a}11.html", data, "--max-pages", 3) == 6


def test_without_a_url_the_crawl_goes_on_as_it_was_told(sites, data):
    a, *_ = sites
    crawl_here(a, data, "--max-pages", 5, "--exclude", "/7.html")

    done = run_here("crawl", "--data", data, "--json", "--quiet", "--max-pages", 20)

    report = json.loads(done.stdout)
    assert (done.returncode, report["state"], report["pages"]) == (0, "finished", 11)
    assert report["by_reason"]["excluded-pattern"] == 1


@pytest.mark.parametrize("flags", [(), ("--max-pages", 5)])
def test_without_a_url_and_a_crawl_nothing_is_made(tmp_path, flags):
    done = run_here("crawl", "--data", tmp_path / "data", *flags)

    assert done.returncode == 2
    assert "nothing to crawl" in done.stderr
    assert list(tmp_path.iterdir()) == []


def introduction(*arguments):
    """What a crawl says first."""
    loud = [word for word in crawl_flags(*arguments, "--workers", 1) if word[2:] != "json"]
    return run_here(*(word for word in loud if word != "--quiet")).stderr.splitlines()[0]


def test_it_says_what_is_being_continued(sites, data):
    a, b, _ = sites

    first = introduction(a, data, "--max-pages", 5)
    again = introduction(a, data, "--max-pages", 6)
    beside = introduction(b, data, "--max-pages", 5)

    assert first.startswith("Crawling: ")
    assert again.startswith(f"Continuing the crawl of {a} (finished): 5 pages, 0 URLs waiting.")
    assert beside.startswith(f"Crawling {b} into a collection that has 6 pages, ")
    assert "Limits count for this crawl alone." in beside
