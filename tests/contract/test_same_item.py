"""Is an item that stands on several pages one result with the values of all, in every home?"""

from __future__ import annotations

import csv
import io
from argparse import Namespace
from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.bolts.index import analyzer_of
from gossamer.core.page.html import parse_page
from gossamer.core.page.read_response import StoredResponse
from gossamer.core.page.templates.applying import apply_template
from gossamer.core.page.templates.template import read_template
from gossamer.core.page.values import Money
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.exports.table import export_table
from gossamer.search.searcher import Searcher
from tests.groups import groups_of
from tests.indexing import index_home

if TYPE_CHECKING:
    from gossamer.ports.home import Home

SHOP = "http://www.shop.test"
FIRST, SECOND, OWN = f"{SHOP}/list/1", f"{SHOP}/list/2", f"{SHOP}/p/7"
HTML = [("Content-Type", "text/html; charset=utf-8")]
LISTED = """
match = ["shop.test/list/*", "other.test/list/*"]
items = "li"
{key}
title = "{{name}}"
url = "page"
[fields.name]
select = "a"
[fields.page]
select = "a"
type = "link"
[fields.sku]
select = "@data-sku"
[fields.price]
select = "b"
type = "money"
sort = true
[fields.offer]
select = "i"
"""
PAGE = """
match = "shop.test/p/*"
{key}
title = "{{name}}"
[fields.name]
select = "h1"
[fields.sku]
select = "em"
[fields.price]
select = "b"
type = "money"
[fields.material]
select = "p"
"""
KEY = 'key = "sku"'


def put(home: Home, url: str, html: str, template: str, at: float, key: str = KEY) -> None:
    """Keep a page as PARSE does: its documents by a template."""
    read = read_template(template.format(key=key), "t.toml")
    parsed = parse_page(html.encode(), url, content_type=HTML[0][1])
    parsed = apply_template(read, parsed, StoredResponse(html.encode(), url, HTML))
    home.documents.put(url_id(url), parsed.documents, at)
    home.commit()


def listed(price: str, offer: str = "", sku: str = "s7", href: str = "/p/7") -> str:
    """A list with one item; `offer` is said only here."""
    offered = f"<i>{offer}</i>" if offer else ""
    return f"<ul><li data-sku={sku}><a href={href}>Silk scarf</a> <b>{price}</b>{offered}</ul>"


def own(price: str) -> str:
    return f"<h1>Silk scarf</h1><em>s7</em><b>{price}</b><p>mulberry silk</p>"


def hits(home: Home, query: str = "scarf", **how: Any) -> list[Any]:
    index_home(home)
    return homes.searcher(home).search(query, fields=["*"], **how).hits


def test_an_item_of_a_list_and_its_own_page_are_one_which_is_believed_first(any_home: Home):
    put(any_home, OWN, own("€15"), PAGE, 1.0)
    put(any_home, FIRST, listed("€12", "two for one"), LISTED, 2.0)

    (hit,) = hits(any_home)

    assert (hit.url, hit.values["price"]) == (OWN, Money(15.0, "EUR"))
    assert (hit.values["material"], hit.values["offer"]) == ("mulberry silk", "two for one")
    assert [each.url for each in hits(any_home, "price:1..99", sort="price")] == [OWN]


@pytest.mark.parametrize("first_is_newer", [False, True])
def test_of_two_lists_the_one_that_was_read_last_is_believed(any_home: Home, first_is_newer):
    first_at, second_at = (3.0, 2.0) if first_is_newer else (2.0, 3.0)
    put(any_home, FIRST, listed("€12", "two for one"), LISTED, first_at)
    put(any_home, SECOND, listed("€14"), LISTED, second_at)

    (hit,) = hits(any_home)

    assert hit.values["price"] == Money(12.0 if first_is_newer else 14.0, "EUR")
    assert (hit.url, hit.values["offer"]) == (OWN, "two for one")


def test_what_one_page_drops_another_still_says(any_home: Home):
    put(any_home, OWN, own("€15"), PAGE, 1.0)
    put(any_home, FIRST, listed("€12", "two for one"), LISTED, 2.0)
    put(any_home, SECOND, listed("€14"), LISTED, 3.0)
    assert len(hits(any_home)) == 1

    any_home.documents.put(url_id(OWN), [], 4.0)  # its page has gone
    any_home.commit()
    (hit,) = hits(any_home)
    assert (hit.values["price"], hit.values["offer"]) == (Money(14.0, "EUR"), "two for one")
    assert "material" not in hit.values

    put(any_home, FIRST, listed("€3", sku="s8", href="/p/8"), LISTED, 5.0)
    found = {each.url: each.values for each in hits(any_home)}
    assert found.keys() == {OWN, f"{SHOP}/p/8"}
    assert "offer" not in found[OWN]
    assert found[OWN]["price"] == Money(14.0, "EUR")


def test_groups_of_segments_join_what_each_of_them_says(any_home: Home):
    put(any_home, OWN, own("€15"), PAGE, 1.0)
    index_home(any_home)
    put(any_home, FIRST, listed("€12", "two for one"), LISTED, 2.0)
    index_home(any_home)
    settings = any_home.settings.get()
    asked = any_home.index, any_home.documents, analyzer_of(any_home), settings
    in_groups = Searcher(*asked, lambda: 0.0, groups=groups_of(*asked))

    (hit,) = in_groups.search("scarf", fields=["price", "offer"]).hits

    assert hit.url == OWN
    assert hit.values == {"price": Money(15.0, "EUR"), "offer": "two for one"}


def test_without_a_key_the_address_of_its_own_page_tells_that_two_lists_have_one(any_home: Home):
    put(any_home, FIRST, listed("€12"), LISTED, 2.0, key="")
    put(any_home, SECOND, listed("€14"), LISTED, 3.0, key="")

    (hit,) = hits(any_home)

    assert hit.values["price"] == Money(14.0, "EUR")


def test_a_key_means_something_on_its_own_site_and_for_its_own_field_only(any_home: Home):
    put(any_home, FIRST, listed("€12"), LISTED, 2.0)
    put(any_home, "http://other.test/list/1", listed("€14"), LISTED, 3.0)
    by_name = 'key = "name"'
    put(any_home, SECOND, listed("€13", sku="Silk scarf", href="/p/9"), LISTED, 3.0, key=by_name)

    assert len(hits(any_home)) == 3


@pytest.mark.parametrize("query", [None, "scarf"])
def test_a_table_has_a_row_for_it(any_home: Home, query, capsys):
    put(any_home, OWN, own("€15"), PAGE, 1.0)
    put(any_home, FIRST, listed("€12", "two for one"), LISTED, 2.0)
    put(any_home, SECOND, listed("€14", "none"), LISTED, 3.0)
    index_home(any_home)

    export_table(
        any_home,
        Namespace(query=query, template="", format="csv", json=False, output="", fields=[]),
    )

    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["url"], row["price"], row["price_currency"]) == (OWN, "15", "EUR")
    assert (row["material"], row["offer"]) == ("mulberry silk", "none")
