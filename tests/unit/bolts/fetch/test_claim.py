from __future__ import annotations

import itertools
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import ClassVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.bolts.fetch.claim import MAX_LOST, SOON
from gossamer.bolts.packs import packs
from gossamer.core.crawl.claims import LEASE
from gossamer.core.crawl.host_record import Aside, HostChange
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import Discovery, UrlChange
from gossamer.core.crawl.url_state import Event, State
from gossamer.core.fingerprint import fingerprint
from gossamer.core.urls import host_of, sitemap_id, url_id
from gossamer.entrypoints.audit.command import audit
from gossamer.messages import Candidate, Emission, FetchRequest
from gossamer.ports.fetcher import LATE
from tests.documents import document_of, documents_of
from tests.effort import often
from tests.life import bring
from tests.pump import (
    JOB,
    Answer,
    VirtualClock,
    answer,
    broken,
    make_world,
    page,
    redirect,
    robots,
)

DAY = 24 * 3600.0
X = "http://a.test/x"


def ready(w, *urls, depth=1, **facts):
    """URLs that wait for their slot on hosts whose rules are known."""
    for url in urls:
        known = {"robots_code": 200, "robots_until": w.clock() + DAY}
        w.home.hosts.change(host_of(url), HostChange(**(known | facts)))
        w.home.urls.add([Discovery(url_id(url), url, host_of(url), depth)], b"", w.clock())
        assert w.home.jobs.reserve(JOB, [url_id(url)])


def request(url=X, slot=100.0, *, delay=1.0, **more):
    candidate = Candidate(url, more.pop("depth", 1), more.pop("hops", 0), more.pop("tries", 0))
    return FetchRequest(
        job=JOB,
        host=host_of(url),
        candidate=candidate,
        slot=slot,
        delay=delay,
        grace=more.pop("grace", 0.5),
        **more,
    )


async def fetch(w, message):
    return await w.deal_with("fetch", message)


async def fetch_twice(w, message):
    """A crash after the bolt and before its emissions were sent: the message comes back."""
    return await fetch(w, message), await fetch(w, message)


class TestASlot:
    async def test_buys_one_request_and_the_page_goes_to_be_parsed(self, world):
        w = world({X: page(title="x")})
        ready(w, X, depth=3)

        (emission,) = await fetch(w, request(depth=3))

        record = w.record(X)
        assert w.fetcher.urls() == [X]
        assert emission.stream == "parse"
        assert (emission.message.url, emission.message.depth) == (X, 3)
        assert emission.message.page == record.page
        assert (record.state, record.code, record.tries) == (State.FETCHED, 200, 1)

    async def test_that_has_not_come_yet_is_waited_for(self, world):
        w = world({X: page()})
        ready(w, X)

        (emission,) = await fetch(w, request(slot=103.0))

        assert (emission.stream, emission.message, emission.delay) == (
            "fetch",
            request(slot=103.0),
            3.0,
        )
        assert w.fetcher.asked == []

    async def test_that_is_over_is_booked_again_and_its_budget_is_free(self, world):
        w = world({X: page()}, max_pages=5)
        ready(w, X)
        w.clock.advance_to(100.6)

        (emission,) = await fetch(w, request(slot=100.0, grace=0.5))

        assert emission.stream == "frontier"
        assert [c.url for c in emission.message.urls] == [X]
        assert w.fetcher.asked == []
        assert w.budget() == (5, None)

    async def test_is_used_until_the_end_of_its_grace(self, world):
        w = world({X: page()})
        ready(w, X)
        w.clock.advance_to(100.5)

        await fetch(w, request(slot=100.0, grace=0.5))

        assert w.fetcher.urls() == [X]
        assert w.fetcher.asked[0].request.start_by == 100.5

    async def test_that_passes_while_we_prepare_is_booked_again(self, world):
        w = world({X: broken(LATE)})
        ready(w, X)

        (emission,) = await fetch(w, request())

        assert emission.stream == "frontier"
        assert w.record(X).state is State.DISCOVERED
        assert w.home.pages.files() == []

    async def test_without_delay_never_passes(self, world):
        w = world({X: page()}, delay=0.0)
        ready(w, X)
        w.clock.advance_to(500.0)

        await fetch(w, request(delay=0.0, grace=0.0))

        assert w.fetcher.urls() == [X]

    async def test_booked_at_a_pace_now_too_fast_is_void(self, world):
        w = world({X: page()}, delay=1.0)
        ready(w, X, penalty=4.0)

        (emission,) = await fetch(w, request(delay=1.0))

        assert emission.stream == "frontier"
        assert w.fetcher.asked == []

    async def test_before_the_host_wants_to_be_asked_again_is_void(self, world):
        w = world({X: page()})
        ready(w, X, not_before=110.0)

        (emission,) = await fetch(w, request())

        assert emission.stream == "frontier"
        assert w.fetcher.asked == []

    async def test_of_a_stopped_job_is_not_used(self, world):
        w = world({X: page()})
        ready(w, X)
        w.home.jobs.set_state(JOB, "stopped")
        w.send(Emission("fetch", request()))

        await w.drain()

        assert w.fetcher.asked == []
        assert w.end_of(X) == (State.EXCLUDED, "stopped")

    async def test_of_a_host_set_aside_meanwhile_is_not_used(self, world):
        w = world({X: page()})
        ready(w, X, aside=Aside("host-set-aside"))
        w.send(Emission("fetch", request()))

        await w.drain()

        assert w.fetcher.asked == []
        assert w.end_of(X) == (State.FAILED, "host-set-aside")

    async def test_whose_url_was_forbidden_meanwhile_is_not_used(self, world):
        w = world({X: page()}, max_pages=5)
        ready(w, X, robots_text="User-agent: *\nDisallow: /x")

        assert await fetch(w, request()) == []
        assert w.fetcher.asked == []
        assert w.end_of(X) == (State.EXCLUDED, "robots")
        assert w.budget() == (5, None)

    async def test_under_rules_that_grew_old_waits_for_new_ones(self, world):
        w = world({X: page()})
        ready(w, X, robots_until=100.0)

        (emission,) = await fetch(w, request())

        assert emission.stream == "frontier"
        assert w.fetcher.asked == []


class TestAMessageThatComesBack:
    """After each crash point the message comes again: nothing is lost, nothing is asked twice."""

    async def test_after_the_claim_books_a_new_slot_once_the_lease_is_over(self, world):
        """The process died while its request was under way."""
        w = world({X: page(title="x")})
        ready(w, X)
        await w.home.urls.claim(url_id(X), 100.0, 100.0 + LEASE, 100.0)

        (early,) = await fetch(w, request())
        w.clock.advance(SOON)
        (then,) = await fetch(w, request(grace=LEASE))
        w.clock.advance(LEASE - SOON + 1.0)
        (late,) = await fetch(w, request(grace=LEASE + 10.0))

        assert (early.stream, early.delay) == ("fetch", SOON)
        assert (then.stream, then.delay) == ("fetch", LEASE - SOON + 1.0)
        assert late.stream == "frontier"
        assert w.fetcher.asked == []

    async def test_after_a_page_emits_it_again(self, world):
        w = world({X: page(title="x")})
        ready(w, X)

        lost, again = await fetch_twice(w, request())

        assert again == lost
        assert again[0].stream == "parse"
        assert w.fetcher.urls() == [X]

    async def test_after_a_redirect_emits_it_again(self, world):
        w = world({X: redirect("/y")}, max_pages=5)
        ready(w, X)

        lost, again = await fetch_twice(w, request())

        assert again == lost
        assert again[0].message.links[0].url == "http://a.test/y"
        assert w.fetcher.urls() == [X]
        assert w.budget() == (5, None)

    async def test_after_a_duplicate_elsewhere_emits_its_links_again(self, world):
        w = world({X: page("y", title="same")}, max_documents=5)
        owner = "http://b.test/folder/"
        md5 = fingerprint(page("y", title="same").body)
        w.home.contents.own(md5, owner)
        w.home.urls.add([Discovery(url_id(owner), owner, "b.test", 1)], b"", w.clock())
        bring(w.home.urls, url_id(owner), State.FETCHED, UrlChange(md5=md5))
        ready(w, X)

        lost, again = await fetch_twice(w, request())

        assert again == lost
        assert (again[0].stream, again[0].message.links_only) == ("parse", True)
        assert w.fetcher.urls() == [X]
        assert w.budget() == (None, 5)

    async def test_after_a_retry_was_decided_asks_for_a_slot_again(self, world):
        w = world({X: answer(500)}, max_pages=5)
        ready(w, X)

        (lost,), (again,) = await fetch_twice(w, request())

        assert again.message == lost.message
        assert again.message.urls == [Candidate(X, 1, 0, 1)]
        assert w.fetcher.urls() == [X]
        assert w.budget() == (5, None)

    @pytest.mark.parametrize("code", [403, 404])
    async def test_after_an_end_has_nothing_to_add(self, world, code):
        w = world({X: answer(code)}, max_pages=5)
        ready(w, X)

        assert await fetch_twice(w, request()) == ([], [])
        assert w.fetcher.urls() == [X]
        assert w.budget() == (5, None)

    async def test_after_robots_txt_was_read_does_not_read_it_again(self, world):
        w = world({"http://a.test/robots.txt": robots("User-agent: *\nDisallow: /no")})
        message = request("http://a.test/robots.txt", purpose="robots", robots_for="a.test")

        _, again = await fetch_twice(w, message)

        assert again == []
        assert len(w.fetcher.asked) == 1

    async def test_while_robots_txt_is_asked_for_looks_again_later(self, world):
        w = world()
        message = request("http://a.test/robots.txt", purpose="robots", robots_for="a.test")
        await w.home.hosts.claim_service("a.test", message.slot)

        (emission,) = await fetch(w, message)

        assert (emission.stream, emission.message) == ("fetch", message)
        assert emission.delay == SOON
        assert w.fetcher.asked == []

    async def test_whose_robots_txt_was_never_read_books_a_new_slot_for_it(self, world):
        w = world()
        message = request(
            "http://a.test/robots.txt", purpose="robots", robots_for="a.test", delay=0
        )
        await w.home.hosts.claim_service("a.test", message.slot)
        w.clock.advance(LEASE + 1.0)

        (emission,) = await fetch(w, message)

        assert emission.stream == "frontier"
        assert emission.message.purpose == "robots"
        assert emission.message.robots_for == "a.test"
        assert w.fetcher.asked == []

    async def test_whose_holder_died_does_not_disturb_the_present_holder(self, world):
        w = world({X: page(title="x")})
        ready(w, X)
        await w.home.urls.claim(url_id(X), 100.0, 100.0 + LEASE, 100.0)
        w.clock.advance(LEASE + 1.0)
        await w.home.urls.claim(url_id(X), w.clock(), w.clock() + LEASE, w.clock())

        assert await fetch(w, request(delay=0)) == []
        assert w.record(X).state is State.FETCHING

    async def test_whose_holder_died_leaves_the_claim_of_a_later_slot_to_its_own_message(
        self, world
    ):
        w = world({X: page(title="x")})
        ready(w, X)
        for slot in (100.0, 200.0):
            await w.home.urls.claim(url_id(X), slot, slot + LEASE, slot)
        w.clock.advance_to(200.0 + LEASE + 1.0)

        await fetch(w, request(slot=100.0, delay=0))

        assert (w.record(X).state, w.record(X).slot) == (State.FETCHING, 200.0)

    @pytest.mark.parametrize(
        ("why", "end"),
        [
            ("its host is set aside", (State.FAILED, "host-set-aside")),
            ("its job is stopped", (State.EXCLUDED, "stopped")),
            ("robots.txt forbids it", (State.EXCLUDED, "robots")),
        ],
    )
    async def test_whose_holder_died_ends_if_it_may_not_be_fetched_any_more(self, world, why, end):
        w = world({X: page(title="x")})
        ready(w, X)
        await w.home.urls.claim(url_id(X), 100.0, 100.0 + LEASE, 100.0)
        w.clock.advance(LEASE + 1.0)
        w.send(*await fetch(w, request(delay=0)))
        if why == "its host is set aside":
            w.home.hosts.change("a.test", HostChange(aside=Aside("host-set-aside")))
        elif why == "its job is stopped":
            w.home.jobs.set_state(JOB, "stopped")
        else:
            w.home.hosts.change("a.test", HostChange(robots_text="User-agent: *\nDisallow: /"))

        await w.drain()

        assert w.end_of(X) == end
        assert w.fetcher.asked == []

    async def test_whose_holder_died_asks_again_however_often_it_comes(self, world):
        w = world({X: page(title="x")})
        ready(w, X)
        await w.home.urls.claim(url_id(X), 100.0, 100.0 + LEASE, 100.0)
        w.clock.advance(LEASE + 1.0)

        lost, again = await fetch_twice(w, request(delay=0))
        w.send(*lost, *again)
        await w.drain()

        assert [e.stream for e in (*lost, *again)] == ["frontier"] * 2
        assert w.fetcher.urls() == [X]
        assert w.end_of(X) == (State.PARSED, "document")

    async def test_of_a_job_that_was_stopped_meanwhile_leads_nowhere(self, world):
        def stopped(_request):
            w.home.urls.close_open(JOB, "stopped")
            return redirect("/y")

        w = world({X: stopped})
        w.home.urls.add([Discovery(url_id(X), X, "a.test", 1, job=JOB)], b"", w.clock())
        ready(w, X)

        assert await fetch(w, request()) == []
        assert w.end_of(X) == (State.EXCLUDED, "stopped")

    async def test_whose_holder_always_dies_is_given_up_at_last(self, world):
        w = world({X: page(title="x")}, max_pages=5)
        ready(w, X)
        message = request(delay=0)
        for _ in range(MAX_LOST):
            await w.home.urls.claim(url_id(X), message.slot, w.clock() + LEASE, w.clock())
            w.clock.advance(LEASE + 1.0)
            (emission,) = await fetch(w, message)
            candidate = emission.message.urls[0]
            message = msgspec.structs.replace(message, candidate=candidate, slot=w.clock())
        await w.home.urls.claim(url_id(X), message.slot, w.clock() + LEASE, w.clock())
        w.clock.advance(LEASE + 1.0)

        assert await fetch(w, message) == []
        assert w.end_of(X) == (State.FAILED, "dead-letter")
        assert w.budget() == (5, None)
        assert w.fetcher.asked == []

    async def test_for_a_sitemap_has_it_read_and_asks_only_once(self, world):
        url = "http://a.test/sitemap.xml"
        w = world({url: answer(200, "http://a.test/y")})
        ready(w, "http://a.test/")
        w.home.urls.add([Discovery(sitemap_id(url), url, "a.test", 0)], b"", w.clock())

        lost, again = await fetch_twice(w, request(url, purpose="sitemap"))

        assert [e.stream for e in (*lost, *again)] == ["parse", "parse"]
        assert lost[0].message == again[0].message
        assert lost[0].message.purpose == "sitemap"
        assert len(w.fetcher.asked) == 1

    async def test_of_a_slot_that_another_slot_has_outrun_costs_no_budget(self, world):
        w = world({X: page(title="x")}, max_pages=5)
        ready(w, X)
        w.home.jobs.reserve(JOB, [url_id(X)])
        await fetch(w, request(slot=100.0))
        w.clock.advance_to(100.25)

        assert await fetch(w, request(slot=100.25)) == []
        assert w.fetcher.urls() == [X]
        assert w.budget() == (4, None)

    async def test_twice_each_changes_nothing_in_what_a_crawl_finds(self, world, tmp_path, clock):
        """Every message of a whole crawl is delivered twice, and both emissions are sent."""
        site: dict[str, Answer] = {
            "http://a.test/robots.txt": robots("User-agent: *\nDisallow: /no"),
            "http://a.test/": page("/x", "/y", "/gone", "/no", "/away", title="root"),
            X: page("/y", "/deep/", title="x"),
            "http://a.test/y": [answer(500), page("/x", title="y")],
            "http://a.test/deep/": page("/", title="deep"),
            "http://a.test/away": redirect("/deep/"),
        }
        once = world(dict(site), delay=0.5)
        await once.crawl()
        twice = make_world(tmp_path / "twice", VirtualClock(), dict(site), delay=0.5)

        await twice.crawl(deliveries=lambda: 2)
        twice.home.close()

        assert sorted(twice.fetcher.urls()) == sorted(once.fetcher.urls())
        files = sorted((tmp_path / "twice").glob("*"))
        assert audit(files).violations == 0


class TestA429:
    async def test_delays_the_host_by_what_it_asks_for(self, world):
        wait = answer(429, headers=[("Retry-After", "30")])
        w = world({X: [wait, page(title="x")], "http://a.test/y": page(title="y")})
        ready(w, X, "http://a.test/y")
        w.send(Emission("fetch", request()), Emission("fetch", request("http://a.test/y", 101.5)))

        await w.drain()

        first, *rest = w.fetcher.times("a.test")
        assert first == pytest.approx(100.0)
        assert min(rest) >= 130.0
        assert w.end_of(X) == w.end_of("http://a.test/y") == (State.PARSED, "document")

    async def test_voids_slots_that_were_booked_at_the_old_pace(self, world):
        w = world({X: answer(429)}, delay=1.0)
        ready(w, X, "http://a.test/y")
        await fetch(w, request())
        w.clock.advance_to(101.5)

        (emission,) = await fetch(w, request("http://a.test/y", slot=101.5))

        assert emission.stream == "frontier"
        assert w.fetcher.urls() == [X]
        assert w.home.hosts.get("a.test").penalty == 2.0

    async def test_that_was_long_in_coming_counts_from_its_end(self, world):
        w = world({X: [answer(429, seconds=8.0), page(title="x")]}, delay=1.0)
        ready(w, X)
        w.send(Emission("fetch", request()))

        await w.drain()

        _, second = w.fetcher.times("a.test")
        assert second >= 108.0 + 2.0

    async def test_that_asks_for_hours_ends_the_url(self, world):
        w = world({X: answer(429, headers=[("Retry-After", "7200")])}, max_pages=5)
        ready(w, X)

        assert await fetch(w, request()) == []
        assert w.end_of(X) == (State.FAILED, "rate-limited")
        assert w.budget() == (5, None)

    async def test_again_and_again_doubles_the_delay_up_to_a_minute(self, world):
        w = world({X: answer(429)}, retries=10, delay=1.0)
        ready(w, X)
        w.send(Emission("fetch", request()))

        await w.drain()

        times = w.fetcher.times("a.test")
        gaps = [round(b - a) for a, b in itertools.pairwise(times)]
        assert gaps[:6] == [2, 4, 8, 16, 32, 60]
        assert max(gaps) == 60

    async def test_is_forgiven_by_good_answers(self, world):
        w = world({X: [answer(429), page(title="x")]}, delay=1.0)
        ready(w, X)
        w.send(Emission("fetch", request()))

        await w.drain()

        assert w.home.hosts.get("a.test").penalty == pytest.approx(1.8)


class TestTrouble:
    @pytest.mark.parametrize("retries", [0, 1, 3])
    @pytest.mark.parametrize("trouble", [answer(500), answer(503), broken("timeout")])
    async def test_is_tried_again_at_most_as_often_as_the_job_says(self, world, retries, trouble):
        w = world({X: trouble}, retries=retries, max_pages=5)
        ready(w, X)
        w.send(Emission("fetch", request()))

        await w.drain()

        assert w.fetcher.urls() == [X] * (1 + retries)
        assert w.record(X).state is State.FAILED
        assert w.record(X).tries == 1 + retries
        assert w.budget() == (5, None)

    async def test_waits_longer_before_each_retry(self, world):
        w = world({X: answer(502)}, retries=3, retry_wait=5.0)
        ready(w, X)
        w.send(Emission("fetch", request()))

        await w.drain()

        times = w.fetcher.times("a.test")
        gaps = [b - a for a, b in itertools.pairwise(times)]
        assert [round(gap) for gap in gaps] == [5, 20, 80]

    async def test_that_passes_leaves_a_document(self, world):
        w = world({X: [broken("connection-reset"), answer(500), page(title="x")]})
        ready(w, X)
        w.send(Emission("fetch", request()))

        await w.drain()

        assert w.end_of(X) == (State.PARSED, "document")
        assert w.record(X).tries == 3

    @pytest.mark.parametrize(
        ("response", "end"),
        [
            (answer(404), (State.GONE, "http-404")),
            (answer(410), (State.GONE, "http-410")),
            (answer(403), (State.FAILED, "http-403")),
            (answer(204), (State.EXCLUDED, "http-204")),
            (answer(205, b"x"), (State.EXCLUDED, "http-205")),
            (answer(200, b" \n"), (State.EXCLUDED, "empty-body")),
            (answer(200, fault="content-type"), (State.EXCLUDED, "content-type")),
            (answer(200, b"x", fault="too-large"), (State.EXCLUDED, "too-large")),
            (answer(200, b"x", fault="truncated-body"), (State.FAILED, "truncated-body")),
            (broken("malformed-response"), (State.FAILED, "malformed-response")),
            (broken("dns"), (State.FAILED, "dns")),
            (redirect(""), (State.FAILED, "bad-redirect")),
            (redirect("mailto:me@a.test"), (State.FAILED, "bad-redirect")),
            (redirect(X), (State.FAILED, "redirect-loop")),
            (redirect("#top"), (State.FAILED, "redirect-loop")),
        ],
    )
    async def test_that_is_final_ends_the_url_and_costs_no_budget(self, world, response, end):
        w = world({X: response}, max_pages=5, max_documents=5)
        ready(w, X)
        w.send(Emission("fetch", request()))

        await w.drain()

        assert w.end_of(X) == end
        assert w.fetcher.urls() == [X]
        assert w.budget() == (5, 5)

    async def test_of_a_loop_of_several_ends_its_last_one(self, world):
        y, z = "http://a.test/y", "http://a.test/z"
        w = world({X: redirect("/y"), y: redirect("/z"), z: redirect("/x")})
        ready(w, X)
        w.send(Emission("fetch", request()))

        await w.drain()

        assert w.end_of(z) == (State.FAILED, "redirect-loop")
        assert w.end_of(X) == w.end_of(y) == (State.REDIRECTED, "redirect")

    async def test_is_not_that_nothing_changed_since_nothing(self, world):
        w = world({X: [answer(304), page(title="x")]})
        ready(w, X)
        w.send(Emission("fetch", request()))

        await w.drain()

        assert w.end_of(X) == (State.PARSED, "document")
        assert w.fetcher.urls() == [X, X]

    async def test_names_its_target_in_utf_8(self, world):
        target = "http://a.test/%C3%A4?q=%E6%97%A5"
        location = "/ä?q=日".encode().decode("latin-1")
        w = world({X: redirect(location), target: page(title="x")})
        ready(w, X)
        w.send(Emission("fetch", request()))

        await w.drain()

        assert w.record(X).target == target

    async def test_of_a_whole_host_sets_it_aside(self, world):
        urls = [f"http://a.test/{i}" for i in range(15)]
        answers = dict.fromkeys(urls, answer(500))
        w = world({"http://a.test/": page(*urls, title="root"), **answers}, retries=0, delay=0.5)

        await w.crawl()

        ends = [w.end_of(url) for url in urls]
        assert len(w.fetcher.asked) <= 14
        assert ends.count((State.FAILED, "host-set-aside")) >= 3
        assert w.home.hosts.get("a.test").set_aside == "host-set-aside"

    async def test_of_one_host_does_not_concern_another(self, world):
        w = world(
            {
                "http://b.test/robots.txt": broken("dns"),
                "http://a.test/": page("/x", title="root"),
                X: page(title="x"),
            },
            seeds=["http://a.test/", "http://b.test/"],
        )

        await w.crawl()

        assert w.end_of("http://b.test/") == (State.FAILED, "dns")
        assert w.end_of(X) == (State.PARSED, "document")


class TestARedirect:
    async def test_chain_is_followed_hop_by_hop_each_in_its_own_slot(self, world):
        w = world(
            {
                "http://a.test/": redirect("/1"),
                "http://a.test/1": redirect("/2", 302),
                "http://a.test/2": page(title="end"),
            },
            delay=1.0,
        )

        await w.crawl()

        times = w.fetcher.times("a.test")
        assert all(b - a >= 1.0 for a, b in itertools.pairwise(times))
        assert w.end_of("http://a.test/") == (State.REDIRECTED, "redirect")
        assert w.record("http://a.test/").target == "http://a.test/1"
        assert w.end_of("http://a.test/2") == (State.PARSED, "document")
        assert w.record("http://a.test/2").depth == 0

    async def test_chain_that_is_too_long_is_cut(self, world):
        hops = {f"http://a.test/{i}": redirect(f"/{i + 1}") for i in range(20)}
        w = world({"http://a.test/": redirect("/0"), **hops})

        await w.crawl()

        asked = [url for url in w.fetcher.urls() if "robots" not in url]
        assert len(asked) == 6
        assert w.end_of("http://a.test/5") == (State.EXCLUDED, "too-many-redirects")

    async def test_that_was_too_long_is_taken_up_when_a_link_leads_there(self, world):
        hops = {f"http://a.test/{i}": redirect(f"/{i + 1}") for i in range(5)}
        w = world(
            {
                "http://a.test/": page("/0", "/late", title="root"),
                **hops,
                "http://a.test/late": [answer(500), page("/5", title="late")],
                "http://a.test/5": page(title="five"),
            },
        )

        await w.crawl()

        assert w.end_of("http://a.test/5") == (State.PARSED, "document")

    async def test_circle_ends_without_asking_twice(self, world):
        w = world({"http://a.test/": redirect("/1"), "http://a.test/1": redirect("/")})

        await w.crawl()

        asked = w.fetcher.urls()
        assert asked == ["http://a.test/robots.txt", "http://a.test/", "http://a.test/1"]

    async def test_to_another_host_obeys_its_robots_txt_and_its_pace(self, world):
        w = world(
            {
                "http://a.test/": redirect("http://b.test/no"),
                "http://b.test/robots.txt": robots("User-agent: *\nDisallow: /no"),
                "http://b.test/no": page(title="no"),
            },
            seeds=["http://a.test/", "http://b.test/"],
        )

        await w.crawl()

        assert "http://b.test/no" not in w.fetcher.urls()
        assert w.end_of("http://b.test/no") == (State.EXCLUDED, "robots")

    async def test_out_of_scope_is_not_followed(self, world):
        w = world({"http://a.test/": redirect("http://far.test/")})

        await w.crawl()

        assert w.end_of("http://far.test/") == (State.EXCLUDED, "out-of-scope")
        assert w.fetcher.times("far.test") == []

    async def test_target_is_normalised(self, world):
        w = world({"http://a.test/": redirect("/./x/../y?utm_source=z#here")})

        await w.crawl()

        assert w.record("http://a.test/").target == "http://a.test/y"


class TestContentSeenBefore:
    async def test_belongs_to_the_first_url_and_makes_the_second_a_duplicate(self, world):
        w = world(
            {
                "http://a.test/": page("/x", "/y", title="root"),
                X: page(title="same"),
                "http://a.test/y": page(title="same"),
            }
        )

        await w.crawl()

        assert w.end_of(X) == (State.PARSED, "document")
        assert w.end_of("http://a.test/y") == (State.DUPLICATE, "same-content")
        assert w.record("http://a.test/y").target == X
        assert documents_of(w.home, "http://a.test/y") == []

    async def test_in_another_folder_still_gives_its_relative_links(self, world):
        w = world(
            {
                "http://a.test/": page("/one/", "/two/", title="root"),
                "http://a.test/one/": page("leaf", title="same"),
                "http://a.test/two/": page("leaf", title="same"),
            }
        )

        await w.crawl()

        assert w.end_of("http://a.test/two/")[0] is State.DUPLICATE
        assert {"http://a.test/one/leaf", "http://a.test/two/leaf"} <= set(w.fetcher.urls())

    async def test_at_a_smaller_depth_brings_its_links_nearer(self, world):
        w = world(
            {
                "http://a.test/": page("/1", "/late", title="root"),
                "http://a.test/1": page("/2", title="1"),
                "http://a.test/2": page("/leaf", title="same"),
                "http://a.test/late": [answer(500), page("/leaf", title="same")],
            },
            max_depth=2,
        )

        await w.crawl()

        assert w.end_of("http://a.test/late")[0] is State.DUPLICATE
        assert w.record("http://a.test/leaf").depth == 2
        assert "http://a.test/leaf" in w.fetcher.urls()


class TestAPageAskedForAgain:
    async def ask_again(self, w, response):
        await w.crawl()
        change = UrlChange(reason="", tries=0)
        assert w.home.urls.move(url_id("http://a.test/"), Event.REVISITED, change)
        w.fetcher.answers["http://a.test/"] = response
        w.clock.advance(10.0)
        w.home.jobs.begin_round(JOB, w.clock())
        w.home.jobs.reserve(JOB, [url_id("http://a.test/")])
        message = request("http://a.test/", slot=w.clock(), depth=0)
        w.send(Emission("fetch", message))
        await w.drain()

    async def test_is_asked_with_the_validators_of_the_version_we_hold(self, world):
        modified = "Thu, 01 Jan 1970 00:00:00 GMT"
        w = world({"http://a.test/": page(title="r", ETag='"1"', Last_Modified=modified)})

        await self.ask_again(w, answer(304))

        first, second = [a.request.headers for a in w.fetcher.asked if a.url == "http://a.test/"]
        assert first == {}
        assert second == {"If-None-Match": '"1"', "If-Modified-Since": modified}

    async def test_that_has_not_changed_keeps_its_page_and_costs_no_budget(self, world):
        w = world({"http://a.test/": page(title="r", ETag='"1"')}, max_pages=5)
        await w.crawl()
        before = w.record("http://a.test/")

        await self.ask_again(w, answer(304))

        after = w.record("http://a.test/")
        assert (after.state, after.reason) == (State.UNCHANGED, "not-modified")
        assert (after.page, after.size, after.md5) == (before.page, before.size, before.md5)
        assert b"<title>r</title>" in w.home.pages.read(after.page).body
        assert w.budget() == (5, None)

    async def test_without_validators_is_asked_plainly(self, world):
        w = world({"http://a.test/": page(title="r")})

        await self.ask_again(w, page(title="new"))

        assert w.fetcher.asked[-1].request.headers == {}
        assert w.end_of("http://a.test/") == (State.PARSED, "document")
        assert document_of(w.home, "http://a.test/").title == "new"


class TestLaterRounds:
    """What a URL was in one round does not stick to it in the next."""

    async def crawl(self, w, *rounds):
        """A round for each set of answers; what is not named stays as it was."""
        for number, answers in enumerate(rounds):
            w.fetcher.answers.update(answers)
            if number == 0:
                await w.crawl("http://a.test/", X)
                continue
            w.clock.advance(1000.0)
            w.home.jobs.begin_round(JOB, w.clock())
            w.send(*packs(JOB, w.home.urls.revisit(JOB)))
            await w.drain()

    async def test_a_redirect_that_became_a_page_is_no_duplicate_when_it_stays_one(self, world):
        w = world()

        await self.crawl(w, {X: redirect("/y")}, {X: page(title="x", ETag='"1"')}, {X: answer(304)})

        assert w.end_of(X) == (State.UNCHANGED, "not-modified")
        assert w.record(X).target == ""

    async def test_a_loop_of_an_earlier_round_is_none_until_it_is_met_again(self, world):
        y = "http://a.test/y"
        w = world({"http://a.test/": page("/x"), X: redirect("/y"), y: redirect("/x")})
        await w.crawl("http://a.test/", X)
        assert w.end_of(y) == (State.FAILED, "redirect-loop")

        w.clock.advance(1000.0)
        for url in (y, X):  # the other way round: what X said before is too old to be believed
            w.home.urls.move(url_id(url), Event.REVISITED, UrlChange(reason="", tries=0))
            w.send(*packs(JOB, [w.record(url)]))
            await w.drain()

        assert w.end_of(y) == (State.REDIRECTED, "redirect")
        assert w.end_of(X) == (State.FAILED, "redirect-loop")

    async def test_a_page_that_asks_not_to_be_indexed_is_not_indexed_though_unchanged(self, world):
        hidden = page(title="x", head="<meta name=robots content=noindex>", ETag='"1"')

        def unless_known(request):
            return answer(304) if "If-None-Match" in request.headers else hidden

        w = world()

        await self.crawl(w, {X: page(title="x")}, {X: unless_known}, {})

        assert w.end_of(X) == (State.EXCLUDED, "noindex")

    @pytest.mark.parametrize("later", [page(title="other"), answer(410), redirect("/y")])
    async def test_a_copy_becomes_the_document_when_its_owner_is_something_else(self, world, later):
        same = {"http://a.test/": page(title="same"), X: page(title="same", ETag='"1"')}
        w = world()

        await self.crawl(w, same, {"http://a.test/": later, X: answer(304)}, {})

        assert w.end_of(X) == (State.PARSED, "document")
        assert document_of(w.home, X).title == "same"


class TestABudget:
    SITE: ClassVar[dict[str, Answer]] = {
        "http://a.test/": page(*(f"/{i}" for i in range(12)), title="root"),
        "http://a.test/0": answer(404),
        "http://a.test/1": redirect("/2"),
        "http://a.test/2": page(title="same"),
        "http://a.test/3": page(title="same"),
        "http://a.test/4": page(title="4", head="<meta name=robots content=noindex>"),
        "http://a.test/5": answer(500),
        "http://a.test/6": answer(200, b"x", fault="too-large"),
        **{f"http://a.test/{i}": page(title=str(i)) for i in range(7, 12)},
    }

    def count(self, w, *states):
        return sum(state in states for state, _ in w.ends().values())

    @pytest.mark.parametrize("limit", [1, 2, 3, 5, 7])
    async def test_of_pages_is_met_exactly_and_counts_only_pages(self, world, limit):
        w = world(self.SITE, max_pages=limit, retries=1, delay=0.5)

        await w.crawl()

        pages = [r for r in w.home.urls.all() if r.md5]
        assert len(pages) == limit
        assert w.budget() == (0, None)

    @pytest.mark.parametrize("limit", [1, 2, 3, 5, 7])
    async def test_of_documents_is_met_exactly_and_counts_only_documents(self, world, limit):
        w = world(self.SITE, max_documents=limit, retries=1, delay=0.5)

        await w.crawl()

        assert w.home.documents.count().documents == limit
        assert self.count(w, "parsed") == limit
        assert w.budget() == (None, 0)

    async def test_that_is_larger_than_the_site_is_left_over_by_the_difference(self, world):
        w = world(self.SITE, max_pages=100, max_documents=100, retries=1, delay=0.5)

        await w.crawl()

        pages = [r for r in w.home.urls.all() if r.md5]
        documents = w.home.documents.count().documents
        assert (len(pages), documents) == (9, 7)
        assert w.budget() == (100 - len(pages), 100 - documents)

    @pytest.mark.parametrize("delay", [0.0, 2.0])
    async def test_is_exact_over_many_hosts_at_any_delay(self, world, delay):
        hosts = [f"h{i}.test" for i in range(8)]
        site = {f"http://{h}/": page("/1", "/2", "/3", title=h) for h in hosts}
        site |= {f"http://{h}/{i}": page(title=f"{h} {i}") for h in hosts for i in (1, 2, 3)}
        w = world(site, seeds=[f"http://{h}/" for h in hosts], max_pages=13, delay=delay)

        await w.crawl()

        assert sum(1 for url in w.fetcher.urls() if "robots" not in url) == 13


class TestPoliteness:
    async def test_holds_when_a_job_comes_back_with_a_longer_delay(self, world):
        w = world(
            {"http://a.test/": page("/x", title="r"), X: page(title="x")}, delay=0.0, max_pages=1
        )
        await w.crawl()

        w.configure(JobConfig(seeds=["http://a.test/"], delay=5.0))
        await w.drain()

        times = w.fetcher.times("a.test")
        assert times[-1] - times[-2] >= 5.0
        assert audit(w.home.pages.files()).violations == 0

    async def test_holds_after_a_request_that_started_long_after_its_slot(self, world):
        """Without a delay a slot never passes; with one, the next slot counts from the start."""
        w = world({X: page(title="x"), "http://a.test/y": page(title="y")}, delay=0.0)
        ready(w, X, "http://a.test/y")
        w.clock.advance_to(150.0)
        await fetch(w, request(slot=100.0, delay=0.0, grace=0.0))

        w.configure(JobConfig(seeds=["http://a.test/"], delay=5.0))
        w.send(Emission("fetch", request("http://a.test/y", slot=100.0, delay=0.0, grace=0.0)))
        await w.drain()

        assert w.fetcher.times("a.test") == [150.0, pytest.approx(155.0, abs=0.3)]
        assert w.fetcher.asked[-1].at >= 155.0

    @often(15)
    @given(
        st.integers(0, 2**32),
        st.sampled_from([0.5, 1.0, 3.0]),
        st.sampled_from([[1], [1] * 9 + [2]]),
        st.booleans(),
    )
    async def test_holds_whatever_is_late_twice_or_throttled(self, seed, delay, times, slow):
        """A crawl with random lateness, trouble and duplicates passes its own audit."""
        chance = Random(seed)
        with TemporaryDirectory() as folder:
            w = make_world(Path(folder), VirtualClock(), wild_site(chance, slow), delay=delay)
            late = [0.0] * 5 + [0.01, 0.1, 4.0]

            await w.crawl(
                deliveries=lambda: chance.choice(times), lateness=lambda: chance.choice(late)
            )
            states = {state for state, _ in w.ends().values()}
            w.home.close()
            certificate = audit(sorted(Path(folder).glob("*.warc.gz")))

        assert certificate.violations == 0, certificate.listed
        assert certificate.requests == len(w.fetcher.asked)
        assert states.isdisjoint({"discovered", "fetching", "fetched"})


def wild_site(chance, slow):
    urls = [f"http://a.test/{i}" for i in range(12)]
    kinds = [
        lambda i: page(*chance.sample(urls, 3), title=str(i)),
        lambda i: [answer(429, headers=[("Retry-After", "7")]), page(title=str(i))],
        lambda _: answer(503),
        lambda _: [broken("timeout"), answer(404)],
        lambda _: redirect(chance.choice(urls)),
        lambda i: answer(200, f"slow {i}", seconds=chance.random() * 8),
    ]
    site = {url: chance.choice(kinds)(i) for i, url in enumerate(urls)}
    site["http://a.test/"] = page(*urls, title="root")
    if slow:
        site["http://a.test/robots.txt"] = robots("User-agent: *\nCrawl-delay: 4\nDisallow: /3")
    return site


async def test_a_slot_of_an_earlier_era_permits_no_request(world):
    w = world({X: page("silk")})
    ready(w, X)
    w.home.hosts.void_slots(w.home.hosts.get("a.test"), 500.0, 100.0)

    (again,) = await fetch(w, request())

    assert (again.stream, again.message.urls[0].url) == ("frontier", X)
    assert w.fetcher.asked == []


async def test_a_slot_later_than_any_that_can_be_booked_permits_no_request(world):
    w = world({X: page("silk")})
    ready(w, X)

    (again,) = await fetch(w, request(slot=100.0 + 3600.0))

    assert again.stream == "frontier"
    assert w.fetcher.asked == []


async def test_a_url_that_a_clock_ahead_has_claimed_is_fetched_in_a_slot_of_now(world):
    w = world({X: page("silk")})
    ready(w, X)
    ahead = 100.0 + 3600.0
    await w.home.urls.claim(url_id(X), ahead, ahead + LEASE, ahead)

    again = await fetch(w, request(slot=ahead))  # delivered again, by the clock of now
    parsed = await fetch(w, request())

    assert [e.stream for e in again] == ["frontier"]
    assert parsed[0].stream == "parse"
