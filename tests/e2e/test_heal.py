"""Is a template healed by itself when a site is redesigned, and never by what loses values?"""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from gossamer.core.page.templates.template import read_template
from gossamer.settings import Settings
from tests.commands import run_here, said
from tests.e2e.crawls import crawl
from tests.local_home import open_local
from tests.sites.generated import Resource, Site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sites.generated import Server

PER_PAGE = 10
PRODUCTS = range(30)
LISTS = """
name = "shop"
match = "{origin}/c/*"
items = ".card"
key = "sku"
title = "{{name}}"
url = "page"
next = "a.next"
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
"""
DETAILS = """
name = "thing"
match = "{origin}/p/*"
[fields.label]
select = "h1"
[fields.cost]
select = ".price"
type = "money"
sort = true
required = true
"""
AT_ONCE = ("--min-interval", 0, "--max-interval", 0)


def price(number: int) -> str:
    return f"{5 + number * 0.75:.2f}"


def brand(number: int) -> str:
    return ("Acme", "Silky")[number % 2]


def old_card(n: int) -> str:
    return (
        f'<div class="card" data-sku="{n}"><h2><a href="/p/{n}">Scarf no{n}</a></h2>'
        f'<p class="brand">{brand(n)}</p><p class="price">${price(n)}</p></div>'
    )


def old_page(n: int) -> str:
    return f"<h1>Scarf no{n}</h1><p class=price>${price(n)}</p><p>It is warm.</p>"


def new_card(n: int) -> str:
    return (
        f'<li class="tile"><section data-id="{n}"><a class="go" href="/p/{n}">'
        f'<span class="label">Scarf no{n}</span></a><small>{brand(n)}</small>'
        f'<b class="amount">${price(n)}</b></section></li>'
    )


def new_page(n: int) -> str:
    return (
        f"<header>A shop</header><div class=pdp><h2 class=head>Scarf no{n}</h2><div class=buy>"
        f"<span class=amount>${price(n)}</span> <s>$999.00</s></div></div>"
    )


def without_price(n: int) -> str:
    return new_card(n).replace(f"${price(n)}", "Log in to see the price")


def publish(server: Server, card: Callable[[int], str], page: Callable[[int], str]) -> Site:
    origin = server.origin()
    site = Site(origin)
    site.resources[f"{origin}/"] = html('<a href="/c/1">scarves</a>')
    for place, start in enumerate(PRODUCTS[::PER_PAGE], 1):
        cards = "".join(map(card, PRODUCTS[start : start + PER_PAGE]))
        kind = "next" if card is old_card else "forward"
        more = f'<a class="{kind}" href="/c/{place + 1}">more</a>' if place < 3 else ""
        site.resources[f"{origin}/c/{place}"] = html(f"<ul>{cards}</ul>{more}")
    site.resources |= {f"{origin}/p/{n}": html(page(n)) for n in PRODUCTS}
    return server.publish(site)


def html(body: str) -> Resource:
    head = "<html lang=en><head><title>A shop</title></head>"
    return Resource(body=f"{head}<body>{body}</body>".encode())


def begin(server: Server, data: Path, folder: Path) -> Site:
    """A crawl with both templates, and their good health of yesterday."""
    site = publish(server, old_card, old_page)
    for name, text in (("shop", LISTS), ("thing", DETAILS)):
        (folder / f"{name}.toml").write_text(text.format(origin=site.origin))
    files = [flag for name in ("shop", "thing") for flag in ("--template", folder / f"{name}.toml")]
    crawl(site.seed, data, *files, index=True)
    home = open_local(Settings(data=str(data)))
    for template, pages in (("thing", 30), ("shop", 3)):
        names = read_template((folder / f"{template}.toml").read_text(), "x").fields
        kinds = [f"{kind}#{name}" for kind in ("filled", "distinct") for name in names]
        counts = {"pages": pages, "records": 30} | dict.fromkeys(kinds, 30)
        home.template_health.add(template, Counter(counts), time.time() - 86_400)
    home.close()
    return site


def by_price(data: Path, template: str, field: str) -> list[str]:
    query = ("--data", data, "--limit", 100, "--sort", field, "--", f"template:{template}")
    return [hit["url"].rpartition("/")[2] for hit in said("search", *query)["hits"]]


def heal(data: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    done = run_here("template", "--data", data, "heal", *arguments, "--json")
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


ALL = [str(n) for n in PRODUCTS]  # prices rise with the numbers


def test_a_redesigned_shop_is_healed_from_the_archive(server, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begin(server, data, tmp_path)
    assert by_price(data, "shop", "price") == by_price(data, "thing", "cost") == ALL

    publish(server, new_card, new_page)
    said("recrawl", "--data", data, *AT_ONCE)
    asked = len(server.log)

    assert by_price(data, "shop", "price") == []
    health = run_here("template", "--data", data, "health", "thing")
    assert health.returncode == 1
    assert "ALARM: cost has a value in" in health.stdout
    health = run_here("template", "--data", data, "health", "shop")
    assert health.returncode == 1
    assert "ALARM: nothing is found on 50% of the newest pages" in health.stdout

    code, proposed = heal(data, "shop")
    assert (code, proposed["share_before"], proposed["share_after"]) == (0, 0.0, 1.0)
    assert (proposed["pages"], proposed["records"], proposed["stored"]) == (3, 30, 150)
    assert read_template((tmp_path / "shop.healed.toml").read_text(), "x").name == "shop"
    assert by_price(data, "shop", "price") == [], "it is only proposed"

    code, done = heal(data, "shop", "--apply")
    assert (code, done["applied"]["documents"], done["refused"]) == (0, 30, "")
    assert by_price(data, "shop", "price") == ALL
    code, done = heal(data, "thing", "--apply")
    assert (code, done["share_after"]) == (0, 1.0)
    assert done["alarms"]
    assert by_price(data, "thing", "cost") == ALL
    assert len(server.log) == asked, "no website is asked"

    again = run_here("template", "--data", data, "heal", "shop", "--apply")
    assert (again.returncode, again.stderr) == (0, "")
    assert "nothing is to be healed" in again.stdout


def test_what_loses_values_is_proposed_but_not_used(server, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begin(server, data, tmp_path)
    publish(server, without_price, new_page)
    said("recrawl", "--data", data, *AT_ONCE)
    before = run_here("template", "--data", data, "show", "shop").stdout

    code, refused = heal(data, "shop", "--apply")

    assert code == 1
    assert refused["refused"] == "120 of 150 stored values come out (80.0%), not 95%"
    assert refused["applied"] is None
    assert {f["name"]: f["out_after"] for f in refused["fields"]} == {
        "name": 30, "sku": 30, "price": 0, "brand": 30, "page": 30
    }  # fmt: skip
    assert run_here("template", "--data", data, "show", "shop").stdout == before
    assert by_price(data, "shop", "price") == []
    shown = run_here("template", "--data", data, "heal", "shop").stdout
    assert "0 -> 0 of 30 values" in shown
    assert "not to be used unseen: 120 of 150" in shown


def test_a_template_of_which_nothing_is_known_cannot_be_healed(server, data, tmp_path):
    begin(server, data, tmp_path)

    done = run_here("template", "--data", data, "heal", "shop")

    assert done.returncode == 2
    assert "the WARC has no visit of a changed page on which 'shop' found" in done.stderr
