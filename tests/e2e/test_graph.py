"""Is what a crawl finds what is there?"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.crawls import audited, check_warc, crawl, expected, exported, found, reconciles, run
from tests.sites.generated import MAIN, SECOND, Maker, Site, add_shortcuts, generate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sites.generated import Truth


@dataclass(frozen=True)
class Crawled:
    """A finished crawl of a generated site, and the truth about the site."""

    site: Site
    truth: Truth
    data: Path
    report: dict[str, Any]
    asked: list[str]


@pytest.fixture(scope="module", params=[1, 2])
def crawled(request, loopback, tmp_path_factory):
    site = loopback.publish(generate(request.param, loopback.port))
    data = tmp_path_factory.mktemp("graph")
    hosts = [f"{MAIN}:{loopback.port}", f"{SECOND}:{loopback.port}"]
    report = crawl(site.seed, data, *(flag for host in hosts for flag in ("--host", host)))
    return Crawled(site, site.walk(hosts=hosts), data, report, loopback.asked())


def test_every_url_ends_in_the_state_the_model_says_for_the_reason_it_says(crawled):
    assert found(crawled.data, crawled.site).fates == expected(crawled.truth, crawled.site).fates


def test_the_edges_are_those_of_the_model(crawled):
    assert found(crawled.data, crawled.site).edges == expected(crawled.truth, crawled.site).edges


def test_what_may_be_asked_is_asked_once_and_nothing_else_ever(crawled):
    service = {f"{origin}/robots.txt" for origin in _origins(crawled)}
    service |= {f"{crawled.site.origin}/sitemap.xml", f"{crawled.site.origin}/maps/1.xml"}

    assert Counter(crawled.asked) == Counter(crawled.truth.asked | service)


def test_every_sitemap_was_read_and_says_so(crawled):
    ends = {
        row["url"]: row["state"]
        for row in exported(crawled.data, "urls")
        if row["reason"] == "sitemap"
    }

    at = crawled.site.origin
    assert ends == {f"{at}/sitemap.xml": "excluded", f"{at}/maps/1.xml": "excluded"}


def _origins(crawled: Crawled) -> list[str]:
    return [f"http://{host}" for host in crawled.site.rules]


def test_the_ledger_explains_every_url(crawled):
    report, truth = crawled.report, crawled.truth

    assert reconciles(report)
    assert report["urls"] == len(truth.fates) + 2  # sitemaps
    assert report["pages"] == len(truth.pages)
    assert report["requests"] == len(crawled.asked)
    assert set(report["queues"].values()) == {0}


def test_every_document_has_the_title_of_its_page(crawled):
    titles = {row["url"]: row["title"] for row in exported(crawled.data, "documents")}
    parsed = {r["url"] for r in exported(crawled.data, "urls") if r["state"] == "parsed"}

    assert titles == {url: crawled.site.resources[url].title for url in parsed}


def test_the_warc_files_are_valid_and_show_a_polite_crawl(crawled):
    records = check_warc(crawled.data)
    certificate = audited(crawled.data)

    # Of each request its response, what is said of it, and what was asked; and what the file is.
    assert records == 3 * len(crawled.asked) + certificate.files
    assert (certificate.violations, certificate.requests) == (0, len(crawled.asked))


def test_a_second_run_asks_for_nothing(loopback, crawled):
    loopback.forget()
    flags = [flag for host in crawled.site.rules for flag in ("--host", host)]

    again = crawl(crawled.site.seed, crawled.data, *flags)

    assert loopback.asked() == []
    assert again["by_reason"] == crawled.report["by_reason"]


def test_depth_is_that_of_the_shortest_way_even_if_a_longer_way_is_quicker(server, data):
    site = Site(server.origin())
    maker = Maker(site, Random(1))
    maker.page(site.seed, add_shortcuts(maker, slowness=0.8))
    server.publish(site)

    crawl(site.seed, data)

    assert found(data, site).fates == expected(site.walk(), site).fates


def test_an_endless_chain_of_queries_ends_at_its_quota(server, data, tmp_path):
    site = Site(server.origin())
    maker = Maker(site, Random(1))
    endless = [f"{site.origin}/endless?n={number}" for number in range(60)]
    maker.page(site.seed, endless[:1])
    for here, onward in pairwise(endless):
        maker.page(here, [onward])
    site.traps[endless[20]] = "pattern-quota"
    server.publish(site)
    job = tmp_path / "job.toml"
    job.write_text("[traps]\nper_query_pattern = 20\n")

    report = crawl(site.seed, data, "--config", job)

    assert found(data, site).fates == expected(site.walk(), site).fates
    assert (report["pages"], report["by_reason"]["pattern-quota"]) == (21, 1)


def test_a_failing_page_is_tried_again_and_then_ends_with_its_code(server, data):
    site = server.publish(generate(1, server.port, 5, second=0))
    broken = f"{site.origin}/broken"
    maker = Maker(site, Random(1))
    maker.put(broken, site.resources[site.seed], code=500)
    maker.page(site.seed, [broken])
    server.publish(site)

    crawl(site.seed, data, "--retries", 2, "--no-sitemaps")

    life = json.loads(run("explain-url", broken, "--data", data, "--json").stdout)
    assert server.asked().count(broken) == 3
    assert (life["state"], life["reason"], life["requests"]) == ("failed", "http-500", 3)
