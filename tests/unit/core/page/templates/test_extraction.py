from __future__ import annotations

from typing import Any

from gossamer.core.page.parts import MOST_DOCUMENTS
from gossamer.core.page.templates.extraction import PAGE_BUDGET, Record, extract
from gossamer.core.page.templates.template import read_template
from gossamer.core.page.values import Date, Image, Link, Money, check_values

URL = "https://shop.test/c/wool"
CARDS = """<html lang="en"><base href="/b/"><base href="/other/"><body>
<div class="card" data-sku="1"><h2 class="title">Silk <b>sc</b>arf</h2>
 <a href="p/1">more</a> <p class="price" hidden>$9.00</p><p class="price">$1,234.50</p>
 <img src="data:image/gif;base64,x" data-src="i.png" alt="A scarf">
 <ul><li>red<li>blue<li>red</ul></div><p class="after">12 points</p>
<div class="card" data-sku="2"><h3>Coat</h3><p class="price">on request</p></div>
"""


def found(html: str, template: str, url: str = URL, data: Any = None) -> list[Record]:
    read = read_template(f'match = "https://shop.test/*"\n{template}', "shop.toml")
    records = extract(read, html, url, data)
    for record in records:
        check_values(record.values)
    return records


def value(html: str, field: str, **others: Any) -> object:
    records = found(html, f"[fields.x]\n{field}", **others)
    return records[0].values.get("x")


SHOP = r"""
items = ".card"
key = "sku"
title = "{name}, {price}"
url = "link"
[fields.name]
select = ["h2.title", ".//h3"]
[fields.sku]
select = "@data-sku"
type = "keyword"
[fields.price]
select = ".price"
type = "money"
required = true
[fields.link]
select = "a"
type = "link"
[fields.picture]
select = "img"
type = "image"
[fields.colours]
select = "li"
type = "list"
of = "keyword"
[fields.points]
select = "following-sibling::p[1]"
type = "number"
[fields.category]
from = 'url:/c/(\w+)'
"""


def test_a_record_has_typed_values_and_says_where_they_stood():
    first, _ = found(CARDS, SHOP)

    assert first == Record(
        values={
            "name": "Silk scarf",
            "sku": "1",
            "price": Money(1234.5, "USD"),
            "link": Link("https://shop.test/b/p/1", "more"),
            "picture": Image("https://shop.test/b/i.png", "A scarf"),
            "colours": ["red", "blue"],
            "points": 12.0,
            "category": "wool",
        },
        title="Silk scarf, 1234.5 USD",
        key="1",
        url="https://shop.test/b/p/1",
        text="Silk scarf more $9.00 $1,234.50 red blue red",
        place=1,
        origins={
            "name": "/html/body/div[1]/h2",
            "sku": "/html/body/div[1]",
            "price": "/html/body/div[1]/p[2]",
            "link": "/html/body/div[1]/a",
            "picture": "/html/body/div[1]/img",
            "colours": "/html/body/div[1]/ul/li[1]",
            "points": "/html/body/p",
            "category": r"url:/c/(\w+)",
        },
    )


def test_what_lacks_and_what_is_not_of_its_type_is_told_apart():
    _, second = found(CARDS, SHOP)

    assert second.values == {"name": "Coat", "sku": "2", "category": "wool"}
    assert second.missing == ["price"]
    assert second.untyped == ["price"]


def test_without_items_the_page_is_the_record_and_has_no_place():
    (record,) = found("<h1>Silk</h1>", "title = '{n}'\n[fields.n]\nselect = 'h1'")

    assert (record.place, record.title, record.key) == (0, "Silk", "")


def test_a_page_without_items_has_no_records():
    assert found("<p>Nothing here", SHOP) == []


def test_an_item_without_a_key_is_known_by_its_own_page():
    text = "items = 'li'\nurl = 'a'\n[fields.a]\nselect = 'a'\ntype = 'link'"

    records = found("<li><a href='/1'>x</a><li><a href='/2'>y</a>", text)

    assert [record.key for record in records] == ["https://shop.test/1", "https://shop.test/2"]


def test_an_item_in_an_item_keeps_its_values_for_itself():
    html = "<div class=c><p>outer</p><div class=c><p>inner</p></div><i>end</i></div>"
    text = "items = '.c'\n[fields.p]\nselect = 'p'\ntype = 'list'\n[fields.i]\nselect = 'i'"

    records = found(html, text)

    assert [record.values for record in records] == [{"p": ["outer"], "i": "end"}, {"p": ["inner"]}]


def test_the_first_place_that_has_a_value_of_the_type_counts():
    html = "<p class=a></p><p class=a>none</p><p class=b>4</p>"

    assert value(html, "select = ['.a', '.b']\ntype = 'number'") == 4.0
    assert value(html, "select = '.a'") == "none"


def test_what_is_shown_comes_before_what_is_hidden():
    for how in ("hidden", "style='display: none'"):
        html = f"<div {how}><b>small screens</b></div><b>large screens</b>"

        assert value(html, "select = 'b'") == "large screens"
    assert value("<b hidden>only</b>", "select = 'b'") == "only"


def test_pictures_that_are_loaded_late_are_found():
    largest = '<img srcset="/s.png 100w, /l.png 900w, /m.png 500w" src="/s.png">'

    assert value(largest, "select = 'img'\ntype = 'image'") == Image("https://shop.test/l.png")
    picture = '<picture><source srcset="/p.webp"><img alt="P" src="data:,"></picture>'
    assert value(picture, "select = 'picture'\ntype = 'image'") == Image(
        "https://shop.test/p.webp", "P"
    )
    style = "<div style=\"background: url('/bg.png')\"></div>"
    assert value(style, "select = 'div'\ntype = 'image'") == Image("https://shop.test/bg.png")


def test_a_link_is_that_of_the_element_in_it_or_around_it():
    for html in ("<a href=/1><h2>x</h2></a>", "<h2><a href=/1>x</a></h2>"):
        assert value(html, "select = 'h2'\ntype = 'link'") == Link("https://shop.test/1", "x")
    assert value("<a href='mailto:a@b.test'>x</a>", "select = 'a'\ntype = 'link'") is None


def test_what_is_said_for_machines_counts_for_dates():
    html = '<time datetime="2026-05-31">last Sunday</time>'

    assert value(html, "select = 'time'\ntype = 'date'") == Date("2026-05-31")


def test_an_attribute_is_read_where_a_field_names_one():
    html = '<b data-price="12.50" title=" A  b ">x</b>'

    assert value(html, "select = 'b'\nattribute = 'data-price'\ntype = 'number'") == 12.5
    assert value(html, "select = 'b'\nattribute = 'title'") == "A b"


def test_html_is_kept_without_scripts():
    html = "<div><p>One <b>two</b></p><script>x()</script></div>"

    assert value(html, "select = 'div'\ntype = 'html'") == "<p>One <b>two</b></p>"


class Declared:
    def __init__(self, **values: list[Any]) -> None:
        self.values = values

    def lookup(self, path: str) -> list[Any]:
        return self.values.get(path.rpartition(".")[2].rpartition(":")[2], [])


def test_sources_come_before_selectors_and_money_finds_its_currency_beside():
    data = Declared(price=[12], priceCurrency=["EUR"])
    field = "from = 'jsonld:Product.offers.price'\nselect = 'b'\ntype = 'money'"

    assert value("<b>$99</b>", field, data=data) == Money(12.0, "EUR")
    assert value("<b>$99</b>", field, data=Declared()) == Money(99.0, "USD")


def test_a_thing_of_structured_data_is_its_address_or_its_name():
    data = Declared(brand=[{"name": "Acme", "url": "/acme"}])

    assert value("", "from = 'jsonld:Product.brand'", data=data) == "Acme"
    assert value("", "from = 'jsonld:Product.brand'\ntype = 'link'", data=data) == Link(
        "https://shop.test/acme"
    )


def test_a_page_of_a_million_cells_is_bounded():
    html = "<table>" + "<tr>" + "<td>1" * 20 + ("<tr>" + "<td>2" * 20) * 50_000

    records = found(html, "items = 'tr'\n[fields.c]\nselect = 'td'\ntype = 'list'")

    assert len(records) == MOST_DOCUMENTS


def test_values_of_a_page_have_a_budget_together():
    html = "<p>" + "wool " * 10_000 + "</p>" + "<i></i>" * 900

    records = found(html, "items = 'i'\n[fields.p]\nselect = '//p'")

    assert len(records) == PAGE_BUDGET // 19_999
