"""Is the stored copy of a page found in every home, and only while there is one?"""

from __future__ import annotations

import asyncio

import pytest

from gossamer.core.crawl.url_record import Discovery, UrlChange
from gossamer.core.crawl.url_state import Event
from gossamer.core.ids import document_id
from gossamer.core.page.document import Document
from gossamer.core.revisit.change_rate import History, packed
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.services import HomeSearch
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts
from tests.indexing import index_home
from tests.topology.template import allowed_calls, load

URL = "http://a.test/x"
ID = url_id(URL)
FACTS = RequestFacts(
    job="web", host="a.test", purpose="page", slot=1.0, delay=1.0, grace=1.0, depth=0, tries=0,
    agent="gossamer",
)  # fmt: skip


def append(home, at, body, code=200, url=URL):
    response = HttpResponse(
        url=url, started_at=at, seconds=0.5, ip="192.0.2.7", code=code, phrase="OK",
        headers=(("Content-Type", "text/html"),), body=body, raw=body,
    )  # fmt: skip

    async def kept():
        with home.pages.task():
            return await home.pages.append(response, FACTS)

    return asyncio.run(kept())


def crawl(home, code=200, at=100.0, body=b"<p>silk</p>", history=b""):
    """A page that was fetched, read and indexed."""
    ref = append(home, at, body, code)
    home.urls.add([Discovery(ID, URL, "a.test", 0, job="web")], b"", 1.0)
    asyncio.run(home.urls.claim(ID, 1.0, 9.0, 1.0))
    change = UrlChange(page=ref, code=code, fetched_at=at, history=history)
    home.urls.move(ID, Event.STORED, change)
    home.documents.put(ID, [Document(url=URL, title="Silk", text="silk")], at)
    index_home(home)
    home.commit()


def service(home):
    return HomeSearch(home, lambda documents: pytest.fail(f"{documents} were counted"))


def test_the_page_of_a_document_is_found_with_its_date(any_home):
    crawl(any_home)

    meter = getattr(any_home, "meter", None)
    if meter is not None:
        meter.reset()

    found = service(any_home).copy(document_id(ID, 0))

    assert found is not None
    if meter is not None:
        calls = set(meter.calls) - {("s3:CreateBucket", "bucket:")}  # of the emulated stack
        assert calls <= allowed_calls(load())["api"], "the API may read it in a stack"
    assert found.page.body == b"<p>silk</p>"
    assert found.fetched_at == "1970-01-01T00:01:40+00:00"


def test_earlier_versions_are_found_where_the_archive_can_be_searched(any_home):
    append(any_home, 100.5, b"<p>wool</p>")
    crawl(any_home, at=200.0, history=packed(History(visits=1, changes=1)))
    found, id = service(any_home), document_id(ID)

    newest, versions = found.copy(id), found.versions(id)
    kept = list(any_home.pages.responses_to(URL, lambda: False))

    assert newest is not None
    assert (newest.page.body, newest.fetched_at) == (b"<p>silk</p>", "1970-01-01T00:03:20+00:00")
    assert len(kept) in (0, 2), "none, if it cannot be searched"
    assert versions.times == ((100,) if kept else ())
    for at in versions.times:
        earlier = found.copy(id, at)
        assert earlier is not None
        assert (earlier.page.body, earlier.fetched_at[11:19]) == (b"<p>wool</p>", "00:01:40")
    assert found.copy(id, 150) is None


def test_all_responses_to_some_urls_are_found_in_every_archive(any_home):
    wool = append(any_home, 100.5, b"<p>wool</p>")
    append(any_home, 101.5, b"<p>other</p>", url="http://a.test/other")
    append(any_home, 102.5, b"", code=404)
    silk = append(any_home, 200.5, b"<p>silk</p>")

    found = list(any_home.pages.responses_among(lambda url: url == URL))

    assert sorted((kept.fetched_at, kept.ref, kept.url) for kept in found) == [
        (100.5, wool, URL),
        (200.5, silk, URL),
    ]
    assert any_home.pages.read(wool).body == b"<p>wool</p>"


def test_a_page_that_never_changed_is_not_looked_for(any_home, monkeypatch):
    crawl(any_home)
    monkeypatch.setattr(any_home.pages, "responses_to", lambda *_: pytest.fail("it was searched"))

    assert service(any_home).versions(document_id(ID)).times == ()


def test_an_error_is_no_copy(any_home):
    crawl(any_home, code=404)

    assert service(any_home).copy(document_id(ID, 0)) is None


def test_what_cannot_be_found_has_no_copy(any_home):
    crawl(any_home)

    assert service(any_home).copy(document_id(url_id("http://a.test/other"))) is None


def test_a_document_that_came_without_a_crawl_has_no_copy(any_home):
    any_home.documents.put(ID, [Document(url=URL, title="Silk", text="silk")], 100.0)
    index_home(any_home)

    assert service(any_home).copy(document_id(ID, 0)) is None
