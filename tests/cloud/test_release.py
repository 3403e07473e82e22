"""Does a bug of a new version show in the metrics of the release alarm within two minutes?

No emulator evaluates formulas of metrics: what the alarm would compute is computed from what the
functions told. tests/topology/test_release.py holds the formula and its periods.
"""

from __future__ import annotations

import time
from random import Random

from tests.cloud import crawls
from tests.cloud.queues import wait_for
from tests.sites.generated import Maker, Site
from tests.topology.template import load

ADDRESS = "127.0.0.40"  # not used by other tests
SECONDS = 120
BOLT_BREAKS = """
from gossamer.entrypoints.lambdas import sqs
def deal_with(*given):
    raise KeyError("a test put a bug into this bolt")
sqs.deal_with, sqs.FIRST_WAIT = deal_with, 0.2
from real import handler
"""
ENDPOINTS_BREAK = """
from gossamer.entrypoints.api.routes import Route
def ask(*given):
    raise KeyError("a test put a bug into every endpoint")
Route.ask = ask
from real import handler
"""
THRESHOLD = load()["Resources"]["ReleaseAlarm"]["Properties"]["Threshold"]


def told(stack, function: str, name: str, since: float) -> float:
    """The sum of a metric that a function has told since."""
    lines = [line for line in stack.logs(function) if "_aws" in line and name in line]
    recent = [line for line in lines if line["_aws"]["Timestamp"] >= 1000 * since]
    return float(sum(line[name][0] for line in recent))


def test_a_bug_in_a_bolt_raises_the_share_of_failures(stack, site):
    origin = site.origin(ADDRESS)
    given = Site(origin)
    Maker(given, Random(1)).page(f"{origin}/", [])
    site.publish(given)
    began = time.time()

    def share() -> float:
        messages = told(stack, "parse", "Messages", began)
        failures = told(stack, "parse", "Failures", began)
        return 100 * failures / messages if messages else 0.0

    with stack.replaced("parse", BOLT_BREAKS):
        crawls.enqueue(stack, f"{origin}/", job="released")
        wait_for(lambda: share() > float(THRESHOLD), SECONDS, "no failure was told")
    crawls.finish(stack, "released")


def test_a_bug_in_an_endpoint_raises_the_share_of_5xx(stack):
    began = time.time()
    with stack.replaced("api", ENDPOINTS_BREAK):
        wait_for(lambda: stack.ask("/search?q=silk").status == 500, SECONDS, "no request fails")
        wait_for(lambda: told(stack, "api", "Status5xx", began) > 0, SECONDS, "no failure was told")
    wait_for(lambda: stack.ask("/search?q=silk").status == 200, SECONDS, "it is not repaired")
