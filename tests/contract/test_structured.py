"""Is a shop searched by what its pages declare, without a template, in every home?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.batch.compact import compact
from gossamer.core.collection import CollectionSettings, StructuredSettings
from gossamer.core.page.document import Document
from gossamer.core.page.html import parse_page
from gossamer.core.page.values import Money
from gossamer.core.urls import url_id
from tests.indexing import index_home
from tests.sites.shop import TWICE, Shop

if TYPE_CHECKING:
    from gossamer.ports.home import Home

SHOP = "http://shop.test"
GONE, REPRICED = 11, 12


def put(home: Home, shop: Shop, at: float = 1.0) -> None:
    for path, html in shop.pages().items():
        url = shop.origin + path
        parsed = parse_page(html.encode(), url, content_type="text/html; charset=utf-8")
        home.documents.put(url_id(url), parsed.documents, at)
    home.commit()


def found(home: Home, query: str, **how: Any) -> list[str]:
    return [hit.url for hit in homes.searcher(home).search(query, limit=200, **how).hits]


@pytest.mark.parametrize("style", ["jsonld", "microdata"])
def test_prices_are_exact_after_changes_too(any_home: Home, style: Any):
    shop = Shop(SHOP, style)
    put(any_home, shop)
    index_home(any_home)

    assert set(found(any_home, "price:10..20")) == shop.priced(10, 20)
    assert found(any_home, "type:product", sort="price") == shop.by_price()
    assert found(any_home, "type:product", sort="-price") == shop.by_price()[::-1]
    assert found(any_home, f"sku:{shop.products[TWICE].sku}") == [f"{SHOP}/product/{TWICE}"]

    shop.reprice(REPRICED, 1_501)
    put(any_home, shop, at=2.0)
    index_home(any_home)
    compact(homes.index_writer(any_home))

    assert f"{SHOP}/product/{REPRICED}" in found(any_home, "price:15.01")
    assert set(found(any_home, "price:10..20")) == shop.priced(10, 20)
    assert found(any_home, "type:product", sort="price") == shop.by_price()


def test_facets_and_values_come_without_a_setting(any_home: Home):
    shop = Shop(SHOP)
    put(any_home, shop)
    index_home(any_home)

    answer = homes.searcher(any_home).search("workshop", facets=("*",), fields=("price", "brand"))

    brands = {each.value: each.count for each in answer.facets["brand"]}
    assert sum(brands.values()) == len(shop.products)
    assert "company" not in answer.facets
    assert set(answer.hits[0].values) == {"price", "brand"}


def test_where_no_page_declares_anything_a_filter_finds_nothing_and_says_why(any_home: Home):
    put(any_home, Shop(SHOP, "none"))
    index_home(any_home)

    answer = homes.searcher(any_home).search("price:10..20", sort="price", facets=("brand",))

    assert (answer.total, answer.facets) == (0, {"brand": []})
    assert any("declare price" in note for note in answer.notes)
    for info in any_home.index.manifest().segments:
        segment = homes.index_writer(any_home).opened.segment(info)
        assert not any("." in column.name for column in segment.footer.columns)


def test_the_columns_can_be_switched_off(any_home: Home):
    settings = CollectionSettings(version=1, structured=StructuredSettings(columns=False))
    any_home.settings.put(settings)
    any_home.commit()
    put(any_home, Shop(SHOP))
    index_home(any_home)

    answer = homes.searcher(any_home).search("workshop", facets=("*",))

    assert answer.total == 100
    assert "brand" not in answer.facets


LONG = "A text of so many words that by it alone two documents would be taken for one. " * 9


@pytest.mark.parametrize("text", ["Short text", LONG])
def test_items_of_equal_text_and_other_values_are_each_shown(any_home: Home, text: str):
    url = f"{SHOP}/list"
    prices = {"a": 7.0, "b": 8.0, "c": 8.0}
    items = [
        Document(url=url, key=key, title="Lamp", text=text, values={"price": Money(price, "EUR")})
        for key, price in prices.items()
    ]
    any_home.documents.put(url_id(url), items, 1.0)
    any_home.commit()
    index_home(any_home)

    answer = homes.searcher(any_home).search("text", fields=("price",), sort="price")

    assert [hit.values["price"] for hit in answer.hits] == [Money(7, "EUR"), Money(8, "EUR")]
    assert answer.hits[1].similar == 1
