"""Does a stack find the prices of a shop without a template, by what its pages declare?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.functions.rehearsal import Rehearsal
from tests.pump import answer, robots
from tests.sites.shop import TWICE, Shop, products

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 45  # products, in three lists


def publish(stack: Rehearsal, shop: Shop) -> None:
    site = stack.fetcher.answers
    site.clear()
    site[f"{shop.origin}/robots.txt"] = robots("User-agent: *\nAllow: /\n")
    for path, text in shop.pages().items():
        html = [("Content-Type", "text/html; charset=utf-8")]
        site[shop.origin + path] = answer(200, text, headers=html)


def crawl(stack: Rehearsal, shop: Shop) -> None:
    publish(stack, shop)
    stack.ask("POST", "/seeds", {"urls": [f"{shop.origin}/"], "config": {"delay": 0.0}})
    stack.run(60.0)


@pytest.fixture(scope="module", params=["jsonld", "microdata"])
def crawled(request) -> Iterator[tuple[Rehearsal, Shop]]:
    """A stack that has crawled a shop, with no template and no setting."""
    shop = Shop("http://shop.test", request.param, products(COUNT))
    stack = Rehearsal()
    crawl(stack, shop)
    yield stack, shop
    stack.close()


def asked(stack: Rehearsal, query: str, **how: str) -> Any:
    stack.forget("api", "search")
    given = "".join(f"&{name}={value}" for name, value in how.items())
    return stack.ask("GET", f"/search?q={quote(query)}&limit=100{given}")


def urls(answered: Any) -> list[str]:
    return [hit["url"] for hit in answered["hits"]]


def test_products_are_filtered_by_price_and_sorted_by_rating(crawled):
    stack, shop = crawled
    cheap = [each for each in shop.products.values() if each.price < 30]

    found = urls(asked(stack, "price:<30", sort="-rating"))

    assert sorted(found) == sorted(map(shop.url, cheap))
    by_url = {shop.url(each): each.rating for each in cheap}
    assert [by_url[url] for url in found] == sorted(by_url.values(), reverse=True)
    assert urls(asked(stack, "type:product", sort="price")) == shop.by_price()
    assert urls(asked(stack, f"sku:{shop.products[TWICE].sku}")) == [
        shop.url(shop.products[TWICE])
    ], "it is in two lists"


def test_columns_are_told_counted_and_shown(crawled):
    stack, shop = crawled

    found = asked(stack, "type:product", facets="brand,availability", fields="price,brand")
    stats = stack.ask("GET", "/stats")

    assert {"price", "rating"} <= {*stats["sorts"]}
    assert {"minutes", "salary", "starts"}.isdisjoint(stats["sorts"])  # no product has them
    assert {"brand", "price_currency"} <= {*stats["facets"]}
    brands = {each["value"]: each["count"] for each in found["facets"]["brand"]}
    assert sum(brands.values()) == COUNT
    assert {each["value"] for each in found["facets"]["availability"]} == {
        "in stock",
        "out of stock",
    }
    first = found["hits"][0]
    product = next(p for p in shop.products.values() if shop.url(p) == first["url"])
    assert first["values"]["price"]["amount"] == product.price
    assert first["values"]["price"]["currency"] == "EUR"


def test_the_values_are_a_table(crawled):
    stack, shop = crawled

    lines = asked(stack, "type:product", sort="price", format="csv", fields="url,sku,price")

    rows = [line.split(",") for line in lines.splitlines()]
    assert len(rows) == COUNT + 1
    cheapest = min(shop.products.values(), key=lambda each: each.cents)
    assert cheapest.sku in rows[1]
