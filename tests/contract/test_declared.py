"""Are declared columns and text fields the same in every home, also while the schema changes?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from gossamer import homes
from gossamer.batch.compact import compact
from gossamer.batch.index import index_again
from gossamer.bolts.index import made_otherwise
from gossamer.core.collection import AnalyzerSettings, CollectionSettings, StructuredSettings
from gossamer.core.ids import document_id
from gossamer.core.index.declared import Column, TextField
from gossamer.core.page.document import Document
from gossamer.core.page.values import Date, Money
from gossamer.core.urls import url_id
from tests.indexing import index_home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.ports.home import Home

DECLARED = CollectionSettings(
    version=1,
    columns={
        "brand": Column(type="keyword", facet=True, sort=True),
        "tags": Column(type="keywords", facet=True),
        "price": Column(type="money", facet=True, sort=True),
        "released": Column(type="date", facet=True),
        "in_stock": Column(type="bool", facet=True),
    },
    fields={"summary": TextField(weight=2.0), "notes": TextField(searched=False)},
)
PRODUCTS: dict[str, dict[str, Any]] = {
    "a": {"brand": "Acme", "price": Money(10, "EUR"), "in_stock": True, "tags": ["red"]},
    "b": {"brand": "Other", "price": Money(50, "USD"), "released": Date("2024-05-31")},
    "c": {"brand": "Acme", "price": Money(30, "EUR"), "tags": ["blue", "red"], "summary": "silk"},
    "d": {"notes": "silk"},
}


def put(home: Home, names: Sequence[str], at: float = 1.0) -> None:
    for name in names:
        url = f"http://www.shop.co.uk/{name}"
        document = Document(url=url, text=f"thing {name}", kind="item", values=PRODUCTS[name])
        home.documents.put(url_id(url), [document], at)
    home.commit()


def found(home: Home, query: str, **how: Any) -> list[str]:
    hits = homes.searcher(home).search(query, similar="all", fill=False, **how).hits
    return [hit.url[-1] for hit in hits]


def counted(home: Home, name: str) -> dict[str, int]:
    answer = homes.searcher(home).search("thing", facets=(name,))
    return {each.value: each.count for each in answer.facets[name]}


@pytest.fixture
def home(any_home: Home) -> Home:
    any_home.settings.put(DECLARED)
    put(any_home, "abcd")
    index_home(any_home)
    return any_home


def test_documents_are_found_counted_and_sorted_by_their_values(home):
    assert set(found(home, "brand:acme")) == {"a", "c"}
    assert set(found(home, "price:10..30 -tags:blue")) == {"a"}
    assert set(found(home, "in_stock:true | released:2024")) == {"a", "b"}
    assert set(found(home, "domain:shop.co.uk kind:item")) == {"a", "b", "c", "d"}
    assert found(home, "silk") == ["c"]
    assert found(home, "notes:silk") == ["d"]
    assert found(home, "thing", sort="-price") == ["b", "c", "a", "d"]
    assert counted(home, "brand") == {"Acme": 2, "Other": 1}
    assert counted(home, "tags") == {"red": 2, "blue": 1}
    assert counted(home, "price_currency") == {"EUR": 2, "USD": 1}
    assert counted(home, "released") == {"2024": 1}
    assert counted(home, "domain") == {"shop.co.uk": 4}


def test_filters_choose_and_leave_the_counts_of_their_own_field_open(home):
    for _ in range(2):
        answer = homes.searcher(home).search(
            "thing", similar="all", filters=["brand:acme", "price:<40"], facets=("*",)
        )

        assert (answer.mode, answer.total, answer.total_is_exact) == ("ranked", 2, True)
        assert {hit.url[-1] for hit in answer.hits} == {"a", "c"}
        counts = {
            name: {each.value: each.count for each in values}
            for name, values in answer.facets.items()
        }
        assert counts["brand"] == {"Acme": 2}  # of those below 40, whatever their brand
        assert counts["tags"] == {"red": 2, "blue": 1}
        assert counts["site"] == {"www.shop.co.uk": 2}
        assert list(counts) == [
            "brand", "tags", "price_currency", "released", "in_stock",
            "site", "lang", "kind", "year",
        ]  # fmt: skip
        open_counts = homes.searcher(home).search(
            "thing", filters=["brand:acme"], facets=("brand", "price_currency")
        )
        assert {each.value: each.count for each in open_counts.facets["brand"]} == {
            "Acme": 2,
            "Other": 1,
        }
        assert [each.value for each in open_counts.facets["price_currency"]] == ["EUR"]
        assert found(home, "thing", filters=["-brand:acme"], sort="-price") == ["b", "d"]
        compact(homes.index_writer(home), whole=True)


def test_a_document_is_shown_with_its_values(home):
    id = document_id(url_id("http://www.shop.co.uk/c"))

    view = homes.searcher(home).document(id)

    assert view is not None
    assert (view.kind, view.values) == ("item", PRODUCTS["c"])


def test_all_documents_are_indexed_by_the_present_settings(home):
    assert made_otherwise(home) == 0


@pytest.mark.parametrize(
    "changed",
    [
        {"columns": DECLARED.columns | {"colour": Column(type="keyword")}},
        {"columns": DECLARED.columns | {"price": Column(type="number")}},
        {"fields": {"summary": TextField(weight=3.0)}},
        {"analyzer": AnalyzerSettings(language="de")},
    ],
)
def test_a_change_that_needs_indexing_again_is_told_until_it_was_done(home, changed):
    home.settings.put(msgspec.structs.replace(DECLARED, version=2, **changed))
    assert made_otherwise(home) == 4

    index_again(home, homes.index_writer(home))

    assert made_otherwise(home) == 0
    assert len(found(home, "thing")) == 4


@pytest.mark.parametrize(
    "changed",
    [
        {"profile": "tfidf"},
        {"columns": DECLARED.columns | {"brand": Column(type="keyword", facet=False, sort=False)}},
    ],
)
def test_a_change_that_only_queries_see_needs_no_indexing(home, changed):
    home.settings.put(msgspec.structs.replace(DECLARED, version=2, **changed))

    assert made_otherwise(home) == 0


def test_what_was_indexed_before_a_column_was_declared_has_no_value_in_it(any_home):
    off = StructuredSettings(columns=False)  # else pages that declare a brand have one
    any_home.settings.put(CollectionSettings(version=1, structured=off))
    put(any_home, "ab")
    index_home(any_home)
    assert "no field" in homes.searcher(any_home).search("brand:acme").notes[0]
    any_home.settings.put(msgspec.structs.replace(DECLARED, version=2))
    put(any_home, "c")
    index_home(any_home)

    for _ in range(2):
        assert found(any_home, "brand:acme") == ["c"]
        assert set(found(any_home, "thing -brand:acme")) == {"a", "b"}
        assert found(any_home, "thing", sort="price")[0] == "c"
        assert counted(any_home, "brand") == {"Acme": 1}
        assert found(any_home, "summary:silk") == ["c"]
        assert made_otherwise(any_home) in (2, 3)  # of a merged segment it is not known which
        compact(homes.index_writer(any_home), whole=True)

    index_again(any_home, homes.index_writer(any_home))

    assert set(found(any_home, "brand:acme")) == {"a", "c"}
    assert made_otherwise(any_home) == 0


def test_a_column_whose_type_was_changed_is_another_column(home):
    columns = DECLARED.columns | {"price": Column(type="keyword", facet=True)}
    home.settings.put(msgspec.structs.replace(DECLARED, version=2, columns=columns))
    assert counted(home, "price") == {}

    put(home, "b", at=2.0)
    index_home(home)

    for _ in range(2):
        assert counted(home, "price") == {"50 USD": 1}
        assert found(home, 'price:"50 usd"') == ["b"]
        compact(homes.index_writer(home), whole=True)
