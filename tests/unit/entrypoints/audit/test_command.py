from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.adapters.warc import file_member, request_members
from gossamer.core.urls import host_of
from gossamer.entrypoints.audit.checks import RULES
from gossamer.entrypoints.audit.command import audit
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts
from tests.pump import answer, page, redirect, robots

if TYPE_CHECKING:
    from pathlib import Path

DAY = 24 * 3600.0


def warc_of(folder: Path, *requests, name="web-1.warc.gz") -> Path:
    """A WARC file of requests; one may also be given as its bytes."""
    members = [r if isinstance(r, bytes) else b"".join(request_members(*r)) for r in requests]
    path: Path = folder / name
    path.write_bytes(file_member(name) + b"".join(members))
    return path


@pytest.fixture
def warc(tmp_path):
    """Writes requests into a WARC file: `warc(ask(…), ask(…))` returns its certificate."""
    return lambda *requests: audit([warc_of(tmp_path, *requests)])


def ask(url, at, *, delay=1.0, purpose="page", body=b"<p>hello", code=200, **more):
    response = HttpResponse(
        url=url,
        started_at=at,
        seconds=more.pop("seconds", 0.0),
        code=code,
        raw=body,
        body=body,
        fault=more.pop("fault", ""),
        headers=tuple(more.pop("headers", ())),
    )
    facts = RequestFacts(
        job="web",
        host=host_of(url),
        purpose=purpose,
        slot=more.pop("slot", at),
        delay=delay,
        grace=more.pop("grace", 0.04 if delay > 0 else 0.0),
        depth=0,
        tries=more.pop("tries", 0),
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


def test_times_of_two_eras_of_a_host_are_not_compared(warc):
    refused = [("Retry-After", "200")]
    before = [
        rules(at=90.0),
        ask("http://a.test/", 3700.0),
        ask("http://a.test/x", 3701.0, code=429, headers=refused),
    ]
    after = [ask(f"http://a.test/{at}", at, era=1) for at in (500.0, 3700.5, 3702.0)]

    certificate = warc(*before, *after)

    assert (certificate.violations, certificate.requests) == (0, 6)


def test_a_short_gap_within_an_era_is_a_violation(warc):
    certificate = warc(
        rules(),
        ask("http://a.test/", 100.0, era=1),
        ask("http://a.test/x", 100.5, era=1),
    )

    assert kinds(certificate) == ["gap"]


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

    assert kinds(certificate) == ["robots-unavailable"]


@pytest.mark.parametrize(
    "trouble",
    [
        {"code": 0, "fault": "timeout", "text": ""},
        {"code": 429},
        {"code": 503},
        {"code": 200, "fault": "truncated-body"},
    ],
)
def test_rules_that_cannot_be_had_now_forbid_everything_until_they_can(warc, trouble):
    certificate = warc(
        rules(at=10.0),
        rules(**({"text": "User-agent: *\nAllow: /"} | trouble), at=90.0),
        ask("http://a.test/x", 100.0),
        rules(at=110.0),
        ask("http://a.test/y", 120.0),
    )

    assert [(v.kind, v.url) for v in certificate.listed] == [
        ("robots-unavailable", "http://a.test/x")
    ]


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


class TestSlots:
    def test_a_request_may_start_as_late_as_its_grace(self, warc):
        certificate = warc(rules(), ask("http://a.test/", 100.04, slot=100.0))

        assert certificate.violations == 0

    @pytest.mark.parametrize("at", [99.99, 100.05])
    def test_a_request_outside_its_window_is_a_violation(self, warc, at):
        certificate = warc(rules(), ask("http://a.test/", at, slot=100.0))

        assert kinds(certificate) == ["slot-window"]

    def test_a_slot_that_was_used_twice_is_a_violation(self, warc):
        certificate = warc(
            rules(),
            ask("http://a.test/x", 100.0, slot=100.0, grace=2.0),
            ask("http://a.test/y", 101.0, slot=100.0, grace=2.0),
        )

        assert kinds(certificate) == ["slot-reuse"]
        assert "http://a.test/x" in certificate.listed[0].detail

    def test_without_a_delay_there_are_no_slots(self, warc):
        free = [ask(f"http://a.test/{i}", 100.0, delay=0.0, slot=99.0) for i in range(3)]

        assert warc(rules(), *free).violations == 0

    def test_a_delay_without_a_grace_is_noted(self, warc):
        certificate = warc(rules(), ask("http://a.test/", 101.0, slot=100.0, grace=0.0))

        assert certificate.violations == 0
        assert certificate.notes == [
            "1 requests name a delay but no grace: their slots were not checked"
        ]


class TestRobots:
    def test_rules_of_yesterday_are_too_old(self, warc):
        certificate = warc(rules(at=100.0), ask("http://a.test/", 101.0 + DAY))

        assert kinds(certificate) == ["robots-stale"]

    def test_their_day_begins_when_they_have_arrived(self, warc):
        certificate = warc(rules(at=100.0, seconds=5.0), ask("http://a.test/", 104.0 + DAY))

        assert certificate.violations == 0

    def test_a_redirect_is_no_answer(self, warc):
        moved = rules(code=301, headers=[("Location", "http://b.test/rules")])

        assert kinds(warc(moved, ask("http://a.test/", 100.0))) == ["robots-unread"]

    def test_encoded_rules_are_rules(self, warc):
        import gzip

        url = "http://a.test/robots.txt"
        packed = gzip.compress(b"User-agent: *\nDisallow: /")
        encoded = [("Content-Encoding", "gzip")]
        answer = ask(url, 90.0, purpose="robots", body=packed, headers=encoded)

        assert kinds(warc(answer, ask("http://a.test/", 100.0))) == ["disallowed"]

    def test_rules_that_cannot_be_decoded_are_noted(self, warc):
        encoded = [("Content-Encoding", "gzip")]

        certificate = warc(rules("no gzip", headers=encoded), ask("http://a.test/", 100.0))

        assert "the rules of http://a.test/robots.txt cannot be decoded" in certificate.notes[0]


class TestBackOff:
    X, Y = "http://a.test/x", "http://a.test/y"

    def refused(self, code=429, wait="30", **more):
        return ask(self.X, 100.0, code=code, headers=[("Retry-After", wait)], **more)

    @pytest.mark.parametrize("code", [429, 503])
    def test_a_request_before_the_host_may_be_asked_again_is_a_violation(self, warc, code):
        certificate = warc(rules(), self.refused(code), ask(self.Y, 129.0))

        (violation,) = certificate.listed
        assert violation.kind == "retry-after"
        assert violation.detail == f"1.000 s too early after code {code} for {self.X}"

    def test_the_wait_begins_with_the_end_of_the_response(self, warc):
        certificate = warc(rules(), self.refused(seconds=2.0), ask(self.Y, 131.0))

        assert kinds(certificate) == ["retry-after"]

    def test_a_host_that_was_left_alone_is_no_violation(self, warc):
        certificate = warc(rules(), self.refused(), ask(self.Y, 130.0), ask(self.X, 132.0, tries=1))

        assert certificate.violations == 0

    def test_no_retry_after_counts_for_longer_than_300_s(self, warc):
        certificate = warc(rules(), self.refused(wait="9999"), ask(self.Y, 400.0))

        assert certificate.violations == 0

    def test_what_was_under_way_could_not_know(self, warc):
        certificate = warc(rules(), self.refused(seconds=1.5), ask(self.Y, 101.5, slot=101.5))

        assert certificate.violations == 0

    def test_a_host_that_said_503_is_asked_more_slowly(self, warc):
        certificate = warc(
            rules(delay=0.5),
            ask(self.X, 100.0, code=503, delay=0.5),
            ask(self.Y, 101.0, delay=0.5),
        )

        assert kinds(certificate) == ["slow-down"]

    def test_a_good_response_ends_the_penalty(self, warc):
        certificate = warc(
            rules(delay=0.5),
            ask(self.X, 100.0, code=503, delay=0.5, seconds=0.6),
            ask(self.Y, 100.6, delay=0.5, seconds=0.1),
            ask("http://a.test/z", 102.0, delay=0.5),
        )

        assert certificate.violations == 0

    def test_a_refusal_that_a_kill_made_us_forget_is_noted(self, warc):
        certificate = warc(rules(), self.refused(), ask(self.X, 110.0))

        assert certificate.violations == 0
        assert any("a kill made us forget" in note for note in certificate.notes)


class TestRetries:
    def test_a_second_try_follows_a_failure(self, warc):
        certificate = warc(
            rules(), ask("http://a.test/", 100.0, code=500), ask("http://a.test/", 110.0, tries=1)
        )

        assert (certificate.violations, certificate.notes) == (0, [])

    def test_a_second_try_of_what_went_well_is_a_violation(self, warc):
        certificate = warc(
            rules(), ask("http://a.test/", 100.0), ask("http://a.test/", 110.0, tries=1)
        )

        assert kinds(certificate) == ["retry"]

    def test_a_repeated_first_try_is_noted(self, warc):
        """The WARC names no round: a refresh and a kill look the same."""
        certificate = warc(rules(), ask("http://a.test/", 100.0), ask("http://a.test/", 110.0))

        assert certificate.violations == 0
        assert certificate.notes == [
            "1 requests repeat an earlier one of their URL: a refresh, or a kill"
        ]


def test_what_found_no_address_reached_no_host(warc):
    """Its record says when the lookup failed, which may be long after its slot."""
    lost = ask("http://a.test/x", 109.9, slot=100.0, code=0, fault="dns-busy", body=b"")

    certificate = warc(rules(), lost, ask("http://a.test/y", 110.0))

    assert (certificate.violations, certificate.requests, certificate.unsent) == (0, 3, 1)


def test_every_kind_of_violation_is_a_check_with_a_rule(warc):
    certificate = warc(ask("http://a.test/", 100.0), rules("User-agent: *\nDisallow: /", at=100.5))

    assert [check.name for check in certificate.checks] == list(RULES)
    found = {check.name: check.violations for check in certificate.checks if check.violations}
    assert found == {"gap": 1, "robots-unread": 1}
    assert sum(found.values()) == certificate.violations
    assert {check.name: check.examined for check in certificate.checks}["incomplete"] == 2


def test_some_of_every_kind_are_listed_before_more_of_any(warc):
    requests = [ask(f"http://a.test/{i}", 100.0 + i / 10) for i in range(50)]

    certificate = warc(
        rules("User-agent: *\nDisallow: /no"), *requests, ask("http://a.test/no", 200.0)
    )

    assert len(certificate.listed) == 20
    assert kinds(certificate).count("disallowed") == 1


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
