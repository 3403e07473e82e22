"""Is what no backup holds made again from the records of URLs?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer.batch.restore.waiting import LATELY, make_again
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import PageRef, UrlEntry, UrlRecord
from gossamer.core.crawl.url_state import State
from gossamer.core.revisit.change_rate import History, packed
from gossamer.core.urls import sitemap_id, url_id
from gossamer.messages import LinksFound, PageFetched, decode
from gossamer.settings import Settings
from tests.local_home import open_local

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.ports.home import Home

AT = 10_000.0
URL = "http://a.test/1"


@pytest.fixture
def home(tmp_path: Path) -> Any:
    opened = open_local(Settings(data=str(tmp_path)))
    opened.jobs.configure("crawl", JobConfig(), 1.0)
    opened.jobs.set_state("crawl", "paused")
    yield opened
    opened.close()


def entry(state: State, *, ago: float = 0.0, **facts: Any) -> UrlEntry:
    """A URL in a state since some seconds before the time that is restored."""
    given: dict[str, Any] = {"id": url_id(URL), "url": URL, "host": "a.test", "reason": "document"}
    given |= {"page": PageRef("1.warc.gz", 0, 9), "fetched_at": AT - ago, "md5": b"m" * 16}
    return UrlEntry(UrlRecord(state=state, **given | facts), "crawl")


def messages(home: Home, stream: Any) -> list[Any]:
    return [decode(delivery.body) for delivery in home.queues.receive(stream, 10, AT)]


def again(home: Home, *entries: UrlEntry, linked: set[bytes] | None = None) -> Any:
    home.urls.load(entries)
    return make_again(home, list(entries), AT, linked or set(), AT)


@pytest.mark.parametrize(
    ("ago", "linked", "sent"),
    [(0.0, True, 1), (LATELY + 1, True, 0), (LATELY + 1, False, 1)],
    ids=["lately", "long ago", "long ago, without links"],
)
def test_a_page_is_read_again_for_its_links_if_they_may_be_missing(home, ago, linked, sent):
    parsed = entry(State.PARSED, ago=ago)

    again(home, parsed, linked={parsed.record.id} if linked else None)

    found = messages(home, "parse")
    assert [(m.url, m.links_only) for m in found] == [(URL, True)] * sent


@pytest.mark.parametrize("reason", ["noindex", "no-document"])
@pytest.mark.parametrize("ago", [0.0, LATELY + 1], ids=["lately", "long ago"])
def test_a_page_that_is_no_document_is_read_again_for_its_links_too(home, reason, ago):
    again(home, entry(State.EXCLUDED, reason=reason, ago=ago))

    assert [(m.url, m.links_only) for m in messages(home, "parse")] == [(URL, True)]


COPY = "http://a.test/other/copy"


@pytest.mark.parametrize("reason", ["same-content", "not-modified"])
@pytest.mark.parametrize(
    ("owner", "has_links"),
    [(URL, True), ("http://a.test/other/1", False)],
    ids=["of another folder", "of a neighbour, whose links are the same"],
)
@pytest.mark.parametrize("ago", [0.0, LATELY + 1], ids=["lately", "long ago"])
def test_a_copy_is_read_again_if_its_links_lead_elsewhere(home, reason, owner, has_links, ago):
    again(
        home,
        entry(State.PARSED, id=url_id(owner), url=owner, page=None),
        entry(State.DUPLICATE, id=url_id(COPY), url=COPY, reason=reason, target=owner, ago=ago),
    )

    assert [m.url for m in messages(home, "parse")] == [COPY] * has_links


def test_a_copy_whose_links_are_known_is_not_read_again(home):
    copy = entry(State.DUPLICATE, reason="same-content", target=COPY, ago=LATELY + 1)

    again(home, copy, linked={copy.record.id})

    assert messages(home, "parse") == []


def test_a_page_that_lately_closed_itself_to_search_leaves_the_index(home):
    history = packed(History(visits=1))

    again(home, entry(State.EXCLUDED, reason="noindex", history=history))

    assert [(m.url, m.gone) for m in messages(home, "index")] == [(URL, True)]


def test_a_page_that_was_not_read_is_read_however_long_ago(home):
    again(home, entry(State.FETCHED, ago=1e6, reason=""))

    (page,) = messages(home, "parse")
    assert isinstance(page, PageFetched)
    assert not page.links_only


def test_a_redirect_of_the_hour_before_leads_on_once_more(home):
    target = "http://a.test/2"
    again(home, entry(State.REDIRECTED, reason="redirect", target=target, page=None))

    (links,) = messages(home, "links")
    assert isinstance(links, LinksFound)
    assert [link.url for link in links.links] == [target]


def test_a_sitemap_of_the_hour_before_is_read_again(home):
    url = "http://a.test/sitemap.xml"
    again(home, entry(State.EXCLUDED, id=sitemap_id(url), url=url, reason="sitemap"))

    assert [m.purpose for m in messages(home, "parse")] == ["sitemap"]


def test_the_owner_of_a_content_owns_it_again_and_a_copy_does_not(home):
    copy = "http://a.test/copy"
    again(
        home,
        entry(State.DUPLICATE, id=url_id(copy), url=copy, reason="same-content", target=URL),
        entry(State.PARSED),
    )

    assert home.contents.own(b"m" * 16, "http://b.test/") == URL


@pytest.mark.parametrize("state", ["finished", "stopped"])
def test_what_waits_for_a_job_that_has_ended_is_not_parked(home, state):
    home.jobs.set_state("crawl", state)

    made = again(home, entry(State.DISCOVERED, reason=""))

    assert made == (0, 0)
    assert not home.frontier.has_packs()


def test_doing_it_twice_changes_nothing(home):
    claimed = entry(State.FETCHING, reason="", lease=AT + 90)

    first = again(home, claimed)
    state = home.urls.get(claimed.record.id)
    second = make_again(home, [UrlEntry(state, "crawl")], AT, set(), AT)

    assert (state.state, state.lease) == (State.DISCOVERED, 0.0)
    assert first == second == (1, 0)
    assert home.frontier.count() == 1
