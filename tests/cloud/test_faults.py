"""What does a crawl in the cloud lose when things go wrong? Nothing."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from random import Random

import pytest

from tests.cloud import crawls
from tests.cloud.queues import QUEUES, wait_for
from tests.sites.generated import Maker, Site, star

PAGES = 10
FEW = 8  # where the host's pace decides how long a test takes
MANY = 20  # of a crawl that shall last until a deployment is done
DELAY = 1.5  # long enough to pause a crawl in its middle


@pytest.fixture
def planted(site, request):
    """A host of its own for each test: its origin and its pages."""
    address = f"127.0.0.{20 + FAULTS.index(request.function.__name__)}"
    origin = site.origin(address)
    given = Site(origin)
    count = {PAUSE: FEW, DEPLOYMENT: MANY}.get(request.function.__name__, PAGES)
    pages = star(given, origin, count)
    site.publish(given)
    return origin, pages


def all_parsed(stack, origin, pages: int = PAGES) -> bool:
    found = crawls.states(stack, origin)
    return set(found.values()) == {"parsed"} and len(found) == pages


def test_messages_that_come_twice_are_dealt_with_once(stack, site, planted):
    origin, pages = planted
    with stack.paused("fetch"):
        crawls.enqueue(stack, f"{origin}/", job="twice")
        wait_for(lambda: stack.counts("fetch").visible, crawls.PATIENCE, "nothing to fetch")
        assert stack.duplicate("fetch")
    wait_for(lambda: len(site.asked()) >= 2, crawls.PATIENCE, "nothing was asked")
    for queue, reader in (("parse", "parse"), ("links", "links"), ("fetch", "fetch")):
        with stack.paused(reader):
            time.sleep(1.0)
            stack.duplicate(queue)

    crawls.finish(stack, "twice")

    assert all_parsed(stack, origin)
    assert Counter(crawls.page_requests(site, origin)) == Counter(pages)


def test_a_function_that_raises_gets_its_messages_again(stack, site, planted):
    origin, pages = planted
    stack.set_visibility("links", 2)
    with stack.raising("links"):
        crawls.enqueue(stack, f"{origin}/", job="raising")
        wait_for(lambda: stack.counts("links").in_flight, crawls.PATIENCE, "links was never tried")
        time.sleep(1.0)

    crawls.finish(stack, "raising")

    assert all_parsed(stack, origin)
    assert Counter(crawls.page_requests(site, origin)) == Counter(pages)


def test_a_fetcher_killed_in_the_middle_of_a_batch_loses_no_page(stack, site, planted):
    origin, pages = planted
    stack.set_visibility("fetch", 5)
    site.hold(after=4)
    crawls.enqueue(stack, f"{origin}/", job="killed")
    wait_for(lambda: len(site.asked()) > 4, crawls.PATIENCE, "the crawl does not begin")

    killed = stack.kill_processes("fetch")
    site.release()
    crawls.end_claims(stack)  # as 90 seconds would
    crawls.finish(stack, "killed")

    assert killed
    assert all_parsed(stack, origin)
    assert set(crawls.page_requests(site, origin)) == set(pages)


def test_what_sqs_gave_up_is_a_dead_letter_that_can_be_put_back_with_its_url(stack, site, planted):
    origin, pages = planted
    stack.set_visibility("parse", 1)
    stack.set_receives("parse", 4)
    with stack.raising("parse"):
        crawls.enqueue(stack, f"{origin}/", job="dead")
        # SCHEDULE, which is called every minute, may have found it before we look.
        wait_for(lambda: _ends_lost(stack, "parse"), crawls.PATIENCE, "no dead letter")
    assert crawls.states(stack, origin) == {f"{origin}/": "failed"}

    redriven = crawls.gossamer(stack, "redrive")
    crawls.finish(stack, "dead")

    assert redriven["sent"]["parse"] >= 1  # SQS may hand a message out twice, so it is buried twice
    assert stack.counts("parse-dead") == (0, 0, 0)
    assert all_parsed(stack, origin)
    assert Counter(crawls.page_requests(site, origin)) == Counter(pages)


BOLT_RAISES = """
from gossamer.entrypoints.lambdas import sqs
def deal_with(*given):
    raise RuntimeError("a test made this bolt raise")
sqs.deal_with, sqs.FIRST_WAIT = deal_with, 0.2
from real import handler
"""


def test_what_failed_four_times_is_a_dead_letter_with_the_reason(stack, site, planted):
    origin, pages = planted
    with stack.replaced("parse", BOLT_RAISES):
        crawls.enqueue(stack, f"{origin}/", job="failing")
        wait_for(lambda: _has_letters(stack, "parse"), crawls.PATIENCE, "no dead letter")
    assert crawls.states(stack, origin) == {f"{origin}/": "failed"}
    assert crawls.finish(stack, "failing") == "finished"

    redriven = crawls.gossamer(stack, "redrive")
    crawls.finish(stack, "failing")

    assert redriven["sent"]["parse"] >= 1  # SQS may hand a message out twice, so it is buried twice
    assert all_parsed(stack, origin)
    assert Counter(crawls.page_requests(site, origin)) == Counter(pages)


STEPS = {"schedule": "frontier", "fetch": "fetch", "parse": "parse", "links": "links"}


def test_each_function_may_die_when_its_work_is_done_but_not_acknowledged(
    stack, site, planted, tmp_path
):
    origin, pages = planted
    steps = STEPS | {"index": "index"}
    with ExitStack() as dying:
        for function, queue in steps.items():
            stack.set_visibility(queue, 5)
            dying.enter_context(stack.dying_once(function, tmp_path))
        crawls.enqueue(stack, f"{origin}/", job="dying")
        wait_for(
            lambda: len(list(tmp_path.iterdir())) == len(steps),
            crawls.PATIENCE,
            "not all have died",
        )
        crawls.finish(stack, "dying")

    assert all_parsed(stack, origin)
    assert Counter(crawls.page_requests(site, origin)) == Counter(pages)
    answer = crawls.search(stack, f"site:{origin.split('/')[2].split(':')[0]}")
    assert answer.json["total"] == len(pages)


def _ends_lost(stack, queue: str) -> bool:
    if stack.counts("lost").visible:
        stack.invoke("schedule", {"sweep": True})
    return _has_letters(stack, queue)


def _has_letters(stack, queue: str) -> bool:
    return bool(stack.counts(f"{queue}-dead").visible)


def test_what_cannot_be_read_becomes_a_dead_letter_with_a_reason(stack, site):
    # A newer one would wait for a function that reads it.
    older = '{"kind":"DocumentParsed","version":0,"job":"x","url":"x","fetched_at":1}'
    for queue in QUEUES:
        stack.send(queue, older if queue == "index" else "not a message")
    stack.invoke("compact", {"compact": True})  # MERGE reads nothing until COMPACT has seen it
    for queue in QUEUES:
        wait_for(partial(_has_letters, stack, queue), crawls.PATIENCE, "no dead letter")

    told = crawls.run(stack, crawls.GOSSAMER, "--stack", stack.name, "redrive", "--json")
    letters = json.loads(told.stdout)["kept"]
    assert told.returncode == 1  # there is something left to do
    assert {letter["stream"] for letter in letters} == set(QUEUES)
    assert all("UndecodableMessage" in letter["reason"] for letter in letters)
    # At least: a message may be handed out, and buried, twice.
    assert crawls.gossamer(stack, "redrive", "--drop-undecodable")["dropped"] >= len(QUEUES)


def test_a_pause_is_immediate_and_loses_nothing(stack, site, planted):
    origin, pages = planted
    crawls.enqueue(stack, f"{origin}/", "--delay", f"{DELAY}", job="paused")
    wait_for(lambda: len(site.asked()) > 3, crawls.PATIENCE, "the crawl does not begin")

    crawls.gossamer(stack, "pause", "--job", "paused")
    stack.wait_until_drained()
    asked = len(site.asked())
    time.sleep(2.0)
    assert len(site.asked()) == asked < len(pages)
    crawls.gossamer(stack, "resume", "--job", "paused")
    crawls.finish(stack, "paused")

    assert all_parsed(stack, origin, FEW)
    assert Counter(crawls.page_requests(site, origin)) == Counter(pages)
    gaps = [b.at - a.at for a, b in pairwise(site.log)]
    assert min(gaps) >= DELAY


def test_a_limit_is_exact_and_the_rest_is_explained(stack, site, planted):
    origin, pages = planted
    del site.site.resources[pages[1]]  # a dead link gives its unit back
    Maker(site.site, Random(1)).page(pages[2], [], noindex=True)  # and this one half of it

    crawls.enqueue(stack, f"{origin}/", "--max-pages", "7", "--max-documents", "7", job="limited")
    assert crawls.finish(stack, "limited") == "finished"

    found = Counter(row["reason"] for row in crawls.exported(stack, "urls", origin))
    got = [url for url in crawls.page_requests(site, origin) if url != pages[1]]
    assert found["document"] + found["noindex"] == 7 == len(got)
    assert found["max-pages"] == PAGES - 7 - found["http-404"]


def test_a_deployment_in_the_middle_of_a_crawl_is_not_noticed(stack, site, planted):
    origin, pages = planted
    older, newer = f"{origin}/older.html", f"{origin}/newer.html"
    for url in (older, newer):
        Maker(site.site, Random(url)).page(url, [])
    site.latency = 0.2
    crawls.enqueue(stack, f"{origin}/", job="deployed")
    wait_for(lambda: len(site.asked()) > 2, crawls.PATIENCE, "the crawl does not begin")

    # What functions of another version send meanwhile: fewer fields, more fields, another format.
    stack.send("links", _links_to(origin, older))
    stack.deploy(LogLevel="INFO")
    stack.send("links", _links_to(origin, newer, colour="blue", hops=0))
    stack.send("links", _links_to(origin, newer, version=0))
    crawls.finish(stack, "deployed")

    assert all_parsed(stack, origin, MANY + 2)
    assert set(crawls.page_requests(site, origin)) == {*pages, older, newer}
    kept = crawls.run(stack, crawls.GOSSAMER, "--stack", stack.name, "redrive", "--json")
    (letter,) = json.loads(kept.stdout)["kept"]
    assert "version 0 is not read here" in letter["reason"]
    assert crawls.gossamer(stack, "redrive", "--drop-undecodable")["dropped"] == 1


def _links_to(origin: str, url: str, **more: object) -> str:
    """A message of LINKS, with no field that has a default."""
    given = {"kind": "LinksFound", "version": 1, "job": "deployed", "depth": 0, "via": "sitemap"}
    return json.dumps(given | {"source": f"{origin}/sitemap.xml", "links": [[url]]} | more)


PAUSE = test_a_pause_is_immediate_and_loses_nothing.__name__
DEPLOYMENT = test_a_deployment_in_the_middle_of_a_crawl_is_not_noticed.__name__
FAULTS = [name for name in dict(globals()) if name.startswith("test_")]
