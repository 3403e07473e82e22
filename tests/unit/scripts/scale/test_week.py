"""Does a simulated week do, cost and break what a real one would?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from scripts.scale import limits
from scripts.scale.bill import bill, kinds, usd
from scripts.scale.findings import DAY, HOUR
from scripts.scale.plan import QUIET, Incidents, Plan
from scripts.scale.report import text
from scripts.scale.week import Week

SMALL = Plan(pages=20_000, hosts=100, incidents=QUIET, limited=False)


def week(plan: Plan, until: float = DAY) -> Week:
    done = Week(plan)
    done.run(until)
    return done


def plan(**fields) -> Plan:
    return replace(SMALL, **fields)


def test_every_page_is_fetched_parsed_and_indexed_once():
    done = week(SMALL)

    live = sum(info.live for info in done.index.manifest.segments)
    assert done.sums.pages == pytest.approx(20_000, rel=0.001)
    assert done.sums.indexed == pytest.approx(done.sums.pages, rel=0.001)
    assert live == pytest.approx(done.sums.indexed, rel=0.01)


def test_no_host_is_asked_faster_than_its_delay_allows():
    slow = week(plan(pages=5_000, hosts=10, delay=10.0), 2 * HOUR).sums

    assert slow.pages <= 10 * 2 * HOUR / 12.5 + 10  # a delay of ten has a grace of two and a half


def test_a_page_without_a_delay_costs_less():
    quick, slow = week(plan(delay=0.0)), week(plan(hosts=4, delay=1.0), 4 * DAY)

    assert usd(quick) / quick.sums.pages < usd(slow) / slow.sums.pages


def test_a_week_of_nothing_costs_what_an_idle_stack_costs():
    idle = week(plan(pages=1, hosts=1), 7 * DAY)

    assert 0.0 < usd(idle) < 1.0


def test_a_week_that_ends_with_the_crawl_does_not_pay_for_the_rest():
    whole, alone = week(SMALL, 7 * DAY), week(plan(until_done=True), 7 * DAY)

    assert alone.sums.pages == pytest.approx(whole.sums.pages, rel=0.001)
    assert alone.now < DAY
    assert usd(alone) < usd(whole) - 0.3


def test_a_report_says_what_a_page_asks_for():
    done = week(plan(until_done=True), 7 * DAY)

    (line,) = [line for line in text(done, "").splitlines() if "write units," in line]
    writes = float(line.split()[2])
    assert writes == pytest.approx(kinds(done)["wru"] / done.sums.pages, abs=0.01)
    assert 8 < writes < 13


def test_too_few_parsers_are_found():
    few = {"ParseConcurrency": 2, "FetchConcurrency": 400}
    done = week(plan(pages=2_000_000, hosts=2_000_000, parameters=few, delay=0.0), 12 * HOUR)

    said = [finding.what for finding in done.findings.in_order()]
    assert any("parse" in what for what in said)


def test_a_version_that_crashes_delays_pages_and_loses_none():
    night = Incidents(deploy_at=None, crash_at=HOUR, crash_for=4 * HOUR)
    done = week(plan(pages=50_000, incidents=night, parameters={"ParseConcurrency": 100}), 3 * DAY)

    assert done.sums.redriven > 0
    assert done.sums.indexed == pytest.approx(done.sums.pages, rel=0.001)
    assert done.sums.oldest["parse"] > HOUR


def test_messages_of_the_version_before_are_taken_by_the_version_after():
    deployed = Incidents(deploy_at=0.5 * HOUR, crash_at=None)
    done = week(plan(pages=50_000, incidents=deployed), DAY)

    assert done.sums.old_messages > 0
    assert done.sums.indexed == pytest.approx(done.sums.pages, rel=0.001)


def test_an_account_with_few_functions_is_found(monkeypatch):
    monkeypatch.setattr(limits, "ACCOUNT_CONCURRENCY", 10.0)
    done = Week(plan(pages=200_000, hosts=200_000, delay=0.0))
    done.run(HOUR)

    assert "account" in done.findings.by_kind
    assert done.sums.pages / HOUR < 100


def test_a_ranking_that_takes_too_long_is_found():
    done = Week(plan(pages=5_000_000, hosts=500_000))
    done.run(3 * DAY)

    found = done.findings.by_kind["rank"]
    assert found.at % DAY == 0
    assert "SparkRank=true" in found.advice


def test_a_bill_has_logs_and_a_first_ranking():
    done = week(plan(pages=2_000, hosts=20))

    lines = {item.name: item.usd for item in bill(done)}

    messages = sum(given.messages for given in done.sums.given.values())
    logged = lines["CloudWatch Logs, bytes"] / 0.5e-9
    assert logged > messages * limits.MESSAGE_LOG_BYTES
    ranking = lines["DynamoDB write units of a first ranking"]
    assert ranking == pytest.approx(done.sums.pages * 4.4 * 0.625e-6)
