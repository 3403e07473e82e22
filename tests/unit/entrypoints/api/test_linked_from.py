"""Does a document of the API show who links to it, and where it leads?"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gossamer.core.ids import document_id
from gossamer.core.search.result import DocumentView, InLinksView, LinkView
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.linked_from import MOST_LINKS, with_links
from gossamer.messages import Link
from gossamer.ports.edges import InLink, InLinks

URL = "http://a.test/"
TEXTS = ("title", "description", "language", "published_at", "fetched_at", "text")


def shown(links: list[Link], inlinks: InLinks | None = None) -> DocumentView:
    edges: Any = SimpleNamespace(
        get=lambda _id: links, inlinks=lambda _ids: {url_id(URL): inlinks} if inlinks else {}
    )
    fields: dict[str, Any] = dict.fromkeys(TEXTS, "x")
    page = url_id(URL)
    item = document_id(page, 7)  # the links are those of its page
    view = DocumentView(id=item.hex(), page=page.hex(), url=URL, headings=[], **fields)
    with_them = with_links(view, edges)
    assert with_them is not None
    return with_them


def test_each_target_is_shown_once_by_its_first_name():
    links = [Link("http://a.test/b", "first"), Link("http://a.test/b", "again"), Link(URL, "home")]

    assert shown(links).outlinks == [LinkView("http://a.test/b", "first"), LinkView(URL, "home")]


def test_a_page_of_many_links_shows_some():
    links = [Link(f"{URL}{number}") for number in range(MOST_LINKS + 9)]

    assert len(shown(links).outlinks) == MOST_LINKS


def test_all_that_link_to_it_are_counted_and_some_are_named():
    found = InLinks(7, [InLink("http://b.test/", "silk")])

    assert shown([], found).inlinks == InLinksView(7, [LinkView("http://b.test/", "silk")])


def test_no_document_stays_none():
    assert with_links(None, SimpleNamespace()) is None
