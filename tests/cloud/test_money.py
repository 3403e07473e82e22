"""Is a crawl paused when its money is spent, and does it go on with more?"""

from __future__ import annotations

from tests.cloud import crawls
from tests.cloud.harness import wait_for
from tests.sites.generated import Site, star

ADDRESS = "127.0.0.37"  # not used by other tests
PAGES = 12
LIMIT = "0.00008"  # US dollars: some pages, with an emulator's time


def test_a_crawl_pauses_at_its_limit_of_money_and_goes_on_with_more(stack, site):
    origin = site.origin(ADDRESS)
    given = Site(origin)
    pages = star(given, origin, PAGES)
    site.publish(given)
    crawls.enqueue(stack, f"{origin}/", "--delay", "1", "--max-usd", LIMIT, job="dear")

    wait_for(lambda: _tended(stack) == "paused", crawls.PATIENCE, "the job is not paused")
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


def _tended(stack) -> str:
    return crawls.tend(stack).get("dear") or crawls._kept_state(stack, "dear")
