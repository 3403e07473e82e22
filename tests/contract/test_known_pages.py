"""Is what a template found before known from the archive of every home?"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from gossamer.batch.known_pages import known_pages
from gossamer.core.crawl.url_record import Discovery, PageRef, UrlChange
from gossamer.core.crawl.url_state import State
from gossamer.core.page.templates.template import read_template
from gossamer.core.revisit.change_rate import History, packed
from gossamer.core.urls import url_id
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts
from tests.life import bring

if TYPE_CHECKING:
    from gossamer.ports.home import Home

URL = "http://a.test/p/1"
SHOP = read_template('match = "a.test/p/*"\n[fields.price]\nselect = "b"\n', "shop.toml")
FACTS = RequestFacts(
    job="web", host="a.test", purpose="page", slot=1.0, delay=1.0, grace=1.0, depth=0, tries=0,
    agent="gossamer",
)  # fmt: skip


def visit(home: Home, at: float, body: str, url: str = URL) -> PageRef:
    response = HttpResponse(
        url=url, started_at=at, seconds=0.5, ip="192.0.2.7", code=200, phrase="OK",
        headers=(("Content-Type", "text/html"),), body=body.encode(), raw=body.encode(),
    )  # fmt: skip

    async def kept() -> PageRef:
        with home.pages.task():
            return await home.pages.append(response, FACTS)

    return asyncio.run(kept())


def remember(home: Home, ref: PageRef, at: float, changes: int = 1) -> None:
    id = url_id(URL)
    home.urls.add([Discovery(id, URL, "a.test", 1, job="web")], b"s" * 16, 100.0)
    history = packed(History(visits=3, changes=changes))
    change = UrlChange(reason="document", page=ref, fetched_at=at, history=history)
    bring(home.urls, id, State.PARSED, change)
    home.commit()


def known(home: Home) -> list[tuple[str, str, list[object]]]:
    found = known_pages(home, SHOP, [SHOP], lambda _: None)
    return [(page.url, page.html, [r.values.get("price") for r in page.records]) for page in found]


@pytest.fixture
def home(any_home: Home) -> Home:
    return any_home


def test_of_earlier_visits_the_latest_with_most_values_is_known(home: Home):
    visit(home, 100.0, "<b>1</b>")
    visit(home, 200.0, "<b>2</b>")
    visit(home, 300.0, "<i>3</i>")
    visit(home, 250.0, "<b>other</b>", "http://a.test/p/12")
    remember(home, visit(home, 400.0, "<i>4</i>"), 400.0)

    assert known(home) == [(URL, "<i>4</i>", ["2"])]


def test_a_page_on_which_more_is_found_now_is_known_as_it_is(home: Home):
    visit(home, 100.0, "<i>1</i>")
    remember(home, visit(home, 400.0, "<b>4</b>"), 400.0)

    assert known(home) == [(URL, "<b>4</b>", ["4"])]


def test_a_page_on_which_nothing_was_ever_found_is_not_known(home: Home):
    visit(home, 100.0, "<i>1</i>")
    remember(home, visit(home, 400.0, "<i>4</i>"), 400.0)

    assert known(home) == []


def test_pages_that_never_changed_and_those_of_others_are_not_looked_for(home: Home):
    visit(home, 100.0, "<b>1</b>")
    remember(home, visit(home, 400.0, "<i>4</i>"), 400.0, changes=0)

    assert known(home) == []
    others = read_template('name = "a"\nmatch = "a.test/p/1"\n[fields.x]\nselect = "b"', "a.toml")
    assert known_pages(home, SHOP, [SHOP, others], lambda _: None) == []
