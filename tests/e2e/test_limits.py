"""Does a crawl end exactly where it was told to?"""

from __future__ import annotations

import json
import time
from random import Random
from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.local.processes.lock import Lock
from tests.e2e.crawls import (
    PATIENCE,
    await_requests,
    await_that,
    crawl,
    crawling,
    expected,
    exported,
    found,
    hold_after,
    reconciles,
    run,
)
from tests.sites.generated import Maker, Resource, Rules, Site, generate, star

if TYPE_CHECKING:
    from tests.sites.generated import Server


@pytest.fixture
def site(server):
    return server.publish(generate(5, server.port, 60, second=0))


def pages_sent(server: Server, site: Site) -> list[str]:
    pages = site.walk().pages
    return [url for url in server.pages() if url in pages]


@pytest.mark.parametrize(("limit", "concurrency"), [(1, 64), (10, 8), (37, 64), (60, 1)])
def test_max_pages_is_met_exactly_at_any_concurrency(server, site, data, limit, concurrency):
    report = crawl(site.seed, data, "--max-pages", limit, "--concurrency", concurrency)

    assert report["pages"] == len(pages_sent(server, site)) == limit
    assert (report["state"], report["reason"]) == ("finished", "max-pages")
    assert report["by_reason"]["max-pages"] > 0
    assert reconciles(report)


def test_a_limit_larger_than_the_site_changes_nothing(server, site, data):
    truth = site.walk()

    report = crawl(site.seed, data, "--max-pages", len(truth.pages) + 1, "--concurrency", 64)

    assert found(data, site) == expected(truth, site)
    assert (report["pages"], report["reason"]) == (len(truth.pages), "")


def test_a_limit_equal_to_the_site_finds_all_of_it(server, site, data):
    truth = site.walk()

    report = crawl(site.seed, data, "--max-pages", len(truth.pages))

    assert report["pages"] == len(pages_sent(server, site)) == len(truth.pages)
    assert reconciles(report)


def test_raising_a_limit_goes_on_where_it_ended_and_repeats_nothing(server, site, data):
    for limit in (1, 20, 50):
        report = crawl(site.seed, data, "--max-pages", limit)
        assert report["pages"] == len(pages_sent(server, site)) == limit

    report = crawl(site.seed, data)

    assert found(data, site) == expected(site.walk(), site)
    assert len(server.asked()) == len(set(server.asked()))
    assert reconciles(report)


def test_max_documents_counts_neither_duplicates_nor_noindex(server, site, data):
    report = crawl(site.seed, data, "--max-documents", 30, "--concurrency", 64)

    assert len(exported(data, "documents")) == report["documents"] == 30
    assert (report["state"], report["reason"]) == ("finished", "max-documents")
    assert reconciles(report)


@pytest.mark.parametrize("depth", [0, 3])
def test_max_depth_is_that_of_a_breadth_first_walk(server, site, data, depth):
    report = crawl(site.seed, data, "--depth", depth)

    truth = site.walk(max_depth=depth)
    assert found(data, site).fates == expected(truth, site).fates
    assert not set(pages_sent(server, site)) - truth.asked
    assert reconciles(report)


def test_max_seconds_ends_a_crawl_and_explains_what_is_left(server, site, data):
    """Two requests at a time that take 0.2 s each: thirty of more than a hundred pages at most."""
    server.latency = 0.2

    report = crawl(site.seed, data, "--max-seconds", 3, "--concurrency", 2)

    assert (report["state"], report["reason"]) == ("finished", "max-seconds")
    assert 0 < report["pages"] < len(site.walk().pages)
    assert report["by_reason"]["max-seconds"] > 0
    assert reconciles(report)


def test_more_time_lets_a_crawl_find_all_even_what_only_a_sitemap_names(server, data):
    """The time is over before the sitemap's slot comes."""
    site = Site(server.origin("127.0.0.4"))
    urls = star(site, site.origin, 3)
    Maker(site, Random(1)).page(f"{site.origin}/orphan", [])
    sitemap = f"{site.origin}/sitemap.txt"
    site.rule(site.origin, Rules(sitemap=sitemap))
    orphan = f"{site.origin}/orphan".encode()
    site.resources[sitemap] = Resource(body=orphan, headers=(("Content-Type", "text/plain"),))
    server.publish(site)

    first = crawl(site.seed, data, "--delay", 1, "--max-seconds", 0.5)
    second = crawl(site.seed, data)

    parsed = {r["url"] for r in exported(data, "urls") if r["state"] == "parsed"}
    assert (first["reason"], second["reason"]) == ("max-seconds", "")
    assert parsed == {*urls, f"{site.origin}/orphan"}
    assert reconciles(first)
    assert reconciles(second)


def test_without_following_only_what_is_given_is_asked_for(server, site, data):
    seeds = sorted(site.walk().pages)[:3]

    report = crawl(" ".join(seeds), data, "--no-follow")

    assert set(server.asked()) == {*seeds, f"{site.origin}/robots.txt"}
    assert report["pages"] == 3
    assert report["by_state"] == {"parsed": 3, "excluded": report["urls"] - 3}
    assert report["by_reason"]["not-followed"] > 0
    assert reconciles(report)


def control(wish: str, data) -> None:
    """Tell a crawl something, and wait until it has taken the file that says so."""
    before = set(data.iterdir())
    done = run(wish, "--data", data, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"job": "crawl", "command": wish, "running": True}
    await_that(lambda: set(data.iterdir()) <= before, f"the crawl hears: {wish}")


def test_another_process_can_pause_resume_and_stop_a_crawl(server, site, data):
    server.latency = 0.05
    with crawling(site.seed, data, "--concurrency", 2) as process:
        hold_after(server, 10, process)
        control("pause", data)
        server.release()
        await_that(lambda: _is_quiet(server, 0.5), "the crawl pauses")
        paused_at = len(server.log)
        server.hold(after=paused_at + 5)
        control("resume", data)
        await_requests(server, paused_at + 6, process)
        control("stop", data)
        server.release()
        out, errors = process.communicate(timeout=PATIENCE)
    stopped, stopped_at = json.loads(out), len(server.log)

    server.latency = 0.0
    report = crawl(site.seed, data)

    assert (process.returncode, errors) == (0, "")
    assert (stopped["state"], stopped["by_reason"]["stopped"] > 0) == ("stopped", True)
    assert reconciles(stopped)
    assert paused_at + 5 <= stopped_at < len(site.walk().asked)
    assert found(data, site) == expected(site.walk(), site)
    assert reconciles(report)


def _is_quiet(server: Server, seconds: float) -> bool:
    before = len(server.log)
    time.sleep(seconds)
    return len(server.log) == before


def test_a_crawl_at_full_speed_hears_that_it_is_to_stop(server, data):
    """Its transactions follow one another without a gap: a wish must not wait for one."""
    site = server.publish(generate(6, server.port, 6000, second=0))
    with crawling(site.seed, data, "--concurrency", 64) as process:
        await_requests(server, 30, process)
        control("stop", data)
        out, _ = process.communicate(timeout=PATIENCE)

    assert json.loads(out)["state"] == "stopped"


def test_only_a_crawl_is_told_to_stop(server, site, data):
    crawl(site.seed, data)
    lock = Lock(next(data.glob("*.db")))
    lock.take("rank")

    done = run("stop", "--data", data, "--json")
    lock.release()

    assert done.returncode == 2
    assert ", rank) is working in" in done.stderr


def test_a_crawl_that_was_killed_can_be_stopped_too(server, site, data):
    with crawling(site.seed, data, "--concurrency", 2) as process:
        hold_after(server, 20, process)
        process.kill()
        process.wait()

    done = run("stop", "--data", data, "--json")

    report = json.loads(run("stats", "--data", data, "--json").stdout)
    assert json.loads(done.stdout)["running"] is False
    assert (report["state"], reconciles(report)) == ("stopped", True)
