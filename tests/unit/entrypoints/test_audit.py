from __future__ import annotations

import asyncio

import pytest

from gossamer.adapters.local.home import open_home
from gossamer.core.urls import host_of
from gossamer.entrypoints.audit import audit
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts
from gossamer.runtime import decode_body
from tests.pump import answer, page, redirect, robots


@pytest.fixture
def warc(tmp_path):
    """Writes requests into a WARC file: `warc(ask(…), ask(…))` returns its certificate."""
    home = open_home(None, tmp_path, decode_body)

    def write(*requests):
        for response, facts in requests:
            asyncio.run(home.pages.append(response, facts))
        home.pages.sync()
        return audit(home.pages.files())

    yield write
    home.close()


def ask(url, at, *, delay=1.0, purpose="page", body=b"<p>hello", code=200, **more):
    response = HttpResponse(
        url=url, started_at=at, code=code, raw=body, body=body, fault=more.pop("fault", "")
    )
    facts = RequestFacts(
        job="web",
        host=host_of(url),
        purpose=purpose,
        slot=at,
        delay=delay,
        grace=0.0,
        depth=0,
        tries=0,
        agent="Gossamer/0.1",
        robots_for=more.pop("robots_for", host_of(url) if purpose == "robots" else ""),
        **more,
    )
    return response, facts


def rules(text="", at=90.0, host="a.test", **more):
    url = more.pop("url", f"http://{host}/robots.txt")
    return ask(url, at, purpose="robots", body=text.encode(), robots_for=host, **more)


def kinds(certificate):
    return [violation.kind for violation in certificate.listed]


def test_requests_a_delay_apart_are_no_violation(warc):
    certificate = warc(
        rules(),
        ask("http://a.test/", 100.0),
        ask("http://a.test/x", 101.0),
        ask("http://a.test/y", 102.5),
    )

    assert (certificate.violations, certificate.listed) == (0, [])
    assert (certificate.hosts, certificate.requests, certificate.files) == (1, 4, 1)
    assert certificate.min_gap_over_delay == 1.0


def test_a_gap_that_is_too_short_is_a_violation_that_names_both(warc):
    certificate = warc(rules(), ask("http://a.test/", 100.0), ask("http://a.test/x", 100.9))

    (violation,) = certificate.listed
    assert certificate.violations == 1
    assert (violation.kind, violation.host, violation.url) == ("gap", "a.test", "http://a.test/x")
    assert violation.at == 100.9
    assert violation.detail == "0.900000 s after http://a.test/, where the delay is 1 s"
    assert certificate.min_gap_over_delay == 0.9


@pytest.mark.parametrize("purpose", ["page", "sitemap"])
def test_every_request_counts_whatever_it_is_for_and_whatever_came_of_it(warc, purpose):
    certificate = warc(
        rules(),
        ask("http://a.test/x", 100.0, purpose=purpose, code=404),
        ask("http://a.test/y", 100.5, purpose=purpose, code=0, fault="timeout", body=b""),
    )

    assert kinds(certificate) == ["gap"]


def test_a_page_too_soon_after_robots_txt_is_a_violation(warc):
    certificate = warc(rules(at=99.5), ask("http://a.test/", 100.0))

    assert kinds(certificate) == ["gap"]


def test_different_hosts_need_no_gap(warc):
    certificate = warc(
        rules(),
        rules(host="b.test"),
        ask("http://a.test/", 100.0),
        ask("http://b.test/", 100.0),
    )

    assert (certificate.hosts, certificate.violations) == (2, 0)


def test_requests_under_no_delay_do_not_count(warc):
    certificate = warc(
        rules(delay=0.0),
        ask("http://a.test/", 100.0, delay=0.0),
        ask("http://a.test/x", 100.0, delay=0.0),
    )

    assert (certificate.violations, certificate.min_gap_over_delay) == (0, None)


def test_the_delay_in_force_at_the_later_request_counts(warc):
    certificate = warc(
        rules(),
        ask("http://a.test/", 100.0, delay=1.0),
        ask("http://a.test/x", 102.0, delay=5.0),
    )

    assert kinds(certificate) == ["gap"]


def test_the_order_in_the_file_does_not_matter(warc):
    certificate = warc(
        ask("http://a.test/y", 102.0), ask("http://a.test/x", 100.0), rules(), rules(at=80.0)
    )

    assert certificate.violations == 0


def test_a_disallowed_url_is_a_violation(warc):
    certificate = warc(
        rules("User-agent: *\nDisallow: /no"),
        ask("http://a.test/no/x", 100.0),
        ask("http://a.test/yes", 110.0),
    )

    (violation,) = certificate.listed
    assert (violation.kind, violation.url) == ("disallowed", "http://a.test/no/x")


def test_rules_count_from_when_they_were_read(warc):
    certificate = warc(
        rules(at=90.0),
        ask("http://a.test/no", 100.0),
        rules("User-agent: *\nDisallow: /no", at=110.0),
        ask("http://a.test/no", 120.0),
    )

    assert [violation.at for violation in certificate.listed] == [120.0]


def test_rules_that_were_taken_away_count_no_longer(warc):
    certificate = warc(
        rules("User-agent: *\nDisallow: /no", at=90.0),
        rules("nothing", at=110.0, code=404),
        ask("http://a.test/no", 120.0),
    )

    assert certificate.violations == 0


def test_after_a_robots_txt_that_could_not_be_read_nothing_may_be_asked(warc):
    certificate = warc(rules("broken", code=500), ask("http://a.test/", 100.0))

    assert kinds(certificate) == ["disallowed"]


def test_a_page_before_any_robots_txt_is_a_violation(warc):
    certificate = warc(ask("http://a.test/", 100.0), rules(at=110.0))

    assert kinds(certificate) == ["robots-unread"]


def test_rules_that_lie_elsewhere_hold_for_the_host_they_were_asked_for(warc):
    certificate = warc(
        rules("", code=301),
        rules("User-agent: *\nDisallow: /no", url="http://b.test/rules", at=95.0),
        ask("http://a.test/no", 100.0),
    )

    assert kinds(certificate) == ["disallowed"]


def test_a_crawl_delay_that_was_ignored_is_a_violation(warc):
    text = "User-agent: *\nCrawl-delay: 10"

    certificate = warc(rules(text), ask("http://a.test/", 101.0, delay=1.0, max_delay=60.0))

    assert kinds(certificate) == ["crawl-delay"]


def test_a_crawl_delay_beyond_the_cap_of_the_job_is_cut_to_it(warc):
    text = "User-agent: *\nCrawl-delay: 1000"

    certificate = warc(rules(text), ask("http://a.test/", 200.0, delay=60.0, max_delay=60.0))

    assert certificate.violations == 0


def test_of_very_many_violations_some_are_listed_and_all_are_counted(warc):
    requests = [ask(f"http://a.test/{i}", 100.0 + i / 10) for i in range(50)]

    certificate = warc(rules(), *requests)

    assert certificate.violations == 49
    assert len(certificate.listed) == 20


def test_no_files_are_no_violation(tmp_path):
    assert audit([]).violations == 0


async def test_a_real_crawl_has_a_clean_certificate(world):
    w = world(
        {
            "http://a.test/robots.txt": robots("User-agent: *\nDisallow: /no\nCrawl-delay: 3"),
            "http://a.test/": page("/x", "/no", "/gone", title="root"),
            "http://a.test/x": [answer(503), redirect("/y")],
        }
    )
    await w.crawl()

    certificate = audit(w.home.pages.files())

    assert certificate.requests == len(w.fetcher.asked)
    assert certificate.violations == 0
    assert (certificate.min_gap_over_delay or 0.0) >= 1.0


async def test_a_host_whose_robots_txt_redirects_for_ever_has_no_rules_to_break(world):
    w = world(
        {
            "http://a.test/robots.txt": redirect("/robots.txt"),
            "http://a.test/": page(title="root"),
        }
    )
    await w.crawl()

    assert audit(w.home.pages.files()).listed == []
