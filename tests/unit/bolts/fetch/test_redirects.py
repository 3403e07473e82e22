"""Do redirects that set cookies lead to the page, and only there?"""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.bolts.links import MAX_REDIRECTS
from gossamer.core.crawl.url_state import State
from gossamer.entrypoints.audit.command import audit
from gossamer.messages import Candidate, CrawlRequest, Emission
from tests.effort import often
from tests.pump import JOB, VirtualClock, answer, make_world, page, redirect

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.ports.fetcher import HttpRequest, HttpResponse
    from tests.pump import Answer, World

ROOT, CHECK, X = "http://a.test/", "http://a.test/check", "http://a.test/x"


def setting(location: str, *lines: str) -> HttpResponse:
    """A redirect that sets cookies."""
    lines = lines or ("s=1; Path=/",)
    return answer(302, headers=[("Location", location), *(("Set-Cookie", x) for x in lines)])


def walled(location: str, *lines: str, wants: str = "s=1") -> Callable[[HttpRequest], HttpResponse]:
    """A page that is given only to those who send a cookie."""

    def respond(request: HttpRequest) -> HttpResponse:
        is_known = wants in request.headers.get("Cookie", "")
        return page(title="welcome") if is_known else setting(location, *lines)

    return respond


def sent(w: World) -> list[tuple[str, str]]:
    """What was asked for with which cookies, robots.txt apart."""
    asked = [(each.url, each.request.headers.get("Cookie", "")) for each in w.fetcher.asked]
    return [(url, cookies) for url, cookies in asked if not url.endswith("robots.txt")]


def walls(kind: int) -> dict[str, Answer]:
    """A wall of one of the three usual kinds: the page sets the cookie, or another, or both."""
    given = page(title="welcome")
    kinds: list[dict[str, Answer]] = [
        {ROOT: walled("/")},
        {ROOT: walled("/check"), CHECK: redirect("/")},
        {
            ROOT: lambda r: given if r.headers.get("Cookie") else redirect("/check"),
            CHECK: setting("/"),
        },
    ]
    return kinds[kind]


class TestACookie:
    async def test_set_by_a_redirect_to_itself_brings_the_page(self, world):
        w = world({ROOT: walled("/")})

        await w.crawl()

        assert sent(w) == [(ROOT, ""), (ROOT, "s=1")]
        assert w.end_of(ROOT) == (State.PARSED, "document")
        assert audit([*w.warc_folder.iterdir()]).violations == 0

    async def test_is_sent_to_where_the_redirect_leads(self, world):
        w = world({ROOT: setting("/x"), X: walled("/")})

        await w.crawl()

        assert sent(w) == [(ROOT, ""), (X, "s=1")]
        assert w.end_of(ROOT) == (State.REDIRECTED, "redirect")
        assert w.end_of(X) == (State.PARSED, "document")

    async def test_set_on_the_way_there_and_back_brings_the_page(self, world):
        w = world({ROOT: walled("/check"), CHECK: redirect("/")})

        await w.crawl()

        assert sent(w) == [(ROOT, ""), (CHECK, "s=1"), (ROOT, "s=1")]
        assert w.end_of(ROOT) == (State.PARSED, "document")
        assert w.end_of(CHECK) == (State.REDIRECTED, "redirect")
        assert audit([*w.warc_folder.iterdir()]).violations == 0

    async def test_that_only_the_other_page_sets_brings_the_page_too(self, world):
        w = world(walls(2))

        await w.crawl()

        assert sent(w) == [(ROOT, ""), (CHECK, ""), (ROOT, "s=1")]
        assert w.end_of(ROOT) == (State.PARSED, "document")

    async def test_is_forgotten_behind_its_chain(self, world):
        given = page("/x", title="welcome")
        wall = lambda r: given if r.headers.get("Cookie") else setting("/")  # noqa: E731
        w = world({ROOT: wall, X: page(title="x")})

        await w.crawl()

        assert sent(w) == [(ROOT, ""), (ROOT, "s=1"), (X, "")]
        assert w.record(ROOT).cookies == ""

    async def test_never_goes_to_another_site(self, world):
        there = "http://b.test/"
        lines = "s=1; Path=/", "t=2; Path=/; Domain=b.test"
        w = world({ROOT: setting(there, *lines), there: page(title="b")}, seeds=[ROOT, there])

        await w.crawl()

        assert all(not cookies for _, cookies in sent(w))

    async def test_is_sent_again_when_a_try_of_the_chain_fails(self, world):
        answers = iter([answer(500), page(title="x")])
        w = world({ROOT: setting("/x"), X: lambda _: next(answers)})

        await w.crawl()

        assert sent(w) == [(ROOT, ""), (X, "s=1"), (X, "s=1")]

    async def test_opens_a_robots_txt_and_a_sitemap(self, world):
        robots, sitemap = f"{ROOT}robots.txt", f"{ROOT}sitemap.xml"
        rules = answer(200, f"Sitemap: {sitemap}\nUser-agent: *\nDisallow: /no")
        listed = answer(200, f"<urlset><url><loc>{X}</loc></url></urlset>")

        def behind(response: HttpResponse, own: str) -> Callable[[HttpRequest], HttpResponse]:
            return lambda r: response if "s=1" in r.headers.get("Cookie", "") else setting(own)

        w = world(
            {
                robots: behind(rules, robots),
                sitemap: behind(listed, sitemap),
                ROOT: page("/no", title="root"),
                X: page(title="x"),
            }
        )

        await w.crawl()

        assert w.end_of(X) == (State.PARSED, "document")
        assert w.end_of(f"{ROOT}no") == (State.EXCLUDED, "robots")
        assert audit([*w.warc_folder.iterdir()]).violations == 0

    @pytest.mark.parametrize("kind", range(3))
    async def test_opens_the_page_again_for_a_recrawl(self, world, kind):
        w = world(walls(kind))
        await w.crawl()
        again = Candidate(ROOT, after=w.record(ROOT).slot)
        w.send(Emission("frontier", CrawlRequest(job=JOB, host="a.test", urls=[again])))

        await w.drain()

        assert w.end_of(ROOT)[0] in (State.PARSED, State.UNCHANGED)
        assert w.record(ROOT).slot > again.after
        assert audit([*w.warc_folder.iterdir()]).violations == 0


class TestALoop:
    async def test_with_a_cookie_that_changes_each_time_ends(self, world):
        count = iter(range(1000))
        w = world({ROOT: lambda _: setting("/", f"s={next(count)}; Path=/")})

        await w.crawl()

        assert len(sent(w)) == MAX_REDIRECTS + 1
        assert w.end_of(ROOT) == (State.FAILED, "redirect-loop")

    async def test_with_a_cookie_that_helps_nothing_ends_at_once(self, world):
        w = world({ROOT: setting("/")})

        await w.crawl()

        assert sent(w) == [(ROOT, ""), (ROOT, "s=1")]
        assert w.end_of(ROOT) == (State.FAILED, "redirect-loop")

    @pytest.mark.parametrize("line", ["s=1; Path=/", "s={}; Path=/"])
    async def test_of_two_with_cookies_ends(self, world, line):
        count = iter(range(1000))
        w = world(
            {
                ROOT: lambda _: setting("/x", line.format(next(count))),
                X: lambda _: setting("/", line.format(next(count))),
            }
        )

        await w.crawl()

        assert len(sent(w)) <= MAX_REDIRECTS + 1
        assert "redirect-loop" in {w.end_of(ROOT)[1], w.end_of(X)[1]}

    async def test_of_two_whose_cookie_is_for_neither_ends_after_both(self, world):
        w = world({ROOT: setting("/x", "s=1; Path=/else"), X: redirect("/")})

        await w.crawl()

        assert sent(w) == [(ROOT, ""), (X, "")]
        assert w.end_of(X) == (State.FAILED, "redirect-loop")


@often(60)
@given(st.integers(0, 10_000))
async def test_a_chain_survives_crashes_and_messages_that_come_twice(seed):
    """However messages come: the page behind the wall is read, and nothing is asked for ever."""
    chance = Random(seed)
    with TemporaryDirectory() as folder:
        w = make_world(Path(folder), VirtualClock(), walls(chance.randrange(3)), retries=3)
        await w.crawl(
            deliveries=lambda: chance.choice([1, 1, 2]), is_lost=lambda: chance.random() < 0.15
        )

        assert w.end_of(ROOT) == (State.PARSED, "document")
        assert audit([*Path(folder).iterdir()]).violations == 0
        assert len(sent(w)) < 30
