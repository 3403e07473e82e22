"""Do searches have a budget of their own: no stranger pauses a crawl, and the bill has a bound?"""

from __future__ import annotations

import json

import pytest

from gossamer.core.cost.limits import DAY, midnight
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.allowance import LOOK_EVERY
from tests.functions import rehearsal
from tests.functions.rehearsal import KEY, Rehearsal
from tests.unit.entrypoints.api.asking import event

BUDGET = 0.0001  # US dollars; a search of this empty index costs about 0.000006
SEARCHES = 30
TOOLS = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'


@pytest.fixture(scope="module")
def stack():
    """A stack whose searches have cost their budget."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rehearsal, "DAILY_USD", BUDGET)
        patch.setattr(rehearsal, "SEARCH_USD", BUDGET)
        made = Rehearsal()
        made.person.jobs.configure("crawl", JobConfig(), made.clock())
        for _ in range(SEARCHES):
            ask(made)
        yield made
        made.close()


def ask(stack, path="/search", query=None, key="", read_key="", body=""):
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    parameters = {"q": ["silk"]} if query is None else query
    asked = event(path, "POST" if body else "GET", parameters, headers=headers)
    asked["body"] = body
    if read_key:  # as API Gateway says whose key it was, after it has checked it
        asked["requestContext"]["identity"] = {"apiKeyId": read_key}
    stack.clock.advance(LOOK_EVERY)
    return stack.invoke("api", asked)


def test_anonymous_searches_do_not_pause_a_crawl(stack):
    stack.sweep()

    record = stack.person.jobs.get("crawl")
    assert record.reason != "daily-usd"
    bill = stack.person.spent_since(midnight(stack.clock()), stack.clock())
    assert bill.search > BUDGET > bill.crawl


def test_beyond_their_budget_searches_are_refused(stack):
    refused = ask(stack)

    assert refused["statusCode"] == 429
    error = json.loads(refused["body"])["error"]
    assert error["code"] == "too_many_requests"
    assert "midnight UTC" in error["message"]
    left = midnight(stack.clock()) + DAY - stack.clock()
    assert int(refused["headers"]["Retry-After"]) == pytest.approx(left, abs=2)


def test_keys_go_on_when_the_budget_is_spent(stack):
    assert ask(stack, key="wrong")["statusCode"] == 429
    assert ask(stack, key=KEY)["statusCode"] == 200
    assert ask(stack, read_key="abc")["statusCode"] == 200
    assert ask(stack, "/jobs", {}, key=KEY)["statusCode"] == 200


@pytest.mark.parametrize("path", ["/", "/health", "/openapi.json", "/docs", "/opensearch.xml"])
def test_what_reads_no_index_is_answered(stack, path):
    assert ask(stack, path, {})["statusCode"] == 200


@pytest.mark.parametrize("path", ["/suggest", "/search.rss", "/html", "/stats"])
def test_all_that_reads_the_index_is_refused(stack, path):
    assert ask(stack, path)["statusCode"] == 429


@pytest.mark.parametrize(("path", "body"), [("/mcp", TOOLS), ("/clicks", '{"q": "silk"}')])
def test_what_is_posted_is_refused_too(stack, path, body):
    assert ask(stack, path, {}, body=body)["statusCode"] == 429
