from __future__ import annotations

import math

import pytest

from gossamer.adapters.aws.sqs.gathering import held_back
from gossamer.bolts.schedule import schedule, sweep
from gossamer.core.crawl.host_record import Aside, HostChange
from gossamer.core.crawl.politeness import CLOUD_GRACE, latest_slot
from gossamer.core.crawl.response_outcome import MAX_RETRY_AFTER
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import host_of, url_id
from gossamer.messages import Candidate, CrawlRequest
from scripts.scale import deployment
from tests.pump import JOB, answer, broken, page, redirect, robots

DAY = 24 * 3600.0


def know(world, *urls):
    """URLs that LINKS has admitted."""
    found = [Discovery(url_id(url), url, host_of(url), 0) for url in urls]
    world.home.urls.add(found, b"", world.clock())


def request(*paths, host="a.test", purpose="page", depth=0):
    urls = [Candidate(f"http://{host}{path}", depth) for path in paths or ("/",)]
    return CrawlRequest(job=JOB, host=host, urls=urls, purpose=purpose)


def learn(world, text="", host="a.test", **facts):
    """A host whose robots.txt was read."""
    known = {"robots_code": 200, "robots_text": text, "robots_until": world.clock() + DAY}
    world.home.hosts.change(host, HostChange(**(known | facts)))


def run(world, message):
    return schedule(message, world.ports, world.clock())


def fetches(emissions):
    return [(e.message.candidate.url, e.message.slot, e.delay) for e in emissions]


def test_a_host_never_met_is_asked_for_robots_txt_first(world):
    w = world(delay=1.0)

    (emission,) = run(w, request("/", "/x"))

    assert emission.stream == "fetch"
    assert emission.message.purpose == "robots"
    assert emission.message.robots_for == "a.test"
    assert emission.message.candidate.url == "http://a.test/robots.txt"
    assert w.home.frontier.take("a.test", 1e9).request == request("/", "/x")


def test_robots_txt_is_asked_for_with_the_scheme_of_the_url(world):
    w = world()
    message = CrawlRequest(job=JOB, host="a.test", urls=[Candidate("https://a.test/x")])

    (emission,) = run(w, message)

    assert emission.message.candidate.url == "https://a.test/robots.txt"


def test_while_robots_txt_is_on_its_way_it_is_not_requested_again(world):
    w = world()
    run(w, request("/"))

    assert run(w, request("/x")) == []
    assert run(w, request("/y")) == []


def test_each_url_gets_its_own_slot_and_is_held_back_until_then(world):
    w = world(delay=1.0)
    learn(w)

    emissions = run(w, request("/", "/x", "/y"))

    grace = w.ports.grace.grace(1.0)
    apart = 1.0 + grace
    assert fetches(emissions) == [
        ("http://a.test/", 100.0, 0.0),
        ("http://a.test/x", 100.0 + apart, pytest.approx(apart)),
        ("http://a.test/y", 100.0 + 2 * apart, pytest.approx(2 * apart)),
    ]
    assert {(e.message.delay, e.message.grace) for e in emissions} == {(1.0, grace)}


def test_in_the_cloud_a_host_that_was_idle_is_asked_in_its_first_slot(world, monkeypatch):
    """Lambda gathers requests for a second, and SQS is late by 0.15 s on average."""
    w = world(delay=1.0)
    monkeypatch.setitem(vars(w.ports), "grace", CLOUD_GRACE)
    window = deployment.read()["fetch"].window
    learn(w)

    (emission,) = run(w, request())

    handed_out = math.floor(held_back(emission, w.clock())) + window + 0.5
    assert handed_out <= emission.delay + emission.message.grace


def test_beyond_what_fetch_can_do_in_time_only_an_idle_host_gets_a_slot(world, monkeypatch):
    w = world(delay=1.0)
    monkeypatch.setattr(w.home.queues, "room", lambda stream, now: 2)
    learn(w)

    first = run(w, request("/", "/x", "/y"))
    second = run(w, request("/z", "/zz", "/zzz"))

    assert [url for url, _, _ in fetches(first)] == ["http://a.test/"]
    assert second == []
    found = w.home.frontier.take("a.test", 1e9)
    assert len(found.request.urls) + len(w.home.frontier.take("a.test", 1e9).request.urls) == 5


def test_without_a_delay_there_are_no_slots_to_miss(world, monkeypatch):
    w = world(delay=0.0)
    monkeypatch.setattr(w.home.queues, "room", lambda stream, now: 0)
    learn(w)

    assert len(run(w, request("/", "/x", "/y"))) == 3


def test_the_crawl_delay_of_robots_txt_is_kept_and_capped(world):
    w = world(delay=1.0, max_delay=3.0)
    learn(w, "User-agent: *\nCrawl-delay: 2")
    learn(w, "User-agent: *\nCrawl-delay: 30", host="b.test")

    (a,) = run(w, request())
    (b,) = run(w, request(host="b.test"))

    assert (a.message.delay, b.message.delay) == (2.0, 3.0)


def test_what_finds_no_slot_in_the_window_is_parked(world):
    w = world(delay=1.0)
    learn(w)
    paths = [f"/{i}" for i in range(20)]

    emissions = run(w, request(*paths))

    parked = w.home.frontier.take("a.test", 1e9).request
    assert len(emissions) == 9  # a window of 10 s, and a grace beside each delay
    assert [c.url for c in parked.urls] == [f"http://a.test{path}" for path in paths[9:]]


def test_disallowed_urls_end_and_the_others_go_on(world):
    w = world()
    learn(w, "User-agent: *\nDisallow: /no")
    know(w, "http://a.test/no", "http://a.test/yes")

    emissions = run(w, request("/no", "/yes"))

    assert [url for url, _, _ in fetches(emissions)] == ["http://a.test/yes"]
    assert w.end_of("http://a.test/no") == (State.EXCLUDED, "robots")
    assert w.end_of("http://a.test/yes") == (State.DISCOVERED, "")


def test_a_disallowed_sitemap_is_not_asked_for(world):
    w = world()
    learn(w, "User-agent: *\nDisallow: /sitemap.xml")

    assert run(w, request("/sitemap.xml", purpose="sitemap")) == []


def test_a_sitemap_costs_no_budget(world):
    w = world(max_pages=1)
    learn(w)

    emissions = run(w, request("/sitemap.xml", purpose="sitemap"))

    assert len(emissions) == 1
    assert w.budget() == (1, None)


def test_no_more_than_the_budget_is_booked_and_the_rest_waits(world):
    w = world(max_pages=2, delay=0.0)
    learn(w)
    know(w, *(f"http://a.test/{path}" for path in "abc"))

    emissions = run(w, request("/a", "/b", "/c"))

    assert len(emissions) == 2
    assert w.budget() == (0, None)
    parked = w.home.frontier.take("a.test", 100.0).request
    assert [c.url for c in parked.urls] == ["http://a.test/c"]


@pytest.mark.parametrize("limit", [15, 20, 25])
def test_what_finds_no_slot_holds_no_budget(world, limit):
    w = world(max_pages=limit, delay=1.0)
    learn(w)
    know(w, *(f"http://a.test/{i}" for i in range(20)))

    emissions = run(w, request(*(f"/{i}" for i in range(20))))

    assert len(emissions) == 9
    assert w.budget() == (limit - len(emissions), None)


def test_urls_of_a_host_set_aside_end_for_its_reason(world):
    w = world()
    learn(w, aside=Aside("host-set-aside"))
    know(w, "http://a.test/x")

    assert run(w, request("/x")) == []
    assert w.end_of("http://a.test/x") == (State.FAILED, "host-set-aside")


def test_a_stopped_job_schedules_nothing(world):
    w = world()
    learn(w)
    know(w, "http://a.test/x")
    w.home.jobs.set_state(JOB, "stopped")

    assert run(w, request("/x")) == []
    assert w.end_of("http://a.test/x") == (State.EXCLUDED, "stopped")


def test_while_robots_txt_is_unreachable_urls_wait_for_its_next_try(world):
    w = world(retries=3)
    learn(w, robots_unavailable=True, robots_tries=1, robots_until=120.0)

    assert run(w, request("/x")) == []
    assert w.home.frontier.take("a.test", 119.0) is None
    assert w.home.frontier.take("a.test", 120.0).request == request("/x")


def test_after_the_last_try_for_robots_txt_urls_fail(world):
    w = world(retries=3)
    learn(w, robots_unavailable=True, robots_tries=4)
    know(w, "http://a.test/x")

    assert run(w, request("/x")) == []
    assert w.end_of("http://a.test/x") == (State.FAILED, "robots-unreachable")


def test_rules_that_grew_old_are_asked_for_again(world):
    w = world()
    learn(w, robots_until=100.0)

    (emission,) = run(w, request("/x"))

    assert emission.message.purpose == "robots"


def test_a_sweep_takes_one_pack_of_each_host_whose_time_has_come(world):
    w = world()
    w.home.frontier.park(request("/1"), until=90.0)
    w.home.frontier.park(request("/2"), until=90.0)
    w.home.frontier.park(request(host="b.test"), until=90.0)
    w.home.frontier.park(request(host="c.test"), until=110.0)

    swept = [e.message for e in sweep(JOB, w.ports, 100.0)]

    assert swept == [request("/1"), request(host="b.test")]


@pytest.mark.parametrize("state", ["paused", "stopped", "finished"])
def test_nothing_is_swept_for_a_job_that_does_not_run(world, state):
    w = world()
    w.home.frontier.park(request())
    w.home.jobs.set_state(JOB, state)

    assert sweep(JOB, w.ports, 100.0) == []


def test_nothing_is_swept_without_budget(world):
    w = world(max_pages=1)
    w.home.frontier.park(request())
    know(w, "http://a.test/")
    w.home.jobs.reserve(JOB, [url_id("http://a.test/")])

    assert sweep(JOB, w.ports, 100.0) == []


class TestRobotsTxt:
    """A crawl from its first request on."""

    async def test_is_read_before_anything_else_and_only_once(self, world):
        w = world(
            {
                "http://a.test/robots.txt": robots("User-agent: *\nDisallow: /no"),
                "http://a.test/": page("/no", "/x", "/y", title="root"),
                "http://a.test/x": page("/no/2", title="x"),
            }
        )

        await w.crawl()

        assert w.fetcher.urls()[0] == "http://a.test/robots.txt"
        assert w.fetcher.urls().count("http://a.test/robots.txt") == 1
        assert not [url for url in w.fetcher.urls() if "/no" in url]
        assert w.end_of("http://a.test/no/2") == (State.EXCLUDED, "robots")

    async def test_rules_for_our_name_outweigh_those_for_everyone(self, world):
        text = "User-agent: *\nDisallow: /\n\nUser-agent: gossamer\nDisallow: /no"
        w = world(
            {
                "http://a.test/robots.txt": robots(text),
                "http://a.test/": page("/no", title="root"),
            }
        )

        await w.crawl()

        assert w.end_of("http://a.test/") == (State.PARSED, "document")
        assert w.end_of("http://a.test/no") == (State.EXCLUDED, "robots")

    @pytest.mark.parametrize("code", [400, 401, 403, 404, 410, 451])
    async def test_that_does_not_exist_allows_everything(self, world, code):
        w = world({"http://a.test/robots.txt": answer(code), "http://a.test/": page(title="r")})

        await w.crawl()

        assert w.end_of("http://a.test/") == (State.PARSED, "document")

    @pytest.mark.parametrize("code", [500, 501, 502, 503, 504, 505, 511, 520, 599])
    async def test_that_is_broken_forbids_everything(self, world, code):
        w = world({"http://a.test/robots.txt": answer(code)}, retries=2)

        await w.crawl()

        assert set(w.fetcher.urls()) == {"http://a.test/robots.txt"}
        assert len(w.fetcher.asked) == 3
        assert w.end_of("http://a.test/") == (State.FAILED, "robots-unreachable")

    async def test_that_recovers_in_time_is_obeyed(self, world):
        answers = [answer(500), answer(503), robots("User-agent: *\nDisallow: /no")]
        w = world({"http://a.test/robots.txt": answers, "http://a.test/": page("/no", title="r")})

        await w.crawl()

        assert w.end_of("http://a.test/") == (State.PARSED, "document")
        assert w.end_of("http://a.test/no") == (State.EXCLUDED, "robots")

    @pytest.mark.parametrize(
        ("answers", "seconds"),
        [
            ([broken("connection-refused")], 15.0),  # nothing listens there: a mistyped port
            ([broken("timeout")], 105.0),
            ([answer(503), broken("connection-refused")], 105.0),  # it restarts
        ],
    )
    async def test_that_is_refused_from_the_first_is_given_up_soon(self, world, answers, seconds):
        w = world({"http://a.test/robots.txt": answers}, retries=3, retry_wait=5.0, delay=0.0)
        begun = w.clock()

        await w.crawl()

        assert w.fetcher.urls() == ["http://a.test/robots.txt"] * 4
        assert w.end_of("http://a.test/") == (State.FAILED, "robots-unreachable")
        assert w.clock() - begun == pytest.approx(seconds, abs=1.0)

    async def test_that_cannot_be_reached_forbids_everything(self, world):
        w = world({"http://a.test/robots.txt": broken("timeout")}, retries=1)

        await w.crawl()

        assert w.fetcher.urls() == ["http://a.test/robots.txt"] * 2
        assert w.end_of("http://a.test/") == (State.FAILED, "robots-unreachable")

    @pytest.mark.parametrize("fault", ["dns", "unsafe-address", "tls-certificate"])
    async def test_of_a_host_that_cannot_be_asked_at_all_ends_it_at_once(self, world, fault):
        w = world({"http://a.test/robots.txt": broken(fault)})

        await w.crawl()

        assert len(w.fetcher.asked) == 1
        assert w.end_of("http://a.test/") == (State.FAILED, fault)

    async def test_may_lie_elsewhere(self, world):
        w = world(
            {
                "http://a.test/robots.txt": redirect("http://www.a.test/rules"),
                "http://www.a.test/rules": robots("User-agent: *\nDisallow: /no"),
                "http://a.test/": page("/no", title="r"),
            }
        )

        await w.crawl()

        assert w.end_of("http://a.test/no") == (State.EXCLUDED, "robots")
        assert w.end_of("http://a.test/") == (State.PARSED, "document")

    async def test_that_lies_elsewhere_may_still_ask_for_a_longer_delay(self, world):
        w = world(
            {
                "http://a.test/robots.txt": redirect("http://www.a.test/rules"),
                "http://www.a.test/rules": robots("User-agent: *\nCrawl-delay: 8"),
                "http://a.test/": page(title="r"),
            },
            delay=1.0,
        )

        await w.crawl()

        asked, first = w.fetcher.times("a.test")
        assert first - asked >= 8.0

    async def test_that_redirects_for_ever_counts_as_none(self, world):
        w = world(
            {
                "http://a.test/robots.txt": redirect("/robots.txt"),
                "http://a.test/": page(title="r"),
            }
        )

        await w.crawl()

        assert w.fetcher.urls().count("http://a.test/robots.txt") == 6
        assert w.end_of("http://a.test/") == (State.PARSED, "document")

    async def test_that_lies_on_a_host_set_aside_counts_as_unreachable(self, world):
        w = world({"http://a.test/robots.txt": redirect("http://www.a.test/robots.txt")})
        w.home.hosts.change("www.a.test", HostChange(aside=Aside("host-set-aside")))

        await w.crawl()

        assert w.end_of("http://a.test/") == (State.FAILED, "robots-unreachable")

    async def test_with_any_good_code_is_obeyed(self, world):
        rules = answer(203, "User-agent: *\nDisallow: /")
        w = world({"http://a.test/robots.txt": rules, "http://a.test/": page(title="r")})

        await w.crawl()

        assert w.end_of("http://a.test/") == (State.EXCLUDED, "robots")

    async def test_is_asked_for_once_per_host_and_port(self, world):
        w = world(
            {
                "http://a.test/": page("http://a.test:81/x", "https://a.test/y", title="r"),
                "http://a.test:81/x": page(title="x"),
            }
        )

        await w.crawl()

        asked = [url for url in w.fetcher.urls() if url.endswith("/robots.txt")]
        assert asked == ["http://a.test/robots.txt", "http://a.test:81/robots.txt"]

    async def test_delays_even_the_first_page_by_what_it_asks_for(self, world):
        w = world(
            {
                "http://a.test/robots.txt": robots("User-agent: *\nCrawl-delay: 6"),
                "http://a.test/": page("/x", title="r"),
                "http://a.test/x": page(title="x"),
            },
            delay=1.0,
        )

        await w.crawl()

        first, second, third = w.fetcher.times("a.test")
        assert second - first >= 6.0
        assert third - second >= 6.0


HOUR = 3600.0


def book_ahead(world, *paths):
    """Slots that are booked by a clock that is an hour ahead."""
    right = world.clock.at
    world.clock.at = right + HOUR
    emissions = run(world, request(*paths))
    world.clock.at = right
    return emissions


def test_a_host_that_a_clock_which_was_ahead_has_booked_is_asked_within_minutes(world, caplog):
    w = world(delay=1.0)
    learn(w)
    book_ahead(w, "/", "/x")
    w.home.frontier.park(request("/parked"), until=w.clock() + HOUR)

    assert run(w, request("/y")) == []  # no slot lies within the window

    latest = latest_slot(w.clock(), w.ports.grace.pace(1.0).spacing, w.ports.window)
    host = w.home.hosts.get("a.test")
    assert (host.era, host.next_slot) == (1, latest)
    assert "a.test was booked until" in caplog.text
    assert w.home.frontier.next_at() <= latest
    w.clock.advance_to(latest)
    ((_, slot, _),) = fetches(run(w, request("/y")))
    assert slot == latest


def test_what_is_booked_afterwards_belongs_to_the_new_era(world):
    w = world(delay=1.0)
    learn(w)
    before = book_ahead(w, "/")
    run(w, request("/y"))
    w.clock.advance(HOUR / 2)

    after = run(w, request("/y"))

    assert [e.message.era for e in (*before, *after)] == [0, 1]


def test_the_longest_wait_that_a_host_can_ask_for_is_kept(world):
    w = world(delay=1.0)
    learn(w)
    run(w, request("/", "/x", "/y"))
    asked = w.clock() + MAX_RETRY_AFTER
    w.home.hosts.change("a.test", HostChange(not_before=asked, next_slot=asked, penalty=60.0))

    run(w, request("/z"))

    assert w.home.hosts.get("a.test").era == 0
    assert w.home.hosts.get("a.test").not_before == asked


def test_a_host_that_was_set_aside_by_a_clock_ahead_gets_its_chance_in_time(world):
    w = world(delay=1.0)
    learn(w)
    ahead = 40 * 365 * DAY
    w.home.hosts.change(
        "a.test",
        HostChange(next_slot=ahead, aside=Aside("host-set-aside", ahead + DAY, DAY)),
    )
    w.home.frontier.wake("a.test")

    run(w, request("/"))

    assert w.home.hosts.get("a.test").set_aside_until == w.clock() + DAY


def test_rules_that_were_read_by_a_clock_ahead_are_read_again(world):
    w = world(delay=1.0)
    learn(w, robots_until=w.clock() + HOUR + DAY)
    book_ahead(w, "/")
    run(w, request("/y"))
    w.clock.advance(HOUR / 2)

    (emission,) = run(w, request("/y"))

    assert emission.message.purpose == "robots"
