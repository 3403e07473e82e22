"""Is a large host held to what it has earned, while all others get their turn?"""

from __future__ import annotations

import re
from typing import Any

import pytest

from gossamer.batch.recrawl import Plan, begin, recrawl, with_refused
from gossamer.bolts.links import judge_again, links
from gossamer.bolts.packs import packs
from gossamer.bolts.quotas import Quota
from gossamer.core.crawl.host_quota import ceiling
from gossamer.core.crawl.host_record import Aside, HostChange
from gossamer.core.crawl.job import RecrawlConfig, ScopeConfig
from gossamer.core.crawl.traps import TrapConfig
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.rank import rank_home
from gossamer.entrypoints.lambdas.rank import Weighing
from gossamer.messages import CrawlRequest, Link, LinksFound
from gossamer.ports.reputation import Reputation
from gossamer.settings import Settings
from tests.indexing import index_home
from tests.pump import JOB, World, answer, page, redirect, robots

ANYWHERE = ScopeConfig(anywhere=True)
HUB = "http://hub.test/"
SMALL = [f"small{number}.test" for number in range(10)]
NEVER = RecrawlConfig(min_interval=1e8, max_interval=1e8)


class EndlessWeb(dict[str, Any]):
    """A hub, ten small hosts of three pages, and hosts where each page leads to two more.

    All small hosts link to good.test; to endless.test the hub alone.
    """

    def get(self, url: str, otherwise: Any = None) -> Any:
        host, path = url.split("/", 3)[2:]
        if host in SMALL and path in ("", "a", "b"):
            return page("/a", "/b", "http://good.test/1", title=url)
        if host in ("endless.test", "good.test") and re.fullmatch("[0-9]+", path):
            return page(f"/{2 * int(path)}", f"/{2 * int(path) + 1}", title=url)
        if url == HUB:
            small = [f"http://{name}/" for name in SMALL]
            return page("http://endless.test/1", *small, title="hub")
        return otherwise


def held(start: int = 20, growth: int = 1, **more: Any) -> TrapConfig:
    return TrapConfig(host_start=start, host_growth=growth, **more)


@pytest.fixture
def endless(world):
    def make(**config: Any) -> World:
        given = {"seeds": [HUB], "scope": ANYWHERE, "delay": 0.1, "traps": held(), **config}
        made: World = world(EndlessWeb(), **given)
        return made

    return make


def found(*urls, via="page", source=HUB, depth=0):
    return LinksFound(
        job=JOB, source=source, depth=depth, via=via, links=[Link(url) for url in urls]
    )


def run(w, message):
    emissions = links(message, w.ports, w.clock())
    return [c.url for e in emissions if isinstance(e.message, CrawlRequest) for c in e.message.urls]


def rules_of(w):
    return w.home.jobs.get(JOB).rules


def quota_of(w):
    return Quota(rules_of(w), w.home.quotas, w.home.reputation)


def pages_of(w, host):
    return sum(r.host == host and r.state is State.PARSED for r in w.home.urls.all())


def refused_of(w, host):
    return sum(r.host == host and r.reason == "host-quota" for r in w.home.urls.all())


def standing(w, host):
    return w.home.reputation.get([host])[host]


class TestAnEndlessHost:
    async def test_that_was_found_is_held_and_all_others_are_crawled(self, endless):
        w = endless(max_pages=500)

        await w.crawl()

        assert [pages_of(w, name) for name in SMALL] == [3] * 10
        pages = pages_of(w, "endless.test")
        assert pages == standing(w, "endless.test").pages
        assert 45 <= pages <= ceiling(rules_of(w).config.traps, pages, 0) <= 53
        assert refused_of(w, "endless.test") > 0
        assert w.budget()[0] > 300

    async def test_that_a_person_named_is_not(self, endless):
        w = endless(seeds=[HUB, "http://endless.test/1"], traps=held(per_host=90))

        await w.crawl()

        assert pages_of(w, "endless.test") == 91  # the seed takes none of its quota
        assert pages_of(w, "good.test") < 60

    async def test_that_others_do_not_praise_gets_no_more_than_one_that_they_do(self, endless):
        w = endless()
        await w.crawl()
        before = {host: pages_of(w, host) for host in ("endless.test", "good.test")}

        index_home(w.home)
        rank_home(w.home, Settings(workers=1), Weighing())
        plan = recrawl(w.home, JOB, w.clock(), NEVER)
        w.send(*begin(with_refused(plan, quota_of(w)), w.ports.urls))
        await w.drain()

        assert (standing(w, "good.test").worth, standing(w, "endless.test").worth) == (1, -2)
        assert pages_of(w, "endless.test") == before["endless.test"]
        assert pages_of(w, "good.test") > 2 * before["good.test"]


class TestAFoundHost:
    def test_below_its_first_ceiling_is_not_looked_up(self, world, monkeypatch):
        w = world(scope=ANYWHERE, traps=held(2))
        asked: list[str] = []
        get = w.home.reputation.get

        def watched(_self, hosts):
            asked.extend(hosts)
            return get(hosts)

        monkeypatch.setattr(type(w.home.reputation), "get", watched)

        run(w, found("http://b.test/a", "http://b.test/b", "http://a.test/x", "http://a.test/y"))
        assert asked == []

        run(w, found("http://b.test/c", "http://b.test/d", "http://a.test/z"))
        assert asked == ["b.test"]  # a.test is the seed's

    def test_gives_what_it_has_earned_when_its_url_is_met_again(self, world):
        w = world(scope=ANYWHERE, traps=held(1))
        run(w, found("http://b.test/a", "http://b.test/b"))
        assert w.end_of("http://b.test/b") == (State.EXCLUDED, "host-quota")
        assert run(w, found("http://b.test/b", source="http://c.test/", depth=3)) == []

        w.home.hosts.change("b.test", HostChange(pages=1))

        assert run(w, found("http://b.test/b", source="http://c.test/", depth=3)) == [
            "http://b.test/b"
        ]
        assert w.record("http://b.test/b").depth == 1

    def test_gives_all_that_it_has_once_a_person_has_named_it(self, world):
        w = world(scope=ANYWHERE, traps=held(1))
        run(w, found("http://b.test/a", "http://b.test/b"))

        run(w, found("http://b.test/seed", via="seed", source=""))

        assert standing(w, "b.test") == Reputation(named=True)
        assert run(w, found("http://b.test/b", source="http://c.test/")) == ["http://b.test/b"]

    def test_keeps_its_units_when_shapes_are_full(self, world):
        w = world(scope=ANYWHERE, traps=held(3, per_pattern=1))

        sent = run(w, found(*(f"http://b.test/item/{number}" for number in range(9))))
        more = run(w, found("http://b.test/a", "http://b.test/b", "http://b.test/c"))

        assert sent == ["http://b.test/item/0"]
        assert more == ["http://b.test/a", "http://b.test/b"]

    def test_is_judged_anew_when_the_job_begins_anew(self, world):
        w = world(scope=ANYWHERE, traps=held(1))
        run(w, found(*(f"http://b.test/{name}" for name in "abcdefgh")))
        w.home.hosts.change("b.test", HostChange(pages=9))
        quota = quota_of(w)

        reopened = w.home.urls.revise(JOB, lambda r: judge_again(r, rules_of(w), quota, w.clock()))

        assert len(reopened) == 3  # by nine pages, beside the one that it could give
        assert refused_of(w, "b.test") == 4

    def test_keeps_what_a_limit_cut_when_its_quota_is_full(self, world):
        w = world(scope=ANYWHERE, traps=held(1))
        run(w, found("http://b.test/a", "http://b.test/b"))
        w.home.urls.close_open(JOB, "max-pages")
        quota = quota_of(w)

        reopened = w.home.urls.revise(JOB, lambda r: judge_again(r, rules_of(w), quota, w.clock()))

        assert [record.url for record in reopened] == ["http://b.test/a"]


class TestARecrawl:
    def refused(self, w, host, count):
        run(w, found(*(f"http://{host}/{chr(97 + n)}" for n in range(count + 1))))
        w.home.urls.close_open(JOB, "max-pages")  # the one that was admitted

    def plan(self, w, limit=None):
        plan = recrawl(w.home, JOB, w.clock(), NEVER, most=limit)
        return with_refused(plan, quota_of(w))

    def test_takes_what_hosts_have_earned_since(self, world):
        w = world(scope=ANYWHERE, traps=held(1))
        self.refused(w, "b.test", 5)
        self.refused(w, "c.test", 5)
        w.home.hosts.change("c.test", HostChange(pages=4))

        plan = self.plan(w)
        emissions = begin(plan, w.ports.urls)

        assert [url.host for url in plan.chosen] == ["c.test"] * 2
        assert len(emissions) == 1
        assert all(w.end_of(url.url) == (State.DISCOVERED, "") for url in plan.chosen)
        w.home.urls.close_open(JOB, "max-pages")
        assert self.plan(w).chosen == []

    def test_gives_them_a_quarter_of_its_limit(self, world):
        w = world(scope=ANYWHERE, traps=held(1))
        for host in ("b.test", "c.test"):
            self.refused(w, host, 9)
        w.home.hosts.change("c.test", HostChange(pages=100))

        assert [url.host for url in self.plan(w, limit=8).chosen] == ["c.test"] * 2

    def test_leaves_hosts_alone_that_are_set_aside(self, world):
        w = world(scope=ANYWHERE, traps=held(1))
        self.refused(w, "b.test", 5)
        w.home.hosts.change("b.test", HostChange(pages=100, aside=Aside("host-set-aside")))

        assert self.plan(w).chosen == []

    def test_that_is_only_foretold_takes_no_unit(self, world):
        w = world(scope=ANYWHERE, traps=held(1))
        self.refused(w, "b.test", 1)
        w.home.hosts.change("b.test", HostChange(pages=1))

        for _ in range(3):
            plan: Plan = recrawl(w.home, JOB, w.clock(), NEVER)

        assert (plan.chosen, len(plan.refused)) == ([], 1)
        assert len(with_refused(plan, quota_of(w)).chosen) == 1


async def test_pages_are_counted_once_and_only_those_with_new_content(world):
    site = {
        "http://a.test/robots.txt": robots("Sitemap: http://a.test/map.xml"),
        "http://a.test/map.xml": answer(200, "<urlset/>", headers=[("Content-Type", "text/xml")]),
        "http://a.test/": page("/copy", "/gone", "/moved", "/own", "/other", title="root"),
        "http://a.test/own": page(title="own"),
        "http://a.test/copy": page(title="own"),
        "http://a.test/moved": redirect("/own"),
        "http://a.test/other": page(title="other"),
    }
    w = world(site)
    await w.crawl()
    assert standing(w, "a.test").pages == 3

    site["http://a.test/other"] = page(title="other, changed")
    w.send(*packs(JOB, w.home.urls.revisit(JOB)))
    await w.drain()

    assert w.record("http://a.test/other").state is State.PARSED
    assert standing(w, "a.test").pages == 3


def test_a_url_that_waits_is_not_counted_again(world):
    w = world(scope=ANYWHERE, traps=held(1))
    run(w, found("http://b.test/a"))

    assert quota_of(w).reason_again(w.home.urls.get(url_id("http://b.test/a"))) == ""
