from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.page.document import Document, Outlink, ParsedPage
from gossamer.core.page.read_response import READERS, read_response
from tests.documents import document_of
from tests.item_reader import ITEMS_TYPE, Item, PageOfItems, reading_items
from tests.pump import answer

if TYPE_CHECKING:
    from gossamer.ports.fetcher import HttpRequest, HttpResponse

URL = "http://a.test/page"
RULES = Rules(JobConfig())
PROSE = "The quick brown fox jumps over the lazy dog and runs away into the deep forest. " * 5
FAKE = "application/x-fake"


def read(body: str, *headers: tuple[str, str], purpose: str = "page") -> ParsedPage:
    return read_response(purpose, body.encode(), URL, headers, RULES)


def read_fake(response, rules) -> ParsedPage:
    """A reader of another media type: the first line is the title, the others are links."""
    title, *links = response.body.decode().split("\n")
    document = Document(url=response.url, title=title, text=title)
    return ParsedPage([document], [Outlink(link) for link in links])


@pytest.fixture
def _fake_reader(monkeypatch):
    monkeypatch.setitem(READERS, FAKE, read_fake)


def test_plain_text_is_its_own_main_text():
    body = "<b>not</b> html http://a.test/x\n" + PROSE

    parsed = read(body, ("Content-Type", "Text/Plain; charset=utf-8"))

    assert parsed.outlinks == []
    assert parsed.documents[0].text == body.strip()
    assert parsed.documents[0].language == "en"


HTML = ("Content-Type", "text/html")
CHANGED = ("last-modified", "Thu, 02 May 2024 10:00:00 GMT")


@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
def test_what_names_no_date_has_that_of_its_server(kind):
    document = read("<p>silk", ("Content-Type", kind), CHANGED).documents[0]

    assert (document.date, document.date_source) == ("2024-05-02T10:00:00+00:00", "last-modified")
    assert document.published_at == ""


def test_the_date_of_a_page_counts_more_than_its_servers():
    document = read("<meta name=dc.date content=2020-01-01>", HTML, CHANGED).documents[0]

    assert (document.date, document.date_source) == ("2020-01-01", "meta")


@pytest.mark.parametrize(
    "headers",
    [
        (),
        (("Date", "Thu, 02 May 2024 10:00:00 GMT"),),
        (CHANGED, ("Date", "Thu, 02 May 2024 10:00:03 GMT")),  # made for this very request
        (("Last-Modified", "yesterday"),),
        (("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT"),),
    ],
)
def test_a_page_without_a_date_has_none(headers):
    document = read("<p>silk", HTML, *headers).documents[0]

    assert (document.date, document.date_source) == ("", "")


@pytest.mark.parametrize("kind", ["text/html", "application/xhtml+xml; charset=utf-8", "", "a/b"])
def test_html_and_what_has_no_reader_of_its_own_is_read_as_html(kind):
    parsed = read("<title>T</title><a href=/x>x</a>", ("content-type", kind))

    assert parsed.documents[0].title == "T"
    assert [link.url for link in parsed.outlinks] == ["http://a.test/x"]


def test_a_sitemap_is_read_by_what_it_was_asked_for_as_not_by_its_type():
    parsed = read("http://a.test/1\nhttp://a.test/2", ("Content-Type", "text/html"), purpose="page")
    sitemap = read("http://a.test/1\nhttp://a.test/2", purpose="sitemap")

    assert parsed.outlinks == []
    assert [(link.url, link.kind) for link in sitemap.outlinks] == [
        ("http://a.test/1", "sitemap-page"),
        ("http://a.test/2", "sitemap-page"),
    ]


@pytest.mark.usefixtures("_fake_reader")
@pytest.mark.parametrize("tag", ["noindex, nofollow", "none"])
def test_directives_of_the_headers_count_whatever_the_reader(tag):
    headers = (("content-type", FAKE), ("X-Robots-Tag", tag))

    parsed = read("Title\nhttp://a.test/x", *headers)

    assert (parsed.noindex, parsed.nofollow) == (True, True)
    assert parsed.outlinks[0].nofollow


@pytest.mark.usefixtures("_fake_reader")
def test_a_new_media_type_needs_a_reader_and_nothing_else(world):
    def serve(request: HttpRequest) -> HttpResponse:
        if FAKE not in request.accept_types:
            return answer(406)
        return answer(200, "Title\nhttp://a.test/x", headers=[("Content-Type", FAKE)])

    w = world({"http://a.test/": serve})

    asyncio.run(w.crawl())

    assert document_of(w.home, "http://a.test/").title == "Title"
    assert "http://a.test/x" in w.ends()


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_reader_may_give_none_one_or_many_documents(count):
    page = PageOfItems(items=[Item(f"item {n}", key=str(n)) for n in range(count)])

    with reading_items():
        parsed = read(page.body().decode(), ("Content-Type", ITEMS_TYPE))

    assert [(d.title, d.url) for d in parsed.documents] == [
        (f"item {n}", URL) for n in range(count)
    ]


def test_asking_for_the_types_loads_no_parser():
    code = (
        "import sys; from gossamer.core.page.read_response import accepted_types;"
        " accepted_types('page');"
        " sys.exit(bool({'resiliparse', 'lxml', 'pyexpat'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
