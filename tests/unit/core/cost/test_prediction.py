"""Is it said what a job will cost, before it costs anything?"""

from __future__ import annotations

import pytest

from gossamer.core.cost.prediction import (
    USUAL,
    expectation,
    expected_usd,
    merge_writes,
    page_cost,
)
from gossamer.core.crawl.job import JobConfig

MEASURED = {"pages": 10_000, "usd": 0.2}  # $20 a million


def test_a_stack_that_has_fetched_enough_knows_its_own_cost():
    found = page_cost(MEASURED)

    assert found.usd == pytest.approx(20e-6)
    assert found.is_measured


@pytest.mark.parametrize("sums", [{}, {"pages": 999, "usd": 1.0}, {"pages": 10_000}])
def test_a_stack_that_knows_too_little_takes_the_usual_cost(sums):
    assert page_cost(sums) == (USUAL, False)


def test_a_job_with_a_limit_of_pages_has_an_expected_cost():
    assert expected_usd(JobConfig(max_pages=1_000_000), page_cost(MEASURED)) == pytest.approx(20.0)
    assert expected_usd(JobConfig(), page_cost(MEASURED)) is None


def test_pages_beyond_the_money_are_warned_of():
    said = expectation(JobConfig(max_pages=1_000_000, max_usd=5.0), page_cost(MEASURED))

    assert "1,000,000 pages will cost about $20.00 (by what this stack has cost)" in said
    assert "max_usd = 5 is enough for about 250,000 pages: then the job pauses" in said


def test_pages_within_the_money_are_not_warned_of():
    said = expectation(JobConfig(max_pages=1000, max_usd=5.0), page_cost({}))

    assert said == "1,000 pages will cost about $0.06 (an estimate)"


def test_money_alone_is_told_in_pages():
    said = expectation(JobConfig(max_usd=6.0), page_cost({}))

    assert (
        said == "max_usd = 6 is enough for about 100,000 pages (an estimate); then the job pauses"
    )


def test_a_job_without_limits_is_not_predicted():
    assert expectation(JobConfig(), page_cost(MEASURED)) == ""


@pytest.mark.parametrize(
    ("documents", "units"), [(0, 0.0), (1_000, 0.0), (200_000, 0.41), (10**6, 0.85), (10**7, 1.3)]
)
def test_merges_write_more_a_page_in_a_larger_index(documents, units):
    assert merge_writes(documents) == pytest.approx(units)
    assert merge_writes(documents) <= merge_writes(2 * documents)
