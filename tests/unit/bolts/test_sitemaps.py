"""Are feeds found and read like sitemaps, and are their dates hints, no more?"""

from __future__ import annotations

import itertools
import random
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.batch.recrawl import TRIAL, begin, recrawl
from gossamer.bolts.parse import parse
from gossamer.bolts.quotas import MAX_FEEDS_OF_HOST
from gossamer.core.crawl.job import JobConfig, RecrawlConfig, ScopeConfig
from gossamer.core.crawl.url_state import State
from gossamer.core.revisit.change_rate import remembered
from gossamer.core.urls import sitemap_id, url_id
from gossamer.messages import Link, LinksFound, PageFetched
from tests.documents import document_of
from tests.indexing import index_home
from tests.pump import JOB, Answer, World, answer, broken, page, redirect, robots

if TYPE_CHECKING:
    from gossamer.batch.recrawl import Plan
    from gossamer.ports.fetcher import HttpRequest, HttpResponse

HOUR, DAY = 3600.0, 86_400.0
START = datetime(2026, 11, 16, tzinfo=UTC).timestamp()
ROOT = "http://a.test/"
FEED = "http://a.test/feed"
MAP = "http://a.test/sitemap.xml"
ALTERNATE = '<link rel="alternate" type="application/atom+xml" href="{}">'
CLOSED = "<meta name=robots content=noindex>"
IS_XML = [("Content-Type", "application/rss+xml; charset=utf-8")]


def atom(*urls: str) -> HttpResponse:
    entries = "".join(f'<entry><link href="{url}"/></entry>' for url in urls)
    return answer(200, f"<feed>{entries}</feed>")


def naming(*feeds: str, title: str = "root") -> HttpResponse:
    return page(title=title, head="".join(map(ALTERNATE.format, feeds)))


def feed_end(w: World, url: str = FEED) -> tuple[State, str]:
    record = w.home.urls.get(sitemap_id(url))
    assert record is not None
    return record.state, record.reason


class TestTheFeedOfAPage:
    async def test_is_read_and_what_it_names_is_crawled(self, world):
        w = world({ROOT: naming("/feed"), FEED: atom("/x"), f"{ROOT}x": page(title="x")})

        await w.crawl()

        assert w.end_of(f"{ROOT}x") == (State.PARSED, "document")
        assert w.record(f"{ROOT}x").depth == 1
        assert feed_end(w) == (State.EXCLUDED, "sitemap")
        assert w.home.urls.get(url_id(FEED)) is None

    async def test_waits_for_a_slot_like_everything(self, world):
        w = world({ROOT: naming("/feed"), FEED: atom("/x")}, delay=2.0)

        await w.crawl()

        times = w.fetcher.times("a.test")
        assert len(times) == 4
        assert min(b - a for a, b in itertools.pairwise(times)) >= 2.0

    async def test_is_asked_for_once_however_many_pages_name_it(self, world):
        paths = [f"/{i}" for i in range(9)]
        pages = {f"http://a.test{path}": naming("/feed", title=path) for path in paths}
        w = world({ROOT: page(*paths, title="root"), FEED: atom(), **pages})

        await w.crawl()

        assert w.fetcher.urls().count(FEED) == 1

    async def test_is_asked_for_once_if_messages_come_twice_or_are_lost(self, world):
        w, chance = world({ROOT: naming("/feed"), FEED: atom("/x", "/y")}), random.Random(4)

        await w.crawl(
            deliveries=lambda: chance.choice([1, 2]), is_lost=lambda: chance.random() < 0.2
        )

        assert w.fetcher.urls().count(FEED) == 1
        assert feed_end(w) == (State.EXCLUDED, "sitemap")

    async def test_obeys_robots(self, world):
        rules = robots("User-agent: *\nDisallow: /feed")
        w = world({f"{ROOT}robots.txt": rules, ROOT: naming("/feed"), FEED: atom("/x")})

        await w.crawl()

        assert feed_end(w) == (State.EXCLUDED, "robots")
        assert FEED not in w.fetcher.urls()

    async def test_takes_nothing_of_a_budget(self, world):
        w = world({ROOT: naming("/feed"), FEED: atom()}, max_pages=5, max_documents=5)

        await w.crawl()

        assert w.budget() == (4, 4)

    @pytest.mark.parametrize("config", [{"sitemaps": False}, {"follow": False}])
    async def test_is_not_read_if_the_job_does_not_want_it(self, world, config):
        w = world({ROOT: naming("/feed"), FEED: atom("/x")}, **config)

        await w.crawl()

        assert w.home.urls.get(sitemap_id(FEED)) is None
        assert FEED not in w.fetcher.urls()

    @pytest.mark.parametrize(("hosts", "is_read"), [(["a.test", "b.test"], True), ([], False)])
    async def test_on_another_host_is_read_if_the_job_goes_there(self, world, hosts, is_read):
        elsewhere = "http://b.test/feed"
        scope = ScopeConfig(hosts=hosts)
        w = world({ROOT: naming(elsewhere), elsewhere: atom("http://b.test/x")}, scope=scope)

        await w.crawl()

        assert (elsewhere in w.fetcher.urls()) is is_read

    async def test_of_every_page_of_a_blog_is_too_many(self, world):
        paths = [f"/{i}" for i in range(MAX_FEEDS_OF_HOST + 10)]
        pages: dict[str, Answer] = {
            f"http://a.test{path}": naming(f"{path}/feed", title=path) for path in paths
        }
        w = world({ROOT: page(*paths, title="root"), **pages})

        await w.crawl()

        feeds = [record for record in w.home.urls.all() if record.purpose == "sitemap"]
        assert len(feeds) == len(paths)
        assert sum(record.reason == "pattern-quota" for record in feeds) == 10
        assert sum(url.endswith("/feed") for url in w.fetcher.urls()) == MAX_FEEDS_OF_HOST

    async def test_that_moved_is_followed_within_its_host(self, world):
        answers = {ROOT: naming("/feed"), FEED: redirect("/atom"), f"{ROOT}atom": atom("/x")}
        w = world(answers | {f"{ROOT}x": page(title="x")})

        await w.crawl()

        assert w.end_of(f"{ROOT}x") == (State.PARSED, "document")


class TestAPageThatIsAFeed:
    def serve(self, world: Any, *, kind: str = IS_XML[0][1], **config: Any) -> World:
        def respond(request: HttpRequest) -> HttpResponse:
            if "text/html" in request.accept_types:
                return answer(200, headers=[("Content-Type", kind)], fault="content-type")
            return atom("/x")

        answers = {ROOT: page("/feed", title="root"), f"{ROOT}x": page(title="x"), FEED: respond}
        made: World = world(answers, **config)
        return made

    @pytest.mark.parametrize(
        "kind", ["application/rss+xml", "Application/Atom+XML; charset=x", "text/xml"]
    )
    async def test_is_read_as_one(self, world, kind):
        w = self.serve(world, kind=kind, max_pages=9)

        await w.crawl()

        assert w.end_of(FEED) == (State.EXCLUDED, "feed")
        assert feed_end(w) == (State.EXCLUDED, "sitemap")
        assert w.end_of(f"{ROOT}x") == (State.PARSED, "document")
        assert w.budget() == (7, None)

    async def test_is_read_as_one_though_messages_come_twice_or_are_lost(self, world):
        w, chance = self.serve(world), random.Random(7)

        await w.crawl(
            deliveries=lambda: chance.choice([1, 2]), is_lost=lambda: chance.random() < 0.2
        )

        assert feed_end(w) == (State.EXCLUDED, "sitemap")
        assert w.fetcher.urls().count(FEED) == 2

    async def test_is_left_out_like_other_files_without_sitemaps(self, world):
        w = self.serve(world, sitemaps=False)

        await w.crawl()

        assert w.end_of(FEED) == (State.EXCLUDED, "content-type")
        assert w.home.urls.get(sitemap_id(FEED)) is None

    async def test_is_asked_for_again_as_a_feed_only(self, world):
        w = self.serve(world)
        await w.crawl()
        w.clock.advance(DAY)

        config = RecrawlConfig(min_interval=0, max_interval=0)
        chosen = recrawl(w.home, JOB, w.clock(), config).chosen

        assert [(u.url, u.purpose) for u in chosen if u.url == FEED] == [(FEED, "sitemap")]

    async def test_a_picture_is_none(self, world):
        w = self.serve(world, kind="image/svg+xml")

        await w.crawl()

        assert w.end_of(FEED) == (State.EXCLUDED, "content-type")


def dated(**pages: float | None) -> HttpResponse:
    """A sitemap of pages with the dates they are said to have."""

    def entry(path: str, at: float | None) -> str:
        said = f"<lastmod>{datetime.fromtimestamp(at, UTC).isoformat()}</lastmod>" if at else ""
        return f"<url><loc>http://a.test/{path}</loc>{said}</url>"

    return answer(200, f"<urlset>{''.join(entry(*named) for named in pages.items())}</urlset>")


CONFIG = RecrawlConfig(min_interval=HOUR)


def plan(w: World, config: RecrawlConfig = CONFIG, **more: Any) -> Plan:
    return recrawl(w.home, JOB, w.clock(), config, **more)


def chosen(w: World, config: RecrawlConfig = CONFIG, **more: Any) -> list[str]:
    return [url.url.removeprefix("http://a.test/") for url in plan(w, config, **more).chosen]


async def again(w: World) -> None:
    """A round for what is due, and then the sitemap is due again."""
    w.send(*begin(plan(w), w.ports.urls))
    await w.drain()


async def crawled(world: Any, names: str = "x y", **config: Any) -> World:
    """A site known by its sitemap, half a day ago; its pages are due after ten days."""
    answers: dict[str, Answer] = {
        f"{ROOT}robots.txt": robots(f"Sitemap: {MAP}"),
        ROOT: page(title="root"),
        MAP: dated(**dict.fromkeys(names.split(), START - DAY)),
    }
    answers |= {f"{ROOT}{name}": page(title=name) for name in names.split()}
    w: World = world(answers, **config)
    w.clock.advance_to(START)
    await w.crawl()
    w.clock.advance(DAY / 2)
    return w


def history(w: World, name: str) -> Any:
    return remembered(w.record(f"{ROOT}{name}").history)


class TestTheDateOfAPage:
    SAID = datetime.fromtimestamp(START - DAY, UTC).isoformat(timespec="seconds")

    async def dates(self, world: Any, x: HttpResponse, said: float | None = START - DAY) -> Any:
        """The date of a page that is linked and in the sitemap, and of one that is only there."""
        answers: dict[str, Answer] = {
            f"{ROOT}robots.txt": robots(f"Sitemap: {MAP}"),
            ROOT: page("/x", title="root"),
            MAP: dated(x=said, y=said),
            f"{ROOT}x": x,
            f"{ROOT}y": page(title="y"),
        }
        w: World = world(answers)
        w.clock.advance_to(START)
        await w.crawl()
        found = [document_of(w.home, f"{ROOT}{name}") for name in "xy"]
        return [(document.date, document.date_source) for document in found]

    async def test_is_that_of_the_list_if_the_page_has_none(self, world):
        found = await self.dates(world, page(title="x"))

        assert found == [(self.SAID, "sitemap")] * 2

    async def test_is_that_of_the_list_rather_than_of_the_server(self, world):
        changed = {"Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}

        found = await self.dates(world, page(title="x", **changed))

        assert found[0] == (self.SAID, "sitemap")

    async def test_is_its_own_if_it_has_one(self, world):
        found = await self.dates(world, answer(200, "<meta name=dc.date content=2020-05-06>"))

        assert found[0] == ("2020-05-06", "meta")

    @pytest.mark.parametrize("said", [None, START, START + 400 * DAY])
    async def test_is_none_if_the_list_says_now_or_nothing(self, world, said):
        found = await self.dates(world, page(title="x"), said)

        assert found == [("", "")] * 2


class TestALaterDate:
    async def test_makes_exactly_that_page_due_at_the_next_plan(self, world):
        w = await crawled(world)
        assert chosen(w) == ["sitemap.xml"]
        w.fetcher.answers[MAP] = dated(x=START + HOUR, y=START - DAY)
        w.fetcher.answers[f"{ROOT}x"] = page(title="new")

        await again(w)

        assert w.record(f"{ROOT}x").hinted_at == START + HOUR
        assert chosen(w) == ["x"]
        await again(w)
        assert (history(w, "x").hints, history(w, "x").wrong_hints) == (1, 0)
        assert chosen(w) == []

    async def test_of_a_feed_does_so_too(self, world):
        w = world({ROOT: naming("/feed"), FEED: atom("/x"), f"{ROOT}x": page(title="x")})
        w.clock.advance_to(START)
        await w.crawl()
        w.clock.advance(DAY / 2)
        item = "<item><link>/x</link><pubDate>Mon, 16 Nov 2026 05:00:00 GMT</pubDate></item>"
        w.fetcher.answers[FEED] = answer(200, f"<rss><channel>{item}</channel></rss>")

        await again(w)

        assert chosen(w) == ["x"]

    async def test_waits_for_the_shortest_interval(self, world):
        w = await crawled(world)
        w.home.urls.hint({url_id(f"{ROOT}x"): START + HOUR}, JOB)

        assert "x" not in chosen(w, RecrawlConfig(min_interval=DAY))
        assert "x" in chosen(w)

    async def test_that_was_said_before_the_last_visit_is_no_news(self, world):
        w = await crawled(world)
        w.fetcher.answers[MAP] = dated(x=START - HOUR, y=None)

        await again(w)

        assert chosen(w) == []
        assert w.record(f"{ROOT}x").hinted_at == START - DAY  # as it was when the page was found

    async def test_in_the_future_is_none(self, world):
        w = await crawled(world)
        w.fetcher.answers[MAP] = dated(x=START + 3 * DAY, y=START + DAY)

        await again(w)

        assert chosen(w) == ["y"]  # its clock is fast
        assert w.record(f"{ROOT}y").hinted_at < w.clock()

    async def test_of_a_page_elsewhere_is_no_hint(self, world):
        w = await crawled(world)
        links = [Link(f"{ROOT}x"), Link(f"{ROOT}y")]
        theirs = LinksFound(
            job=JOB,
            source="http://b.test/sitemap.xml",
            depth=0,
            via="sitemap",
            links=links,
            dates=[START + HOUR] * 2,
        )

        await w.deal_with("links", theirs)

        assert w.record(f"{ROOT}x").hinted_at == START - DAY  # as its own list has it

    async def test_lets_no_page_appear(self, world):
        w = await crawled(world, max_depth=0)

        w.home.urls.hint({url_id(f"{ROOT}new"): START + HOUR}, JOB)

        assert w.home.urls.get(url_id(f"{ROOT}new")) is None
        assert w.end_of(f"{ROOT}x") == (State.EXCLUDED, "too-deep")

    async def test_comes_first_if_there_is_a_budget(self, world):
        w = await crawled(world, " ".join(f"p{i}" for i in range(30)))
        w.clock.advance(40 * DAY)  # all are due
        w.home.urls.hint({url_id(f"{ROOT}p7"): w.clock() - HOUR}, JOB)

        assert chosen(w, RecrawlConfig(budget=24.0), elapsed=HOUR) == ["p7"]


class TestADateThatLies:
    async def test_is_not_believed_again(self, world):
        w = await crawled(world)
        w.fetcher.answers[MAP] = dated(x=START + HOUR, y=None)
        await again(w)
        await again(w)
        assert (history(w, "x").hints, history(w, "x").wrong_hints) == (1, 1)

        w.clock.advance(DAY)
        w.home.urls.hint({url_id(f"{ROOT}x"): w.clock() - HOUR}, JOB)

        assert "x" not in chosen(w)

    async def test_costs_a_host_its_credit(self, world):
        """All pages "change" all the time, and never do."""
        names = [f"p{i}" for i in range(3 * TRIAL)]
        w = await crawled(world, " ".join(names), delay=0.1)
        visits = []
        for _ in range(5):
            w.clock.advance(HOUR)
            w.home.urls.hint({url_id(ROOT + name): w.clock() - 60 for name in names}, JOB)
            asked = len(w.fetcher.asked)
            await again(w)
            visits.append(sum(a.url.startswith(f"{ROOT}p") for a in w.fetcher.asked[asked:]))

        assert visits == [TRIAL, 0, 0, 0, 0]

    async def test_gives_it_back_to_who_was_right(self, world):
        names = [f"p{i}" for i in range(3 * TRIAL)]
        w = await crawled(world, " ".join(names), delay=0.1)
        for name in names:
            w.fetcher.answers[ROOT + name] = page(title=f"new {name}")
        w.clock.advance(HOUR)
        w.home.urls.hint({url_id(ROOT + name): w.clock() - 60 for name in names}, JOB)

        await again(w)

        assert len(chosen(w)) == 2 * TRIAL  # the rest: twenty were right


class TestASitemapThatIsReadAgain:
    @pytest.mark.parametrize("changes", [True, False])
    async def test_is_due_the_sooner_the_more_often_it_changes(self, world, changes):
        w = await crawled(world)
        for number in range(8):
            w.fetcher.answers[MAP] = dated(x=None, **{f"n{number * changes}": None})
            w.clock.advance(DAY / 2)
            await again(w)

        w.clock.advance(DAY / 4)

        assert ("sitemap.xml" in chosen(w)) is changes

    async def test_and_says_the_same_is_not_read(self, world):
        w = await crawled(world)
        parsed: list[str] = []

        w.send(*begin(plan(w), w.ports.urls))
        await w.drain(observe=lambda stream, message, _: parsed.append(stream))

        assert w.fetcher.urls()[-1] == MAP
        assert "parse" not in parsed
        assert feed_end(w, MAP) == (State.EXCLUDED, "sitemap")

    async def test_is_asked_with_what_its_server_said(self, world):
        w = await crawled(world)
        w.fetcher.answers[MAP] = [
            answer(200, "http://a.test/z", headers=[("ETag", '"1"')]),
            answer(304),
        ]
        await again(w)
        w.clock.advance(DAY)

        await again(w)

        assert [a.request.headers for a in w.fetcher.asked if a.url == MAP] == [
            {},
            {},
            {"If-None-Match": '"1"'},
        ]
        assert feed_end(w, MAP) == (State.EXCLUDED, "sitemap")

    async def test_and_is_gone_takes_no_page_from_the_index(self, world):
        w = await crawled(world)
        w.fetcher.answers[MAP] = answer(404)
        told: list[str] = []

        for _ in range(3):
            w.send(*begin(plan(w), w.ports.urls))
            await w.drain(observe=lambda _s, _m, sent: told.extend(e.stream for e in sent))
            w.clock.advance(2 * HOUR)

        assert "index" not in told
        assert feed_end(w, MAP) == (State.GONE, "http-404")
        assert chosen(w) == []  # twice is enough

    async def test_a_second_whole_round_reads_it_anew(self, world):
        w = await crawled(world)
        w.fetcher.answers[f"{ROOT}z"] = page(title="z")
        w.home.urls.revisit(JOB)
        w.configure(JobConfig(seeds=[ROOT]))

        record = w.home.urls.get(sitemap_id(MAP))

        assert record is not None
        assert (record.state, record.reason) == (State.DISCOVERED, "")


def rss(*items: tuple[str, str]) -> HttpResponse:
    """A feed of links and texts."""
    entries = "".join(
        f"<item><title>entry</title><link>{link}</link><description>{text}</description></item>"
        for link, text in items
    )
    return answer(200, f"<rss><channel>{entries}</channel></rss>", headers=IS_XML)


def said_of(w, url: str) -> list[tuple[str, str]]:
    """Kind and title of the documents that a URL has."""
    found = w.home.documents.pages([url_id(url)])
    return [(each.kind, each.title) for page in found for each in page.documents.values()]


class TestEntries:
    async def test_an_entry_is_the_document_of_a_page_that_is_not_read(self, world):
        feed = rss(("/deep", "Silk of the deep."))
        w = world({ROOT: naming("/feed"), FEED: feed, f"{ROOT}deep": broken("timeout")}, retries=0)

        await w.crawl()

        assert said_of(w, f"{ROOT}deep") == [("entry", "entry")]

    async def test_the_page_takes_the_place_of_its_entry_and_keeps_it(self, world):
        feed = rss(("/x", "Silk."))
        w = world({ROOT: naming("/feed"), FEED: feed, f"{ROOT}x": page(title="x")})

        await w.crawl()
        assert said_of(w, f"{ROOT}x") == [("", "x")]

        known = w.home.urls.get(sitemap_id(FEED))
        message = PageFetched(
            job=JOB, url=FEED, page=known.page, depth=0, fetched_at=known.fetched_at + DAY,
            purpose="sitemap",
        )  # fmt: skip
        await parse(message, w.ports, known.fetched_at + DAY)
        assert said_of(w, f"{ROOT}x") == [("", "x")]

    @pytest.mark.parametrize("end", [page(head=CLOSED), redirect("/")])
    async def test_a_page_that_is_not_to_be_found_has_no_entry_either(self, world, end):
        w = world({ROOT: naming("/feed"), FEED: rss(("/x", "Silk.")), f"{ROOT}x": end})

        await w.crawl()
        index_home(w.home)

        urls = {hit.url for hit in homes.searcher(w.home).search("silk").hits}
        assert f"{ROOT}x" not in urls

    async def test_what_the_job_does_not_want_has_no_entry(self, world):
        feed = rss(("http://b.test/x", "Silk."), ("/private/x", "Silk."))
        w = world({ROOT: naming("/feed"), FEED: feed}, exclude=["/private/"])

        await w.crawl()

        assert said_of(w, "http://b.test/x") == said_of(w, f"{ROOT}private/x") == []

    async def test_an_entry_is_found_by_its_text(self, world):
        feed = rss(("/deep", "Silk of the deep."))
        w = world({ROOT: naming("/feed"), FEED: feed, f"{ROOT}deep": broken("timeout")}, retries=0)

        await w.crawl()
        index_home(w.home)

        [hit] = homes.searcher(w.home).search("silk kind:entry").hits
        assert hit.url == f"{ROOT}deep"
