"""Do the pages of a shop become documents with prices, by a template alone, and stay right?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.commands import complains, run_here, said
from tests.e2e.crawls import crawl, exported
from tests.sites.generated import Resource, Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sites.generated import Server

PER_PAGE = 10
ALL = ("--limit", 100)
TEMPLATE = """
match = "{origin}/c/*"
items = ".card"
key = "sku"
title = "{{name}}"
url = "page"
next = "a.next"
links = ".card"
[fields.name]
select = "h2"
search = true
[fields.sku]
select = "@data-sku"
type = "keyword"
[fields.price]
select = ".price"
type = "money"
sort = true
required = true
[fields.brand]
select = ".brand"
type = "keyword"
facet = true
[fields.page]
select = "h2 a"
type = "link"
[[examples]]
page = "{origin}/c/1"
expect = {{ sku = "0", price = 5.0 }}
"""


def products() -> dict[int, float]:
    """Prices by number."""
    return {number: 5.0 + number * 0.75 for number in range(30)}


def card(number: int, price: float) -> str:
    brand = ("Acme", "Silky")[number % 2]
    return (
        f'<div class="card" data-sku="{number}"><h2><a href="/p/{number}">Scarf no{number}</a></h2>'
        f'<p class="brand">{brand}</p><p class="price">${price:.2f}</p></div>'
    )


def html(body: str) -> Resource:
    head = "<html lang=en><head><title>A shop</title></head>"
    return Resource(body=f"{head}<body>{body}</body>".encode())


def publish(server: Server, prices: dict[int, float], twice: int | None = None) -> Site:
    origin = server.origin()
    site = Site(origin)
    numbers = list(prices)
    site.resources[f"{origin}/"] = html('<a href="/c/1">scarves</a>')
    pages = range(0, len(numbers), PER_PAGE)
    for place, start in enumerate(pages, 1):
        cards = [card(n, prices[n]) for n in numbers[start : start + PER_PAGE]]
        cards += [card(twice, prices[twice])] if twice in numbers[start : start + PER_PAGE] else []
        more = f'<a class="next" href="/c/{place + 1}">more</a>' if place < len(pages) else ""
        site.resources[f"{origin}/c/{place}"] = html("".join(cards) + more + '<a href="/x">x</a>')
    site.resources |= {f"{origin}/p/{n}": html(f"<p>About scarf {n}") for n in numbers}
    site.resources[f"{origin}/x"] = html("<p>elsewhere")
    return server.publish(site)


def template_file(site: Site, folder: Path, text: str = TEMPLATE) -> Path:
    path = folder / "shop.toml"
    path.write_text(text.format(origin=site.origin))
    return path


def listed(data: Path, query: str, *flags: object) -> list[str]:
    """Numbers of the products that a search finds, in its order."""
    hits = said("search", "--data", data, *ALL, *flags, "--", f"template:shop {query}")["hits"]
    return [hit["url"].rpartition("/")[2] for hit in hits]


def expected(prices: dict[int, float], low: float = 0.0, high: float = 1e9) -> list[str]:
    numbers = sorted(prices, key=lambda n: prices[n])
    return [str(n) for n in numbers if low <= prices[n] <= high]


def of_products(data: Path) -> list[dict[str, Any]]:
    return [row for row in exported(data, "documents") if row.get("template") == "shop"]


def test_a_shop_is_searched_by_price_and_stays_right_after_a_recrawl(server, data, tmp_path):
    prices = products()
    site = publish(server, prices, twice=3)
    template = template_file(site, tmp_path)

    crawl(site.seed, data, "--template", template, index=True)

    assert listed(data, "", "--sort", "price") == expected(prices)
    assert listed(data, "price:10..20", "--sort=-price") == expected(prices, 10, 20)[::-1]
    assert sorted(listed(data, "brand:acme", "--sort", "price")) == sorted(
        str(n) for n in prices if n % 2 == 0
    )
    assert listed(data, "name:no7") == ["7"]
    said_of_elsewhere = run_here("explain-url", "--data", data, f"{site.origin}/x")
    assert said_of_elsewhere.returncode != 0, "links outside of `links` do not count"

    (health,) = json.loads(run_here("template", "--data", data, "health", "--json").stdout)
    assert (health["pages"], health["items"]) == (3, 10.33)
    assert health["fields"]["price"]["fill"] == 1.0

    prices |= {4: 99.0}
    del prices[12]
    publish(server, prices, twice=3)
    said("recrawl", "--data", data, "--min-interval", 0, "--max-interval", 0)

    assert listed(data, "", "--sort", "price") == expected(prices)


def test_templates_that_lie_beside_the_job_file_are_taken(server, data, tmp_path):
    prices = products()
    site = publish(server, prices)
    (tmp_path / "templates").mkdir()
    template_file(site, tmp_path / "templates")
    job = tmp_path / "job.toml"
    job.write_text(f'seeds = ["{site.seed}"]\n')

    crawl(site.seed, data, "--config", job, index=True)

    assert [each["name"] for each in said_list(data)] == ["shop"]
    assert listed(data, "price:10..20", "--sort", "price") == expected(prices, 10, 20)


def test_a_changed_template_is_applied_without_asking_the_site(server, data, tmp_path):
    prices = products()
    site = publish(server, prices)
    crawl(site.seed, data, index=True)
    assert listed(data, "") == []
    asked = len(server.log)

    template = template_file(site, tmp_path)
    done = said("template", "--data", data, "apply", template)

    assert (done["pages"], done["documents"]) == (3, 30)
    assert listed(data, "price:10..20", "--sort", "price") == expected(prices, 10, 20)

    template_file(site, tmp_path, TEMPLATE.replace(".card", ".missing").replace(".price", ".cost"))
    done = said("template", "--data", data, "apply", template)

    assert done["reasons"] == {"template-empty": 3}
    assert listed(data, "") == []
    assert (
        "finds nothing on it"
        in run_here("explain-url", "--data", data, f"{site.origin}/c/1").stdout
    )

    template_file(site, tmp_path)
    said("template", "--data", data, "apply", template)
    assert listed(data, "", "--sort", "price") == expected(prices)

    said("template", "--data", data, "remove", "shop")
    said("template", "--data", data, "apply")
    assert listed(data, "") == []
    assert len(server.log) == asked


def test_a_template_is_begun_tried_and_shown(server, data, tmp_path):
    site = publish(server, products())
    first = run_here(
        "template", "--data", data, "new", f"{site.origin}/c/1", "shop", "--allow-private"
    )
    assert first.returncode == 0, first.stderr
    begun = tmp_path / "begun.toml"
    begun.write_text(first.stdout)
    page = f"{site.origin}/c/1"
    tried = said("template", "--data", data, "test", begun, page, "--allow-private")
    assert tried["pages"][0]["records"][0]["values"]["title"] == "A shop"

    template = template_file(site, tmp_path)
    shown = run_here("template", "--data", data, "test", template, page, "--allow-private").stdout
    assert "5 USD" in shown
    assert "/html/body/div[1]/p[2]" in shown
    assert "examples: all 1 hold" in shown

    said("template", "--data", data, "add", template)
    assert [each["name"] for each in said_list(data)] == ["shop"]
    again = tmp_path / "again.toml"
    again.write_text(run_here("template", "--data", data, "show", "shop").stdout)
    assert said("template", "--data", data, "add", again)["templates"] == ["shop"]
    assert "there is no template 'nix' here" in complains("template", "--data", data, "show", "nix")


def said_list(data: Path) -> list[dict[str, Any]]:
    done = run_here("template", "--data", data, "list", "--json")
    return list(json.loads(done.stdout))


def test_an_example_that_does_not_come_out_fails_the_test(server, data, tmp_path):
    site = publish(server, products())
    wrong = template_file(site, tmp_path, TEMPLATE.replace("price = 5.0", "price = 6.0"))

    done = run_here("template", "--data", data, "test", wrong, "--allow-private")

    assert done.returncode == 1
    assert "record 1: price is 5 USD, not 6.0" in done.stdout


def test_a_name_that_no_collection_takes_is_refused_when_it_is_tried(data, tmp_path):
    wrong = tmp_path / "ranking.toml"
    wrong.write_text('match = "a.test/*"\n[fields.rank]\nselect = "b"\nsort = true\n')

    told = complains("template", "--data", data, "test", wrong)

    assert "'rank' is a name of Gossamer's own" in told


def test_two_templates_that_want_a_name_for_different_things_are_told_apart(tmp_path, data):
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    text = 'match = "a.test/*"\n[fields.x]\nselect = "b"\nsort = true\ntype = "{}"\n'
    one.write_text(text.format("number"))
    two.write_text(text.format("date"))
    said("template", "--data", data, "add", one)

    told = complains("template", "--data", data, "add", two)

    assert "'x' is a column of type number for one, of type date for two" in told
