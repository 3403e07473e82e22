"""Is a crawl paused when its money is spent, or that of the day, and does it go on with more?"""

from __future__ import annotations

from contextlib import ExitStack
from random import Random

from tests.cloud import crawls
from tests.cloud.queues import wait_for
from tests.sites.generated import Maker, Site, star

ADDRESS, ANOTHER = "127.0.0.37", "127.0.0.38"  # not used by other tests
PAGES = 12
LIMIT = "0.00008"  # US dollars: some pages, with an emulator's time

GUARDS = ("schedule", "fetch")  # the functions that look at money
SPENT = """
import os
os.environ["GOSSAMER_DAILY_USD"] = "0.000000001"
from real import handler
"""


def test_a_crawl_pauses_at_its_limit_of_money_and_goes_on_with_more(stack, site):
    origin, pages = planted(site, ADDRESS)
    crawls.enqueue(stack, f"{origin}/", "--delay", "1", "--max-usd", LIMIT, job="dear")

    wait_until(stack, "dear", "paused")
    stack.wait_until_drained()
    asked = len(crawls.page_requests(site, origin))
    assert asked < len(pages)
    told = crawls.gossamer(stack, "stats", "--job", "dear")
    assert "max-usd" in str(told)
    assert len(crawls.page_requests(site, origin)) == asked  # not one more

    crawls.gossamer(stack, "resume", "--job", "dear", "--max-usd", "5")
    assert crawls.finish(stack, "dear") == "finished"
    assert sorted(set(crawls.page_requests(site, origin))) == sorted(pages)
    assert set(crawls.states(stack, origin).values()) == {"parsed"}


def test_every_crawl_pauses_when_the_day_has_cost_too_much_and_goes_on_by_itself(stack, site):
    origin, pages = planted(site, ANOTHER)
    # A function that asks for robots.txt when a job pauses keeps its lease for two minutes more.
    Maker(site.site, Random(1)).page(f"{origin}/before.html", [])
    crawls.enqueue(stack, f"{origin}/before.html", job="yesterday")
    assert crawls.finish(stack, "yesterday") == "finished"
    site.forget()
    with ExitStack() as poor:
        for function in GUARDS:
            poor.enter_context(stack.replaced(function, SPENT))
        crawls.enqueue(stack, f"{origin}/", job="today")
        wait_until(stack, "today", "paused")
        stack.wait_until_drained()
        asked = len(crawls.page_requests(site, origin))
        assert asked < len(pages)
        assert "daily-usd" in str(crawls.gossamer(stack, "stats", "--job", "today"))
        assert len(crawls.page_requests(site, origin)) == asked

    wait_until(stack, "today", "running", "finished")  # no person resumes it
    assert crawls.finish(stack, "today") == "finished"
    assert sorted(set(crawls.page_requests(site, origin))) == sorted(pages)
    assert set(crawls.states(stack, origin).values()) == {"parsed"}


def planted(site, address: str) -> tuple[str, list[str]]:
    """A host of its own: its origin and its pages."""
    origin = site.origin(address)
    given = Site(origin)
    pages = star(given, origin, PAGES)
    site.publish(given)
    return origin, pages


def wait_until(stack, job: str, *states: str) -> None:
    def stands() -> bool:
        return crawls.state_of(stack, job) in states

    wait_for(stands, crawls.PATIENCE, f"the job {job} is not {states[0]}")
