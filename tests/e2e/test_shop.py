"""Is a shop that is crawled without a template searched by price, also when it has changed?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.commands import run_here
from tests.e2e.crawls import crawl, run
from tests.sites.shop import TWICE, Shop

GONE, REPRICED = 11, 12
AT_ONCE = ("--min-interval", 0, "--max-interval", 0)


def found(data: Any, query: str, *flags: object) -> list[str]:
    done = run_here("search", query, "--data", data, "--limit", 100, "--json", *flags)
    assert done.returncode == 0, done.stderr
    return [hit["url"] for hit in json.loads(done.stdout)["hits"]]


def recrawl(data: Any) -> None:
    done = run("recrawl", "--data", data, "--json", *AT_ONCE)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("style", ["jsonld", "microdata"])
def test_prices_are_exact_without_a_template(server, data, style):
    shop = Shop(server.origin(), style)
    server.publish(shop.site())
    crawl(f"{shop.origin}/", data, index=True)

    assert sorted(found(data, "price:10..20")) == sorted(shop.priced(10, 20))
    assert found(data, "type:product", "--sort", "price") == shop.by_price()
    assert len(found(data, f"sku:{shop.products[TWICE].sku}")) == 1

    shop.reprice(REPRICED, 1_501)
    shop.remove(GONE)
    server.publish(shop.site())
    recrawl(data)
    recrawl(data)  # what is missing once may come back

    assert sorted(found(data, "price:10..20")) == sorted(shop.priced(10, 20))
    assert found(data, "type:product", "--sort", "price") == shop.by_price()
    assert len(found(data, f"sku:{shop.products[TWICE].sku}")) == 1
