"""Is a shop on a stack searched by price and shown as a table, also when it has changed?

As in `test_shop`, which crawls it on one machine.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.core.page.templates.learning.learner import MarkedPage, learn
from gossamer.core.page.templates.template import read_template
from gossamer.entrypoints.collection.templates import keep
from gossamer.homes import searcher
from tests.commands import run_here
from tests.pump import answer, robots
from tests.sites.shop import Shop, products
from tests.stack_world import StackWorld
from tests.unit.entrypoints.moto_stack import STACK, aws, deploy, home

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from gossamer.adapters.aws.home import AwsHome
    from gossamer.core.page.templates.template import Template
    from gossamer.core.search.result import Hit

ORIGIN = "http://shop.test"
GONE, REPRICED, AGAIN, DOUBLED = 11, 12, 30, 31
GOODS = "price:0..1000"  # all that has a price
COLUMNS = ("url", "name", "brand", "price", "price_currency", "sku", "rating")
WAYS = ("jsonld", "microdata", "template", "learned")
HTML = [("Content-Type", "text/html; charset=utf-8")]


@pytest.fixture
def stack() -> Iterator[AwsHome]:
    with aws():
        deploy()
        opened = home()
        yield opened
        opened.close()


def publish(site: dict[str, Any], shop: Shop) -> None:
    site.clear()
    site[f"{ORIGIN}/robots.txt"] = robots("")
    site |= {ORIGIN + path: answer(200, html, headers=HTML) for path, html in shop.pages().items()}


def templates_for(way: str, shop: Shop) -> tuple[Template, ...]:
    """The templates by which the shop is read this way."""
    if way == "learned":
        pages = [marked(shop, number) for number in (1, 2, 3)]
        return (learn("goods", pages).template,)
    if way != "template":
        return ()
    return tuple(read_template(text, f"{name}.toml") for name, text in shop.templates().items())


def marked(shop: Shop, number: int) -> MarkedPage:
    """A page of a product, with the values that a person marks on it."""
    product = shop.products[number]
    row = shop.row(product)
    values = {name: [row[name]] for name in ("name", "brand", "price", "sku", "rating")}
    return MarkedPage(shop.url(product), shop.pages()[product.path], values)


def hits(stack: AwsHome, query: str, **how: Any) -> list[Hit]:
    return searcher(stack).search(query, limit=100, **how).hits


def exported(*flags: str) -> list[dict[str, str]]:
    table = table_of(run_here("--stack", STACK, "export", "--what", "table", *flags))
    return sorted(table, key=lambda row: float(row["price"]))


def table_of(done: subprocess.CompletedProcess[str]) -> list[dict[str, str]]:
    """The rows of products in a table that was printed."""
    assert done.returncode == 0, done.stderr
    rows = [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["price"]]
    return [{name: row[name] for name in COLUMNS} for row in rows]


def check(stack: AwsHome, shop: Shop) -> None:
    """Searches and exports say what the shop's owner knows."""
    assert sorted(hit.url for hit in hits(stack, "price:10..20")) == sorted(shop.priced(10, 20))
    assert [hit.url for hit in hits(stack, GOODS, sort="price")] == shop.by_price()
    for number in shop.twice | shop.doubled:
        product = shop.products[number]
        assert [h.url for h in hits(stack, f"{GOODS} sku:{product.sku}")] == [shop.url(product)]
    search = ("search", GOODS, "--sort", "price", "--limit", 100, "--format", "csv")
    assert table_of(run_here("--stack", STACK, *search, "--fields", "*")) == shop.table()
    assert exported() == shop.table()
    assert exported("--query", GOODS) == shop.table()


@pytest.mark.parametrize(
    ("way", "count"),
    [
        ("jsonld", 45),
        ("template", 45),
        ("learned", 45),
        *(pytest.param(way, 100, marks=pytest.mark.long) for way in WAYS),
    ],
)
async def test_a_shop_is_right_without_a_template_with_one_and_with_a_learned_one(
    way: str, count: int, stack: AwsHome, tmp_path: Path
):
    style: Any = way if way in ("jsonld", "microdata") else "none"
    shop = Shop(ORIGIN, style, products(count))
    site: dict[str, Any] = {}
    publish(site, shop)
    keep(stack, templates_for(way, shop))
    world = StackWorld(stack, tmp_path, site, seeds=[f"{ORIGIN}/"])
    await world.crawl()

    check(stack, shop)

    shop.reprice(REPRICED, 1_501)
    shop.remove(GONE)
    shop.twice.add(AGAIN)
    shop.doubled.add(DOUBLED)
    publish(site, shop)
    await world.recrawl()
    await world.recrawl()  # what is missing once may come back

    check(stack, shop)
