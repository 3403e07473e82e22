"""Filters, facets and sorting by columns, over several segments."""

from __future__ import annotations

import pytest

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.batch.compact import compact
from gossamer.core.errors import QueryError
from gossamer.core.ids import document_id
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.ports.documents import Version
from tests.indexing import index_all, remove, writer_of

PAGES = [
    ("http://a.test/silk", "en", "2023-12-31", 10.0),
    ("http://www.a.test/silk/%E6%9D%B1%E4%BA%AC", "zh", "2024-05-01T10:00:00Z", 30.0),
    ("http://b.test:8080/Silk", "en", "2024-05-31", 20.0),
    ("http://b.test/other", "de", "", 40.0),
]


def version(url: str, language: str, published: str, at: float) -> Version:
    document = Document(url=url, text="silk", language=language, published_at=published)
    return Version(document_id(url_id(url)), at, document)


@pytest.fixture
def home(tmp_path):
    opened = LocalHome(None, tmp_path, homes.decode_body)
    yield opened
    opened.close()


@pytest.fixture(params=["a segment each", "one segment"])
def searcher(request, home):
    for page in PAGES:
        index_all(writer_of(home.index), [version(*page)])
    if request.param == "one segment":
        compact(writer_of(home.index), whole=True)
    return homes.searcher(home)


def found(searcher, query: str, **how: object) -> list[int]:
    urls = [url for url, *_ in PAGES]
    return [urls.index(hit.url) for hit in searcher.search(query, **how).hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("site:a.test", {0, 1}),
        ("site:www.a.test", {1}),
        ("site:b.test", {2, 3}),
        ("site:b.test:8080", {2}),
        ("site:test", {0, 1, 2, 3}),
        ("host:a.test", {0}),
        ('host:"b.test:8080"', {2}),
        ('host:"A.TEST" | host:"b.test"', {0, 3}),
        ("url:東京", {1}),
        ("url:%E6%9D%B1%E4%BA%AC", {1}),
        ("url:SILK", {0, 1, 2}),
        ("lang:zh-CN", {1}),
        ("lang:en_GB", {0, 2}),
        ("lang:fr", set()),
        ("kind:page", {0, 1, 2, 3}),
        ("kind:pdf", set()),
        ("date:2024", {1, 2}),
        ("date:2024-05-01..2024-05-30", {1}),
        ("before:2024", {0}),
        ("after:2024-05-31", {2}),
        ("silk !date:2024", {0, 3}),
        ("silk (lang:de | before:2024)", {0, 3}),
    ],
)
def test_a_filter_finds_exactly_what_fits(searcher, query, expected):
    assert set(found(searcher, query)) == expected


def test_values_are_counted_among_all_that_match_and_live(searcher, home):
    remove(writer_of(home.index), url_id(PAGES[0][0]), at=50.0)

    counted = searcher.search("silk", limit=1, facets=("site", "lang", "kind")).facets

    assert {name: [(v.value, v.count) for v in values] for name, values in counted.items()} == {
        "site": [("b.test", 1), ("b.test:8080", 1), ("www.a.test", 1)],
        "lang": [("de", 1), ("en", 1), ("zh", 1)],
        "kind": [("page", 3)],
    }


def test_results_are_sorted_by_a_column_and_what_lacks_it_is_last(searcher):
    assert found(searcher, "silk", sort="date") == [0, 1, 2, 3]
    assert found(searcher, "silk", sort="-date") == [2, 1, 0, 3]
    assert found(searcher, "silk", sort="-fetched") == [3, 1, 2, 0]
    assert found(searcher, "silk", sort="-fetched", limit=1, page=2) == [1]


def test_a_sorted_result_has_the_score_it_would_have(searcher):
    by_score = {hit.url: hit.score for hit in searcher.search("silk").hits}

    for sort in ("date", "-date", "-fetched"):  # of which two are not the best by score
        [hit] = searcher.search("silk", sort=sort, limit=1, similar="all").hits
        assert hit.score == by_score[hit.url]
    assert all(by_score.values())


def test_dates_are_counted_by_year_and_sorted_by_as_they_are_called(searcher):
    counted = searcher.search("silk", facets=("year",)).facets["year"]

    assert [(each.value, each.count) for each in counted] == [("2024", 2), ("2023", 1)]
    assert found(searcher, "silk", sort="-published") == found(searcher, "silk", sort="-date")


@pytest.mark.parametrize("how", [{"facets": ("colour",)}, {"sort": "colour"}])
def test_what_cannot_be_counted_or_sorted_by_says_what_can(searcher, how):
    with pytest.raises(QueryError, match="known: "):
        searcher.search("silk", **how)
