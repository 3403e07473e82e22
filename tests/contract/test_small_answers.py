"""Do all homes give the small answers that a query clearly asks for, and no others?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.core.collection import CollectionSettings
from gossamer.core.ids import document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.core.page.values import Money
from gossamer.core.urls import url_id
from gossamer.ports.documents import Version
from gossamer.search.searcher import Searcher
from tests.groups import groups_of
from tests.indexing import index_all, writer_of

if TYPE_CHECKING:
    from gossamer.ports.home import Home


def document(name: str, title: str, **more: Any) -> Document:
    return Document(url=f"http://a.test/{name}", title=title, text="threads for weavers", **more)


PAGES = (
    document("silk", "Silk Loom", values={"brand": "Acme", "price": Money(5.0, "EUR")}),
    document("other", "A loom for silk"),
    document("plain", "Cocoon"),
    document("twin1", "Moth"),
    document("twin2", "Moth"),
)


@pytest.fixture
def searcher(any_home: Home) -> Searcher:
    for page in PAGES:
        any_home.documents.put(url_id(page.url), [page], 1.0)
        index_all(writer_of(any_home.index), [Version(document_id(url_id(page.url)), 1.0, page)])
    return homes.searcher(any_home)


def test_a_document_that_is_called_as_the_query_is_the_answer_with_its_values(searcher: Searcher):
    found = searcher.search("silk looms")

    assert found.answer is not None
    assert (found.answer.kind, found.answer.title) == ("card", "Silk Loom")
    assert found.answer.url == found.hits[0].url == "http://a.test/silk"
    assert found.answer.values == {"brand": "Acme", "price": Money(5.0, "EUR")}
    assert found.hits[0].values == {}
    assert searcher.search("silk looms", fields=("brand",)).hits[0].values == {"brand": "Acme"}


def test_the_first_result_without_values_needs_no_card(searcher: Searcher):
    found = searcher.search("cocoon")

    assert [hit.title for hit in found.hits] == ["Cocoon"]
    assert found.answer is None


def test_groups_give_the_same_card(any_home: Home, searcher: Searcher):
    parts = (any_home.index, any_home.documents, Analyzer(), CollectionSettings())
    grouped = Searcher(*parts, lambda: 0.0, groups=groups_of(*parts))

    assert grouped.search("silk looms").answer == searcher.search("silk looms").answer


@pytest.mark.parametrize("query", ["moth", "loom", "silk & loom", "nothing"])
def test_several_or_none_are_no_answer(searcher: Searcher, query: str):
    assert searcher.search(query, similar="all").answer is None


def test_what_is_computed_is_answered_where_nothing_is_found_and_on_the_first_page(
    searcher: Searcher,
):
    answer = searcher.search("(2+3)*4 =").answer

    assert answer is not None
    assert (answer.kind, answer.asked, answer.text) == ("arithmetic", "(2+3)*4", "20")
    assert searcher.search("(2+3)*4", page=2).answer is None
    units = searcher.search("10 km in miles").answer
    assert units is not None
    assert (units.kind, units.asked, units.text) == ("units", "10 km", "6.21371192 miles")
