"""Is what changes asked for more often, and what does not for one conditional request?"""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.batch.recrawl import (
    MOST_REFUSED,
    Gathered,
    begin,
    gather,
    plan_of,
    policy_of,
    recrawl,
)
from gossamer.bolts.index import gone_of
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.job import JobConfig, RecrawlConfig
from gossamer.core.crawl.url_record import UrlRecord
from gossamer.core.crawl.url_state import State
from gossamer.core.revisit.change_rate import History, packed, remembered
from gossamer.core.urls import url_id
from gossamer.messages import DocumentParsed, Emission
from tests.item_reader import ITEMS_TYPE, page_of_items, reading_items
from tests.pump import JOB, Answer, World, answer, page, redirect, robots

if TYPE_CHECKING:
    from gossamer.batch.recrawl import Plan
    from gossamer.ports.fetcher import HttpRequest, HttpResponse

HOUR, DAY = 3600.0, 86_400.0
ROOT = "http://a.test/"
ROBOTS = "http://a.test/robots.txt"
AT_ONCE = RecrawlConfig(min_interval=0.0, max_interval=0.0)


def plan(w: World, config: RecrawlConfig = AT_ONCE, **more: Any) -> Plan:
    return recrawl(w.home, JOB, w.clock(), config, **more)


async def again(w: World, config: RecrawlConfig = AT_ONCE, **how: Any) -> list[Emission]:
    """One round; returns what INDEX is told."""
    told: list[Emission] = []
    w.send(*begin(plan(w, config), w.ports.urls))
    await w.drain(
        observe=lambda _s, _m, emissions: told.extend(e for e in emissions if e.stream == "index"),
        **how,
    )
    return told


def leaving(told: list[Emission]) -> set[str]:
    return {e.message.url for e in told if isinstance(e.message, DocumentParsed) and e.message.gone}


def etagged(body: str, etag: str) -> Answer:
    """A page that knows whether it has changed."""

    def respond(request: HttpRequest) -> HttpResponse:
        if request.headers.get("If-None-Match") == etag:
            return answer(304, headers=[("ETag", etag)])
        return page("/", title=body, ETag=etag)

    return respond


def history(w: World, url: str) -> Any:
    return remembered(w.record(url).history)


def ids_by_key(w: World) -> dict[str, bytes]:
    """The ids of the items of a page."""
    pages = w.home.documents.pages([url_id(f"{ROOT}x")])
    return {v.document.key: v.id for page in pages for v in page.versions()}


async def small(world: Any, **pages: Answer) -> World:
    root = page(*(f"/{name}" for name in pages), title="root")
    answers: dict[str, Answer] = {ROBOTS: robots(""), ROOT: root}
    answers |= {f"{ROOT}{name}": given for name, given in pages.items()}
    w: World = world(answers, delay=1.0)
    await w.crawl()
    w.clock.advance(DAY / 2)
    return w


class TestAPageThatHasNotChanged:
    async def test_costs_one_conditional_request(self, world):
        w = await small(world, x=etagged("x", '"1"'))
        asked = len(w.fetcher.asked)

        told = await again(w)

        visits = [a.request for a in w.fetcher.asked[asked:] if a.url == f"{ROOT}x"]
        assert [v.headers for v in visits] == [{"If-None-Match": '"1"'}]
        assert w.end_of(f"{ROOT}x") == (State.UNCHANGED, "not-modified")
        assert told == []

    async def test_is_not_read_again_though_the_server_cannot_say_so(self, world):
        w = await small(world, x=page(title="x"))

        told = await again(w)
        await again(w)

        assert w.end_of(f"{ROOT}x") == (State.UNCHANGED, "same-bytes")
        assert told == []
        assert (history(w, f"{ROOT}x").visits, history(w, f"{ROOT}x").changes) == (2, 0)


class TestAPageThatHasChanged:
    async def test_is_read_again_and_remembered_as_changing(self, world):
        w = await small(world, x=[page(title="old"), page(title="new")])

        told = await again(w)

        assert w.end_of(f"{ROOT}x") == (State.PARSED, "document")
        assert history(w, f"{ROOT}x").changes == 1
        assert [getattr(e.message, "url", "") for e in told] == [f"{ROOT}x"]
        assert leaving(told) == set()

    async def test_has_the_documents_of_its_last_version_and_no_others(self, world):
        with reading_items():
            versions = [page_of_items("a=Orb", "b=Funnel"), page_of_items("c=Sheet", "b=Funnel")]
            w = await small(world, x=versions)
            before = ids_by_key(w)

            await again(w)

        after = ids_by_key(w)
        assert after.keys() == {"b", "c"}
        assert after["b"] == before["b"]  # though it moved from the second place

    async def test_unless_it_is_the_same_keeps_its_documents(self, world):
        with reading_items():
            w = await small(world, x=page_of_items("a=Orb", "b=Funnel"))
            before = ids_by_key(w)

            told = await again(w)

        assert (ids_by_key(w), told) == (before, [])
        assert w.end_of(f"{ROOT}x") == (State.UNCHANGED, "same-bytes")

    async def test_keeps_the_date_that_the_server_gives(self, world):
        w = await small(world)
        dated = "Thu, 01 Jan 2026 00:00:00 GMT"
        w.clock.advance_to(1_767_225_600.0 + DAY)
        w.fetcher.answers[ROOT] = page(title="new", **{"Last-Modified": dated})

        await again(w)

        assert history(w, ROOT).changed_at == 1_767_225_600.0


class TestWhatLeavesTheIndex:
    async def test_a_missing_page_when_it_is_missing_twice(self, world):
        w = await small(world, x=[page(title="x"), answer(404), answer(410), answer(404)])

        first, second, third = await again(w), await again(w), await again(w)

        assert [leaving(told) for told in (first, second, third)] == [set(), {f"{ROOT}x"}, set()]
        assert w.record(f"{ROOT}x").state is State.GONE

    async def test_not_a_page_that_came_back_in_between(self, world):
        w = await small(world, x=[page(title="x"), answer(404), page(title="x"), answer(404)])

        told = [leaving(await again(w)) for _ in range(3)]

        assert told == [set(), set(), set()]
        assert history(w, f"{ROOT}x").absences == 1

    async def test_not_what_was_never_there(self, world):
        w = await small(world, x=answer(404))

        assert [leaving(await again(w)) for _ in range(3)] == [set(), set(), set()]

    async def test_a_page_that_has_moved_at_once(self, world):
        w = await small(world, x=[page(title="x"), redirect("/")])

        assert leaving(await again(w)) == {f"{ROOT}x"}
        assert leaving(await again(w)) == set()

    async def test_a_page_that_repeats_another_at_once(self, world):
        w = await small(world, x=[page(title="x"), page(title="y")], y=page(title="y"))

        assert leaving(await again(w)) == {f"{ROOT}x"}

    async def test_a_page_that_forbids_it_at_once(self, world):
        no = page(title="x", head='<meta name="robots" content="noindex">')
        w = await small(world, x=[page(title="x"), no])

        assert leaving(await again(w)) == {f"{ROOT}x"}

    async def test_a_page_that_has_no_documents_any_more_at_once(self, world):
        with reading_items():
            w = await small(world, x=[page_of_items("a=Orb"), page_of_items()])

            assert leaving(await again(w)) == {f"{ROOT}x"}
            assert w.end_of(f"{ROOT}x") == (State.EXCLUDED, "no-document")

    async def test_not_a_page_without_documents_that_has_not_changed(self, world):
        def serve(request: HttpRequest) -> HttpResponse:
            if request.headers.get("If-None-Match") == '"1"':
                return answer(304)
            return replace(page_of_items(), headers=(("Content-Type", ITEMS_TYPE), ("ETag", '"1"')))

        with reading_items():
            w = await small(world, x=serve)

            assert leaving(await again(w)) == set()
            assert w.end_of(f"{ROOT}x") == (State.UNCHANGED, "not-modified")

    async def test_not_a_page_that_never_had_documents(self, world):
        with reading_items():
            w = await small(world, x=page_of_items())

            assert leaving(await again(w)) == set()
            assert w.end_of(f"{ROOT}x") == (State.UNCHANGED, "same-bytes")

    async def test_every_time_that_a_message_comes_twice(self, world):
        calm = await small(world, x=[page(title="x"), answer(404)])
        chance = random.Random(5)
        await again(calm)

        told = await again(calm, is_lost=lambda: chance.random() < 0.4)

        assert leaving(told) == {f"{ROOT}x"}

    async def test_what_came_back_before_the_message_did_stays(self, world):
        w = await small(world, x=page(title="x"))
        fetched_at = w.record(f"{ROOT}x").fetched_at

        def gone(at: float) -> DocumentParsed:
            return DocumentParsed(job=JOB, url=f"{ROOT}x", fetched_at=at, gone=True)

        assert gone_of([gone(fetched_at - 1)], w.ports.urls) == {}
        since = {url_id(f"{ROOT}x"): fetched_at + 1}
        assert gone_of([gone(fetched_at + 1)], w.ports.urls) == since


class TestWhoIsDue:
    async def test_no_page_within_the_shortest_interval(self, world):
        w = await small(world, x=page(title="x"))

        assert plan(w, RecrawlConfig(min_interval=DAY, max_interval=DAY)).chosen == []

    async def test_what_is_missing_before_everything_else(self, world):
        w = await small(world, x=[page(title="x"), answer(404)], y=page(title="y"))
        await again(w)
        w.clock.advance(2 * HOUR)

        config = RecrawlConfig(max_interval=HOUR, budget=24.0)

        assert [u.url for u in plan(w, config, elapsed=HOUR).chosen] == [f"{ROOT}x"]

    async def test_no_more_than_the_budget(self, world):
        w = await small(world, **{f"p{i}": page(title=str(i)) for i in range(20)})
        w.clock.advance(60 * DAY)
        config = RecrawlConfig(budget=48.0)

        hour, default = plan(w, config, elapsed=HOUR), plan(w, config)

        assert (hour.due, hour.limit, len(hour.chosen)) == (21, 2, 2)
        assert default.limit == 48
        assert len(plan(w, config, elapsed=DAY, most=5).chosen) == 5

    async def test_not_what_rules_exclude(self, world):
        w = await small(world, x=page("http://b.test/", title="x"))

        assert {u.url for u in plan(w).chosen} == {ROOT, f"{ROOT}x"}

    async def test_a_page_that_robots_forbid_now_is_asked_for_no_more(self, world):
        w = await small(world, x=page(title="x"))
        w.fetcher.answers[ROBOTS] = robots("User-agent: *\nDisallow: /x")
        w.clock.advance(DAY)

        await again(w)

        assert w.end_of(f"{ROOT}x") == (State.EXCLUDED, "robots")
        assert f"{ROOT}x" not in {u.url for u in plan(w).chosen}

    async def test_a_plan_that_is_lost_costs_nothing(self, world):
        w = await small(world, x=page(title="x"))
        before = w.ends()

        begin(plan(w), w.ports.urls)

        assert w.ends() == before
        assert len(plan(w).chosen) == 2

    async def test_a_plan_that_is_sent_twice_asks_once(self, world):
        w = await small(world, x=page(title="x"))
        asked, twice = len(w.fetcher.asked), begin(plan(w), w.ports.urls)

        w.send(*twice, *twice)
        await w.drain()

        assert sorted(w.fetcher.urls()[asked:]) == [ROOT, f"{ROOT}x"]

    async def test_revisits_that_come_late_twice_or_again_are_made_and_kept_apart(self, world):
        pages = {f"p{i}": page(title=str(i)) for i in range(15)}
        w, chance = await small(world, **pages), random.Random(3)
        asked = len(w.fetcher.asked)

        await again(
            w,
            deliveries=lambda: chance.choice([1, 1, 2]),
            lateness=lambda: chance.choice([0.0, 0.0, 3.0]),
            is_lost=lambda: chance.random() < 0.05,
        )

        visits = w.fetcher.asked[asked:]
        assert {v.url for v in visits} == {ROOT, *(f"{ROOT}{name}" for name in pages)}
        assert {reason for _, reason in w.ends().values()} == {"same-bytes"}
        gaps = [b.at - a.at for a, b in itertools.pairwise(visits)]
        assert min(gaps) >= 1.0 - 1e-6

    async def test_a_limit_is_that_of_a_round(self, world):
        w = await small(world, x=page(title="x"), y=page(title="y"))
        w.configure(JobConfig(seeds=[ROOT], delay=1.0, max_pages=2))
        w.home.jobs.begin_round(JOB, w.clock())
        asked = len(w.fetcher.asked)

        await again(w)

        assert len(w.fetcher.asked) - asked == 2
        assert w.budget()[0] == 0


class TestAPageThatChangedAtEveryVisit:
    """Among a thousand, with five requests a day: its next one would be months away."""

    CALM = History().visited(1.0, True).visited(1.0 + 200 * DAY, False)
    ALWAYS = History().visited(1.0 + 114 * DAY, True).visited(1.0 + 200 * DAY, True)

    def chosen(self, hosts: Any, days: float) -> list[str]:
        now = 1.0 + (200 + days) * DAY
        seen = {ROOT: self.ALWAYS} | {f"{ROOT}{number}": self.CALM for number in range(999)}
        records = [
            UrlRecord(
                id=url_id(url),
                url=url,
                host="a.test",
                state=State.PARSED,
                history=packed(past),
                slot=past.last_at,
            )
            for url, past in seen.items()
        ]
        visited = SimpleNamespace(visited=lambda _job: iter(records))
        home: Any = SimpleNamespace(urls=visited, hosts=hosts)
        config = RecrawlConfig(budget=5.0)
        return [w.url for w in recrawl(home, JOB, now, config, elapsed=DAY).chosen]

    def test_is_looked_at_after_a_quarter_of_that_interval(self, any_home):
        assert self.chosen(any_home.hosts, 21.3) == []
        assert self.chosen(any_home.hosts, 21.4) == [ROOT]


class TestAHostThatWasSetAside:
    def ill(self, world: Any) -> World:
        pages = [f"/{i}" for i in range(12)]
        answers = {ROBOTS: robots(""), ROOT: page(*pages, title="root")}
        answers |= {f"http://a.test{path}": answer(500) for path in pages}
        made: World = world(answers, delay=0.1, retries=2, retry_wait=0.0)
        return made

    async def test_is_left_alone_for_a_day_and_then_asked_again(self, world):
        w = self.ill(world)
        await w.crawl()
        host = w.home.hosts.get("a.test")
        assert host.set_aside_until - w.clock() == pytest.approx(DAY, rel=0.01)
        assert plan(w).chosen == []

        w.clock.advance(DAY)
        chosen = plan(w)
        w.fetcher.answers |= {f"{ROOT}{i}": page(title=str(i)) for i in range(12)}
        w.send(*begin(chosen, w.ports.urls))
        await w.drain()

        assert {w.record(f"{ROOT}{i}").state for i in range(12)} == {State.PARSED}
        assert not w.home.hosts.get("a.test").set_aside

    async def test_is_asked_by_the_next_plan_when_the_last_planner_died(self, world):
        w = self.ill(world)
        await w.crawl()
        w.clock.advance(DAY)
        w.fetcher.answers |= {f"{ROOT}{i}": page(title=str(i)) for i in range(12)}
        begin(plan(w), w.ports.urls)  # and nothing was sent

        w.send(*begin(plan(w), w.ports.urls))
        await w.drain()

        assert {w.record(f"{ROOT}{i}").state for i in range(12)} == {State.PARSED}

    async def test_is_not_set_aside_again_by_a_good_response(self, world):
        w = self.ill(world)
        await w.crawl()
        w.home.hosts.change("a.test", HostChange(requests=5001, bad=4001))
        w.clock.advance(DAY)
        w.fetcher.answers |= {f"{ROOT}{i}": page(title=str(i)) for i in range(12)}

        w.send(*begin(plan(w), w.ports.urls))
        await w.drain()

        host = w.home.hosts.get("a.test")
        assert (host.set_aside, host.bad, host.bad_in_a_row) == ("", 5, 0)

    async def test_though_it_was_well_for_long_has_not_been_asked_as_long(self, world):
        w = self.ill(world)
        w.home.hosts.change("a.test", HostChange(requests=100_000))
        urls = [f"/more{i}" for i in range(80)]
        w.fetcher.answers[ROOT] = page(*urls, title="root")
        w.fetcher.answers |= {f"http://a.test{path}": answer(500) for path in urls}

        await w.crawl()

        assert w.home.hosts.get("a.test").set_aside == "host-set-aside"
        assert len(w.fetcher.asked) <= 55

    async def test_is_left_alone_for_longer_each_time(self, world):
        w = self.ill(world)
        await w.crawl()
        bad = w.home.hosts.get("a.test").bad

        w.clock.advance(DAY)
        w.send(*begin(plan(w), w.ports.urls))
        await w.drain()

        host = w.home.hosts.get("a.test")
        assert host.set_aside_for == 4 * DAY
        assert host.is_set_aside(w.clock())
        assert host.bad < 2 * bad


async def test_pages_that_change_are_visited_more_than_pages_that_do_not(world, clock):
    """Twenty days of hourly rounds: six pages change twice a day, six never do."""
    chance = random.Random(11)
    versions = {f"/{kind}{i}": 0 for kind in ("busy", "calm") for i in range(6)}

    def serve(path: str) -> Answer:
        return lambda _request: page(title=f"{path} {versions[path]}")

    answers: dict[str, Answer] = {ROBOTS: robots(""), ROOT: page(*versions, title="root")}
    answers |= {f"http://a.test{path}": serve(path) for path in versions}
    w = world(answers, delay=1.0)
    await w.crawl()
    config = RecrawlConfig(budget=60.0)

    for _ in range(20 * 24):
        clock.advance(HOUR)
        for path in versions:
            if "busy" in path and chance.random() < 2 / 24:
                versions[path] += 1
        w.send(*begin(plan(w, config, elapsed=HOUR), w.ports.urls))
        await w.drain()

    asked = [url for url in w.fetcher.urls() if url != ROBOTS]
    busy = sum("busy" in url for url in asked) / 6
    calm = sum("calm" in url for url in asked) / 6
    assert busy > 5 * calm
    assert calm >= 2
    assert len(asked) <= 13 + 60 * 20


def waiting_record(number: int, **facts: Any) -> UrlRecord:
    url = f"http://a.test/{number}"
    given: dict[str, Any] = {"state": State.PARSED, "slot": float(number + 1)} | facts
    return UrlRecord(id=url_id(url), url=url, host="a.test", **given)


def test_what_is_gathered_in_parts_gives_the_same_plan(world: Any):
    home, now = world().home, 100 * DAY
    wrong = packed(History(visits=4, hints=3, wrong_hints=3))
    hinted = {"history": wrong, "hinted_at": now - 1.0}
    records = [waiting_record(number, **(hinted if number % 3 else {})) for number in range(40)]
    config = RecrawlConfig(budget=10.0)
    policy = policy_of(config)
    whole, joined = gather(records, now, policy), Gathered()
    for first in range(0, 40, 7):
        joined.join(gather(records[first : first + 7], now, policy))

    assert joined == whole
    assert whole.credit["a.test"] < 0  # it is not lost when parts are joined
    plans = [plan_of(found, home.hosts, JOB, now, config) for found in (whole, joined)]
    assert plans[0] == plans[1]
    assert plans[0].chosen


def test_of_refused_urls_no_more_are_kept_than_one_plan_looks_at():
    records = [
        waiting_record(n, state=State.EXCLUDED, reason="host-quota") for n in range(MOST_REFUSED)
    ]
    policy = policy_of(AT_ONCE)
    joined = Gathered()
    for _ in range(3):
        joined.join(gather(records, 10.0, policy))

    assert len(joined.refused["a.test"]) == MOST_REFUSED
