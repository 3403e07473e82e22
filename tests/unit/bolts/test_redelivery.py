"""Are the promises kept when messages come twice, late, or after a crash at any point?"""

from __future__ import annotations

import copy
import dataclasses
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.bolts.fetch.emissions import free_units
from gossamer.bolts.links import links
from gossamer.bolts.schedule import next_pack, schedule, sweep
from gossamer.core.crawl.claims import LEASE
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.traps import TrapConfig
from gossamer.core.crawl.url_record import Discovery, UrlChange
from gossamer.core.crawl.url_state import PAGE_REASONS, State
from gossamer.core.urls import host_of, sitemap_id, url_id
from gossamer.entrypoints.audit.command import audit
from gossamer.entrypoints.cli.stack.redrive import reopen
from gossamer.entrypoints.dispatch import end_dead_letter, forget_packs
from gossamer.messages import (
    MAX_MESSAGE_BYTES,
    Candidate,
    CrawlRequest,
    FetchRequest,
    Link,
    LinksFound,
    PageFetched,
    encode,
)
from gossamer.ports.frontier import PACK_LEASE
from tests.effort import often
from tests.life import bring
from tests.pump import (
    JOB,
    Answer,
    Crash,
    VirtualClock,
    World,
    answer,
    make_world,
    page,
    redirect,
    robots,
)

if TYPE_CHECKING:
    from collections.abc import Callable

DAY = 24 * 3600.0
ROOT, X = "http://a.test/", "http://a.test/x"
ROBOTS = "http://a.test/robots.txt"
READING = {"get", "read", "unknown", "waiting", "fetch", "parse"}


def know(w: World, *urls: str) -> None:
    """URLs that LINKS has admitted, of hosts whose robots.txt was read."""
    for url in urls:
        w.home.urls.add([Discovery(url_id(url), url, host_of(url), 0)], b"", w.clock())
        rules = HostChange(robots_code=200, robots_until=w.clock() + DAY)
        w.home.hosts.change(host_of(url), rules)


def asking(*urls: str, host: str = "a.test") -> CrawlRequest:
    return CrawlRequest(job=JOB, host=host, urls=[Candidate(url) for url in urls])


def fetching(url: str = X, slot: float = 100.0, **more: Any) -> FetchRequest:
    given = {"delay": 1.0, "grace": 0.5} | more
    return FetchRequest(job=JOB, host=host_of(url), candidate=Candidate(url), slot=slot, **given)


def found(*urls: str, source: str = ROOT) -> LinksFound:
    return LinksFound(job=JOB, source=source, depth=0, via="page", links=[Link(u) for u in urls])


def sent(emissions: Any) -> list[str]:
    return [c.url for e in emissions if e.stream == "frontier" for c in e.message.urls]


class Mortal:
    """A port behind which the process may die before any effect."""

    def __init__(self, port: Any, dies: Callable[[], bool]) -> None:
        self._port = port
        self._dies = dies

    def __getattr__(self, name: str) -> Any:
        if name not in READING and self._dies():
            raise Crash
        return getattr(self._port, name)


def mortal(w: World, dies: Callable[[], bool]) -> World:
    names = ("urls", "hosts", "frontier", "pages", "contents", "documents", "edges", "jobs")
    ports = copy.copy(w.ports)
    ports.__dict__.update({name: Mortal(getattr(w.ports, name), dies) for name in names})
    return dataclasses.replace(w, ports=ports)


class TestLimits:
    """However messages come, budgets are met exactly: no page more, no unit lost."""

    HOSTS = ("a.test", "b.test", "c.test")

    def site(self, chance: Random) -> tuple[dict[str, Answer], int, int]:
        """Servers with trouble of all kinds, and how many pages and documents they have."""
        urls = [f"http://{host}/{i}" for host in self.HOSTS for i in range(8)]
        noindex = "<meta name=robots content=noindex>"
        kinds: list[tuple[Callable[[str], Answer], int, int]] = [
            (lambda u: page(*chance.sample(urls, 2), title=u), 1, 1),
            (lambda u: page(title=u), 1, 1),
            (lambda u: page(title=u, head=noindex), 1, 0),
            (lambda u: [answer(503), page(title=u)], 1, 1),
            (lambda u: [answer(429, headers=[("Retry-After", "7")]), page(title=u)], 1, 1),
            (lambda _: answer(404), 0, 0),
            (lambda _: redirect(chance.choice(urls)), 0, 0),
        ]
        chosen = {url: chance.choice(kinds) for url in urls}
        site = {url: make(url) for url, (make, _, _) in chosen.items()}
        root = page(*urls, title="root")
        site |= {f"http://{host}/": root for host in self.HOSTS}  # one document, three pages
        pages = 3 + sum(pages for _, pages, _ in chosen.values())
        documents = 1 + sum(documents for _, _, documents in chosen.values())
        return site, pages, documents

    def world(self, folder: str, site: dict[str, Answer], **config: Any) -> World:
        seeds = [f"http://{host}/" for host in self.HOSTS]
        return make_world(Path(folder), VirtualClock(), site, seeds=seeds, retries=5, **config)

    @often(25)
    @given(
        st.integers(0, 2**32),
        st.sampled_from([0.0, 0.5, 3.0]),
        st.sampled_from([1, 2, 7, 12, 99]),
        st.sampled_from([0.0, 0.01, 0.05]),
    )
    # A crash between the WARC and the host's record once lost a Retry-After.
    @example(seed=3755, delay=3.0, limit=7, danger=0.05)
    async def test_of_pages(self, seed, delay, limit, danger):
        chance = Random(seed)
        site, total, _ = self.site(chance)
        with TemporaryDirectory() as folder:
            w = self.world(folder, site, delay=delay, max_pages=limit)
            await self.crawl(w, chance, danger)
            pages = [record.url for record in w.home.urls.all() if record.md5]
            left, _ = w.budget()
            w.home.close()
            certificate = audit(sorted(Path(folder).glob("*.warc.gz")))

        assert len(pages) == min(limit, total)
        assert left == limit - len(pages)
        assert certificate.violations == 0, certificate.listed

    # Two fetchers die, and what they asked for is parked without a unit to be had.
    @example(seed=1, delay=0.0, limit=12, danger=0.05)
    @often(25)
    @given(
        st.integers(0, 2**32),
        st.sampled_from([0.0, 0.5, 3.0]),
        st.sampled_from([1, 2, 7, 12, 99]),
        st.sampled_from([0.0, 0.01, 0.05]),
    )
    async def test_of_documents(self, seed, delay, limit, danger):
        chance = Random(seed)
        site, _, total = self.site(chance)
        with TemporaryDirectory() as folder:
            w = self.world(folder, site, delay=delay, max_documents=limit)
            await self.crawl(w, chance, danger)
            documents = w.home.documents.count().documents
            _, left = w.budget()
            w.home.close()

        assert documents == min(limit, total)
        assert left == limit - documents

    async def crawl(self, w: World, chance: Random, danger: float) -> None:
        late = [0.0] * 5 + [0.01, 0.1, 4.0]

        def dies() -> bool:
            return chance.random() < danger

        await mortal(w, dies).crawl(
            deliveries=lambda: chance.choice([1] * 9 + [2]),
            lateness=lambda: chance.choice(late),
            is_lost=dies,
        )


class TestAUnit:
    """What a URL holds of the budgets."""

    async def test_is_not_released_while_its_request_is_under_way(self, world):
        w = world(max_pages=5)
        know(w, X)
        w.home.jobs.reserve(JOB, [url_id(X)])
        await w.home.urls.claim(url_id(X), 100.0, 100.0 + LEASE, 100.0)
        w.clock.advance(5.0)

        for slot in (90.0, 95.0, 100.0, 104.0):  # late copies, and slots that are not needed
            await w.deal_with("fetch", fetching(slot=slot))

        assert w.budget() == (4, None)

    @pytest.mark.parametrize("slot", [100.0, 103.0])
    @pytest.mark.parametrize("late", [0.0, 60.0])
    async def test_is_kept_by_a_page_whatever_comes_late(self, world, slot, late):
        w = world({X: page(title="x")}, max_pages=5, max_documents=5)
        know(w, X)
        w.home.jobs.reserve(JOB, [url_id(X)])
        (to_parse,) = await w.deal_with("fetch", fetching())

        w.clock.advance_to(slot + late)
        await w.deal_with("fetch", fetching(slot=slot))
        await w.deal_with("parse", to_parse.message)
        await w.deal_with("fetch", fetching(slot=slot))

        assert w.end_of(X) == (State.PARSED, "document")
        assert w.budget() == (4, 4)

    async def test_that_was_reserved_before_a_crash_is_used_by_the_message_that_comes_back(
        self, world
    ):
        """All units are out, but to the very URLs that ask: they must not wait for ever."""
        urls = [f"http://a.test/{i}" for i in range(3)]
        w = world(dict.fromkeys(urls, page(title="same")), max_pages=3, delay=0.0)
        know(w, *urls)
        schedule(asking(*urls), w.ports, w.clock())

        again = schedule(asking(*urls), w.ports, w.clock())

        asked = [e.message for e in again if isinstance(e.message, FetchRequest)]
        assert [message.candidate.url for message in asked] == urls
        assert w.budget() == (0, None)

    async def test_of_a_retry_that_was_not_sent_does_not_keep_the_url_waiting(self, world):
        w = world({X: [answer(500), page(title="x")]}, max_pages=1)
        know(w, X)
        w.home.jobs.reserve(JOB, [url_id(X)])
        await w.deal_with("fetch", fetching())
        w.home.jobs.reserve(JOB, [url_id(X)])  # the crash came before it was released

        (again,) = await w.deal_with("fetch", fetching())
        w.send(again)
        await w.drain()

        assert w.end_of(X) == (State.PARSED, "document")

    async def test_that_another_fetcher_has_by_now_is_waited_for(self, world):
        w = world({X: page(title="x")}, max_pages=1)
        know(w, X, ROOT)
        w.home.jobs.reserve(JOB, [url_id(ROOT)])

        (again,) = await w.deal_with("fetch", fetching())

        assert (again.stream, sent([again])) == ("frontier", [X])
        assert w.fetcher.asked == []
        assert w.record(X).state is State.DISCOVERED

    @pytest.mark.parametrize("times", [1, 2])
    @pytest.mark.parametrize(
        ("state", "reason", "left"),
        [
            (State.DISCOVERED, "", (5, 5)),  # it reserves again when it has a slot
            (State.FETCHING, "", (4, 4)),
            (State.FETCHED, "", (4, 4)),
            (State.PARSED, "document", (4, 4)),
            *((State.EXCLUDED, reason, (4, 5)) for reason in sorted(PAGE_REASONS)),
            (State.DUPLICATE, "same-content", (4, 5)),
            (State.UNCHANGED, "not-modified", (5, 5)),
            (State.REDIRECTED, "redirect", (5, 5)),
            (State.GONE, "http-404", (5, 5)),
            (State.FAILED, "http-403", (5, 5)),
            (State.FAILED, "host-set-aside", (5, 5)),
            (State.FAILED, "dead-letter", (5, 5)),
            (State.EXCLUDED, "robots", (5, 5)),
            (State.EXCLUDED, "too-large", (5, 5)),
        ],
    )
    def test_is_settled_by_how_the_url_ended(self, world, state, reason, left, times):
        w = world(max_pages=5, max_documents=5)
        know(w, X)
        w.home.jobs.reserve(JOB, [url_id(X)])
        lease = 100.0 + LEASE
        change = UrlChange(reason=reason, slot=100.0, lease=lease)
        bring(w.home.urls, url_id(X), state, change)

        for _ in range(times):
            free_units(w.record(X), JOB, w.ports, w.clock())

        assert w.budget() == left

    @pytest.mark.parametrize("times", [1, 2])
    async def test_of_a_dead_letter_is_free_unless_there_was_a_page(self, world, times):
        w = world({X: page(title="x")}, max_pages=5, max_documents=5)
        know(w, X, ROOT)
        w.home.jobs.reserve(JOB, [url_id(X), url_id(ROOT)])
        (to_parse,) = await w.deal_with("fetch", fetching())

        for _ in range(times):
            end_dead_letter(to_parse.message, w.ports, w.clock())
            end_dead_letter(fetching(ROOT), w.ports, w.clock())
            await w.deal_with("fetch", fetching())  # a late copy

        assert w.end_of(X) == w.end_of(ROOT) == (State.FAILED, "dead-letter")
        assert w.budget() == (4, 5)

    async def test_a_dead_letter_of_a_page_that_was_to_be_read_again_ends_nothing(self, world):
        w = world({X: page(title="x")}, max_pages=5, max_documents=5)
        know(w, X)
        w.home.jobs.reserve(JOB, [url_id(X)])
        (to_parse,) = await w.deal_with("fetch", fetching())
        again = msgspec.structs.replace(to_parse.message, settings=1)

        end_dead_letter(again, w.ports, w.clock())

        assert w.end_of(X)[0] is State.FETCHED, "its first message is still under way"
        assert reopen(w.home, again) == 0


class TestLinksAgain:
    """LINKS died between remembering URLs and sending them."""

    URLS = ("http://a.test/1", "http://a.test/2")
    SHORTER = found(URLS[1], source=X)

    def far(self, second: Answer) -> dict[str, Answer]:
        """A site whose second page is two links away."""
        return {ROOT: page("/1", title="root"), self.URLS[0]: page("/2", title="1")} | {
            self.URLS[1]: second
        }

    def test_emits_its_urls_again(self, world):
        w = world()

        lost = links(found(*self.URLS), w.ports, w.clock())
        again = links(found(*self.URLS), w.ports, w.clock())

        assert sent(again) == sent(lost) == list(self.URLS)

    def test_does_so_in_another_process(self, world, tmp_path):
        first = world(database=tmp_path / "web.db")
        links(found(*self.URLS), first.ports, first.clock())
        first.home.store.commit()
        second = world(database=tmp_path / "web.db")

        assert sent(links(found(*self.URLS), second.ports, second.clock())) == list(self.URLS)

    async def test_does_not_send_what_was_fetched_meanwhile(self, world):
        w = world()
        links(found(*self.URLS), w.ports, w.clock())
        await w.home.urls.claim(url_id(self.URLS[0]), 100.0, 280.0, 100.0)

        assert sent(links(found(*self.URLS), w.ports, w.clock())) == [self.URLS[1]]

    def test_does_not_send_what_another_page_sent(self, world):
        w = world()
        links(found(*self.URLS), w.ports, w.clock())

        assert links(found(*self.URLS, source=X), w.ports, w.clock()) == []

    def test_sends_what_it_admitted_though_quotas_are_full_by_now(self, world):
        w = world(traps=TrapConfig(per_host=2))
        links(found(*self.URLS), w.ports, w.clock())

        assert sent(links(found(*self.URLS), w.ports, w.clock())) == list(self.URLS)
        assert w.end_of(self.URLS[0]) == (State.DISCOVERED, "")

    async def test_has_a_page_read_again_to_which_it_found_a_shorter_way(self, world):
        """What that page links to is too deep until then."""
        third = {"http://a.test/3": page(title="3")}
        w = world(self.far(page("/3", title="2")) | third, max_depth=2)
        await w.crawl()
        before = w.end_of("http://a.test/3")

        (lost,) = links(self.SHORTER, w.ports, w.clock())
        (again,) = links(self.SHORTER, w.ports, w.clock())
        w.send(again)
        await w.drain()

        assert again == lost
        assert before == (State.EXCLUDED, "too-deep")
        assert w.end_of("http://a.test/3") == (State.PARSED, "document")

    async def test_does_so_though_quotas_are_full_by_now(self, world):
        w = world(self.far(page(title="2")), traps=TrapConfig(per_host=3))
        await w.crawl()

        lost = links(self.SHORTER, w.ports, w.clock())

        assert [e.stream for e in lost] == ["parse"]
        assert sent(links(found("http://a.test/new"), w.ports, w.clock())) == []
        assert links(self.SHORTER, w.ports, w.clock()) == lost

    @pytest.mark.parametrize("dies", ["after the redirect", "after its target"])
    async def test_follows_a_redirect_to_which_it_found_a_shorter_way(self, world, dies):
        w = world({**self.far(redirect("/3")), "http://a.test/3": page("/4", title="3")})
        await w.crawl()
        if dies == "after its target":
            links(self.SHORTER, w.ports, w.clock())
        else:
            moved = Discovery(url_id(self.URLS[1]), self.URLS[1], "a.test", 1)
            w.home.urls.add([moved], url_id(X), w.clock())

        (again,) = links(self.SHORTER, w.ports, w.clock())

        assert isinstance(again.message, PageFetched)
        assert (again.message.url, again.message.depth) == ("http://a.test/3", 1)

    async def test_goes_round_a_circle_of_redirects_once(self, world):
        w = world({**self.far(redirect("/3")), "http://a.test/3": redirect("/2")})
        await w.crawl()

        assert [links(self.SHORTER, w.ports, w.clock()) for _ in range(2)] == [[], []]
        assert w.record("http://a.test/3").depth == 1


class TestAPack:
    def test_that_was_taken_and_not_sent_comes_back_after_its_lease(self, world):
        w = world()
        w.home.frontier.park(asking(X))
        (lost,) = next_pack("a.test", w.ports, 100.0)

        assert sweep(JOB, w.ports, 100.0 + PACK_LEASE - 1.0) == []
        (again,) = sweep(JOB, w.ports, 100.0 + PACK_LEASE)
        assert again.message == lost.message == asking(X)

    def test_that_was_sent_does_not(self, world):
        w = world()
        w.home.frontier.park(asking(X))

        forget_packs(next_pack("a.test", w.ports, 100.0), w.home.frontier)

        assert sweep(JOB, w.ports, 100.0 + DAY) == []
        assert w.home.frontier.next_at() is None

    def test_does_not_hide_the_next_one(self, world):
        w = world()
        w.home.frontier.park(asking(ROOT))
        w.home.frontier.park(asking(X))

        taken = [e.message for _ in range(3) for e in next_pack("a.test", w.ports, 100.0)]

        assert taken == [asking(ROOT), asking(X)]

    def test_of_a_killed_process_is_free_at_once(self, world):
        w = world()
        w.home.frontier.park(asking(X))
        next_pack("a.test", w.ports, 100.0)

        w.home.recover()

        assert [e.message for e in next_pack("a.test", w.ports, 100.0)] == [asking(X)]


class TestRobotsAgain:
    MESSAGE = fetching(ROBOTS, purpose="robots", robots_for="a.test")

    async def test_emits_sitemaps_and_wakes_the_host_again(self, world):
        w = world({ROBOTS: robots("Sitemap: http://a.test/sitemap.xml")})
        w.home.frontier.park(asking(X), until=DAY)

        lost = await w.deal_with("fetch", self.MESSAGE)
        w.clock.advance(PACK_LEASE)
        again = await w.deal_with("fetch", self.MESSAGE)

        assert sent(again) == sent(lost) == ["http://a.test/sitemap.xml", X]
        assert [e.message.purpose for e in again] == ["sitemap", "page"]
        assert len(w.fetcher.asked) == 1

    async def test_emits_nothing_that_the_job_does_not_want(self, world):
        w = world({ROBOTS: robots("Sitemap: http://a.test/sitemap.xml")}, sitemaps=False)
        await w.deal_with("fetch", self.MESSAGE)

        assert await w.deal_with("fetch", self.MESSAGE) == []

    async def test_that_could_not_be_had_wakes_the_host_too(self, world):
        w = world({ROBOTS: answer(503)})
        await w.deal_with("fetch", self.MESSAGE)
        w.home.frontier.park(asking(X), until=DAY)

        assert sent(await w.deal_with("fetch", self.MESSAGE)) == [X]


class TestAPausedJob:
    SITE = {ROOT: page("/x", title="root"), X: page(title="x")}  # noqa: RUF012 never changed

    async def test_parks_what_comes_and_goes_on_after_it_is_resumed(self, world):
        w = world(dict(self.SITE), max_pages=5)
        know(w, ROOT)
        w.home.jobs.set_state(JOB, "paused")

        assert await w.deal_with("frontier", asking(ROOT)) == []
        assert sweep(JOB, w.ports, w.clock()) == []
        assert w.end_of(ROOT) == (State.DISCOVERED, "")

        w.home.jobs.set_state(JOB, "running")
        await w.drain()

        assert w.end_of(ROOT) == w.end_of(X) == (State.PARSED, "document")

    async def test_gives_up_slots_and_their_units(self, world):
        w = world(dict(self.SITE), max_pages=5)
        know(w, ROOT)
        (booked,) = await w.deal_with("frontier", asking(ROOT))
        w.home.jobs.set_state(JOB, "paused")

        (back,) = await w.deal_with("fetch", booked.message)

        assert (back.stream, back.message) == ("frontier", asking(ROOT))
        assert w.fetcher.asked == []
        assert w.budget() == (5, None)

    async def test_parks_the_question_for_robots_txt_too(self, world):
        w = world(dict(self.SITE))
        know(w, ROOT)
        w.home.hosts.change("a.test", HostChange(robots_until=0.0))
        (booked,) = await w.deal_with("frontier", asking(ROOT))
        w.home.jobs.set_state(JOB, "paused")
        (back,) = await w.deal_with("fetch", booked.message)
        assert await w.deal_with("frontier", back.message) == []

        w.home.jobs.set_state(JOB, "running")
        await w.drain()

        assert w.fetcher.urls() == [ROBOTS, ROOT, X]


class TestTheSizeOfAMessage:
    """Long URLs and long words: by number alone, messages would be too large."""

    SLACK = 2_000  # what stands around the links or candidates

    async def test_of_links_has_a_ceiling(self, world):
        paths = [f"/{i}/" + "x" * 1900 for i in range(900)]
        anchors = "".join(f'<a href="{p}">{"🕷" * 150}</a>' for p in paths)
        root = answer(200, f"<p>{anchors}</p>", headers=[("Content-Type", "text/html")])
        w = world({ROOT: root}, max_pages=1)
        await w.crawl()
        record = w.record(ROOT)
        assert record.page is not None
        message = PageFetched(
            job=JOB, url=ROOT, page=record.page, depth=0, fetched_at=record.fetched_at
        )

        emissions = [e for e in await w.deal_with("parse", message) if e.stream == "links"]

        assert max(len(encode(e.message)) for e in emissions) <= MAX_MESSAGE_BYTES + self.SLACK
        assert [link.url for e in emissions for link in e.message.links] == [
            f"http://a.test{path}" for path in paths
        ]
        parts = len(emissions)
        assert [(e.message.part, e.message.parts) for e in emissions] == [
            (n, parts) for n in range(parts)
        ]

    async def test_of_a_sitemap_has_a_ceiling(self, world):
        urls = [f"http://a.test/{i}/" + "x" * 1900 for i in range(300)]
        listed = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
        map_url = "http://a.test/sitemap.xml"
        w = world({map_url: answer(200, f"<urlset>{listed}</urlset>")})
        know(w, ROOT)
        w.home.urls.add([Discovery(sitemap_id(map_url), map_url, "a.test", 0)], b"", w.clock())
        (fetched,) = await w.deal_with("fetch", fetching(map_url, purpose="sitemap"))

        emissions = await w.deal_with("parse", fetched.message)

        assert max(len(encode(e.message)) for e in emissions) <= MAX_MESSAGE_BYTES + self.SLACK
        assert [link.url for e in emissions for link in e.message.links] == urls

    def test_of_a_pack_has_a_ceiling(self, world):
        w = world(traps=TrapConfig(enabled=False))
        urls = [f"http://a.test/{i}/" + "x" * 8000 for i in range(100)]

        emissions = links(found(*urls), w.ports, w.clock())

        assert max(len(encode(e.message)) for e in emissions) <= MAX_MESSAGE_BYTES + self.SLACK
        assert sent(emissions) == urls
