"""Is a shop searched by price and shown as a table, also when it has changed?

It is crawled in three ways: by what its pages declare, by templates that a person wrote, and by one
that was learned from three pages.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.entrypoints.api.services import local_search
from gossamer.settings import Settings
from tests.commands import run_here
from tests.e2e.crawls import crawl, run
from tests.sites.shop import Shop

if TYPE_CHECKING:
    from tests.sites.generated import Server

GONE, REPRICED, AGAIN, DOUBLED = 11, 12, 30, 31
AT_ONCE = ("--min-interval", 0, "--max-interval", 0)
GOODS = "price:0..1000"  # all that has a price
COLUMNS = ("url", "name", "brand", "price", "price_currency", "sku", "rating")
WAYS = ("jsonld", "microdata", "template", "learned")


def printed(*arguments: object) -> str:
    done = run_here(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def found(data: Path, query: str, *flags: object) -> list[str]:
    out = printed("search", query, "--data", data, "--limit", 100, "--json", *flags)
    return [hit["url"] for hit in json.loads(out)["hits"]]


def rows(text: str) -> list[dict[str, str]]:
    return [{name: row[name] for name in COLUMNS} for row in csv.DictReader(io.StringIO(text))]


def by_price(table: list[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(table, key=lambda row: float(row["price"]))


def recrawl(data: Path) -> None:
    done = run("recrawl", "--data", data, "--json", *AT_ONCE)
    assert (done.returncode, done.stderr) == (0, "")


def templates_for(way: str, shop: Shop, folder: Path, patch: pytest.MonkeyPatch) -> list[Any]:
    """The flags of a crawl that reads the shop this way."""
    patch.chdir(folder)  # where a learned template is written
    if way == "learned":
        printed("template", "learn", "goods", *shop.marks(1, 2, 3), "--allow-private")
        return ["--template", folder / "goods.toml"]
    if way != "template":
        return []
    for name, text in shop.templates().items():
        Path(f"{name}.toml").write_text(text)
    return [word for name in shop.templates() for word in ("--template", folder / f"{name}.toml")]


def check(shop: Shop, data: Path) -> None:
    """Searches, tables and exports say what the shop's owner knows."""
    assert sorted(found(data, "price:10..20")) == sorted(shop.priced(10, 20))
    assert found(data, "price:10..20", "--sort=-price") == [
        url for url in shop.by_price()[::-1] if url in shop.priced(10, 20)
    ]
    assert found(data, GOODS, "--sort", "price") == shop.by_price()
    for number in shop.twice | shop.doubled:
        product = shop.products[number]
        assert found(data, f"{GOODS} sku:{product.sku}") == [shop.url(product)]
    rated = {url: each.rating for each in shop.products.values() for url in [shop.url(each)]}
    best = found(data, "price:<20", "--sort=-rating")
    assert [rated[url] for url in best] == sorted((rated[url] for url in best), reverse=True)
    assert sorted(best) == sorted(shop.priced(0, 19.99))
    service = local_search(Settings(data=str(data)))
    hits = service.search("price:<20", sort="-rating", limit=100).hits
    stats = service.stats()
    assert [hit.url for hit in hits] == best
    assert {"price", "rating"} <= {*stats.sorts}
    assert "salary" not in stats.sorts
    search = ("search", GOODS, "--data", data, "--sort", "price", "--limit", 100, "--format")
    assert rows(printed(*search, "csv", "--fields", "*")) == shop.table()
    shown = printed(*search, "table", "--fields", "price").splitlines()
    assert [tuple(line.split()[-3:]) for line in shown[3:]] == [  # behind the headings
        (row["url"], row["price"], row["price_currency"]) for row in shop.table()
    ]
    export = ("export", "--data", data, "--what", "table")
    assert by_price(rows(printed(*export, "--query", GOODS))) == shop.table()
    everything = rows(printed(*export))
    assert by_price([row for row in everything if row["price"]]) == shop.table()


@pytest.mark.parametrize("way", WAYS)
def test_a_shop_is_right_without_a_template_with_one_and_with_a_learned_one(
    way: str, server: Server, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    style: Any = way if way in ("jsonld", "microdata") else "none"
    shop = Shop(server.origin(), style)
    server.publish(shop.site())
    flags = templates_for(way, shop, tmp_path, monkeypatch)
    crawl(f"{shop.origin}/", data, *flags, index=True)

    check(shop, data)

    shop.reprice(REPRICED, 1_501)
    shop.remove(GONE)
    shop.twice.add(AGAIN)
    shop.doubled.add(DOUBLED)
    server.publish(shop.site())
    recrawl(data)
    recrawl(data)  # what is missing once may come back

    check(shop, data)


def test_a_list_is_learned_without_marks_and_the_pages_of_its_items_stay(
    server: Server, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    shop = Shop(server.origin(), "none")
    server.publish(shop.site())
    printed("template", "learn", "listed", "--list", f"{shop.origin}/", "--allow-private")

    crawl(f"{shop.origin}/", data, "--template", "listed.toml", index=True)

    def check() -> None:
        names = ("url", "price", "price_currency")
        assert sorted(found(data, "price:10..20")) == sorted(shop.priced(10, 20))
        assert found(data, GOODS, "--sort", "price") == shop.by_price()
        table = printed("export", "--data", data, "--what", "table", "--template", "listed")
        read = [{name: row[name] for name in names} for row in csv.DictReader(io.StringIO(table))]
        assert by_price(read) == [{name: row[name] for name in names} for row in shop.table()]

    check()
    product = shop.products[REPRICED]
    by_number = f'"{product.sku}" -template:listed'  # what only its own page says
    assert found(data, by_number, "--strict") == [shop.url(product)]

    shop.reprice(REPRICED, 1_501)
    shop.remove(GONE)
    shop.twice.add(AGAIN)
    server.publish(shop.site())
    recrawl(data)
    recrawl(data)

    check()
