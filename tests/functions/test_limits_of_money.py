"""Is a crawl over moto paused at its limit of money, and does its bill come out as predicted?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.cli.stack.cost import cost
from gossamer.entrypoints.lambdas import money
from tests.metered_crawl import JOB, make_site, metered

LIMIT = 0.0004  # US dollars, for about twenty pages


def test_a_crawl_pauses_at_its_limit_and_goes_on_with_a_higher_one(tmp_path, monkeypatch):
    monkeypatch.setattr(money, "LOOK_EVERY", 0.0)  # over moto seconds mean nothing
    with metered(make_site(tmp_path, 60)) as crawl:
        crawl.begin(max_usd=LIMIT)
        crawl.run()

        record, pages = crawl.driver.jobs.get(JOB), crawl.home.sums()["pages"]
        assert record is not None
        assert (record.state, record.reason) == ("paused", "max-usd")
        assert 0 < pages < 60
        # What is in flight at the pause was kept back: without that it costs three times as much.
        assert crawl.usd_at_pause < LIMIT
        assert 0.8 * LIMIT <= crawl.usd <= 1.25 * LIMIT

        crawl.begin(max_usd=1.0)
        crawl.wake_and_run()
        assert crawl.home.sums()["pages"] == 60


def test_a_prediction_comes_true_within_15_percent(tmp_path_factory):
    bills = []
    for pages in (64, 128):
        with metered(make_site(tmp_path_factory.mktemp("site"), pages)) as crawl:
            crawl.begin()
            crawl.run()
            bills.append(cost(crawl.home.sums(), predict=128))
    small, large = bills

    assert (small.pages, large.pages) == (64, 128)
    crawling = small.predicted_usd - small.predicted_ranking_usd
    assert crawling == pytest.approx(large.usd, rel=0.15)
