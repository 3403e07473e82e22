"""Is a crawl over moto paused at its limit of money, and does its bill come out as predicted?"""

from __future__ import annotations

import pytest

from gossamer.entrypoints.cli.stack.cost import cost
from gossamer.entrypoints.lambdas import money
from tests.metered_crawl import JOB, make_site, metered

PAGES = 48


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return make_site(tmp_path_factory.mktemp("site"), PAGES)


def test_a_crawl_pauses_at_its_limit_and_goes_on_with_a_higher_one(site, monkeypatch):
    monkeypatch.setattr(money, "LOOK_EVERY", 0.0)  # over moto seconds mean nothing
    with metered(site) as crawl:
        crawl.begin(max_usd=0.001)
        crawl.run()
        record, pages = crawl.driver.jobs.get(JOB), crawl.home.sums()["pages"]
        over = crawl.usd - 0.001

        assert (record.state, record.reason) == ("paused", "max-usd")
        assert 0 < pages < PAGES
        # What was in flight costs at most what as many pages cost, of which it was a part.
        each = crawl.usd_at_pause / pages
        print(f"{pages} pages, ${crawl.usd:.6f}, {crawl.in_flight_at_pause} messages in flight,"
              f" ${over:.6f} over, {over / each / max(1, crawl.in_flight_at_pause):.2f}")
        assert over <= crawl.in_flight_at_pause * each

        crawl.begin(max_usd=1.0)
        assert crawl.driver.jobs.get(JOB).state == "running"
        from gossamer.entrypoints.lambdas.context import NoFetcher
        from gossamer.entrypoints.lambdas.schedule import wake
        from gossamer.ports import Ports
        import time
        while wake(JOB, Ports(crawl.driver, NoFetcher()), time.time()):
            crawl.run()
        assert crawl.home.sums()["pages"] == PAGES


def test_a_prediction_comes_true_within_15_percent(site, tmp_path):
    with metered(make_site(tmp_path, 24)) as small:
        small.begin()
        small.run()
        predicted = cost(small.home.sums(), predict=PAGES).predicted_usd
        print(small.home.sums())
    with metered(site) as large:
        large.begin()
        large.run()
        sums = large.home.sums()
    print(predicted, sums["usd"], predicted / sums["usd"])
    assert sums["pages"] == PAGES
    assert predicted == pytest.approx(cost(sums).usd, rel=0.15)
