"""Does a stack that was left alone for a week go on?"""

from __future__ import annotations

from contextlib import ExitStack

from tests.cloud import crawls
from tests.sites.generated import Resource, Site, star

ADDRESS = "127.0.0.36"  # not used by other tests
PAGES = 4
WEEK = 7 * 86_400 + 3_700.0  # and an hour
MOVED = ("schedule", "fetch", "parse", "links", "index", "recrawl", "api")
DAILY = "[recrawl]\nmax_interval = 86400.0\n"  # due a week later, and not at once
DIES = """
import os, signal
from gossamer.entrypoints.lambdas import {module} as working
working.{module} = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
from real import handler
"""
TEXT = "<html lang=en><head><title>Week</title></head><body><p>A week later: zephyrs.</p></body>"


def test_a_week_later_pages_are_fetched_again_and_sums_still_add_up(stack, site, tmp_path):
    origin = site.origin(ADDRESS)
    given = Site(origin)
    pages = star(given, origin, PAGES)
    site.publish(given)
    config = tmp_path / "weekly.toml"
    config.write_text(DAILY)
    crawls.enqueue(stack, f"{origin}/", "--config", config, job="weekly")
    assert crawls.finish(stack, "weekly") == "finished"
    before = stack.ask("/stats").json
    given.resources[pages[1]] = Resource(body=TEXT.encode())
    site.forget()

    with ExitStack() as later:
        for function in MOVED:
            later.enter_context(stack.later(function, WEEK))
        chosen = stack.invoke("recrawl", {"budget": 1e6, "minutes": 60})
        assert chosen.error is None, chosen
        assert crawls.finish(stack, "weekly") == "finished"
        after = stack.ask("/stats").json
        found = [hit["url"] for hit in crawls.search(stack, "zephyrs").json["hits"]]

    assert chosen.payload["weekly"] == PAGES
    assert sorted(crawls.page_requests(site, origin)) == sorted(pages)
    assert f"{origin}/robots.txt" in site.asked()  # what was known of it is a week old
    assert found == [pages[1]]
    assert after["urls"] == before["urls"] == sum(after["by_state"].values())


def test_what_a_killed_compaction_left_is_merged_and_swept_when_its_lease_is_over(stack):
    before = crawls.search(stack, "silk").json
    with stack.replaced("compact", DIES.format(module="compact")):
        assert stack.invoke("compact", {"at_once": True}).error

    refused = stack.invoke("compact", {"at_once": True})
    with stack.later("compact", WEEK):
        crawls.compact(stack)
        joined = stack.invoke("compact", {"pages": True})

    assert refused.payload == {"compacted": False}
    assert joined.error is None, joined
    after = crawls.search(stack, "silk").json
    assert after["total"] == before["total"] > 0
    page = stack.ask(f"/documents/{after['hits'][0]['id']}/cached")
    assert page.status == 200, page


def test_what_a_killed_ranking_left_is_ranked_when_its_lease_is_over(stack):
    with stack.replaced("rank", DIES.format(module="rank")):
        assert stack.invoke("rank", {"rank": True}).error

    refused = stack.invoke("rank", {"rank": True})
    with stack.later("rank", WEEK):
        ranked = stack.invoke("rank", {"rank": True})

    assert refused.payload == {"ranked": None}
    assert ranked.error is None, ranked
    assert ranked.payload["ranked"]["converged"]
    stack.wait_until_drained(crawls.PATIENCE)
