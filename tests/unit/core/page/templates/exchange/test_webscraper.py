"""Do sitemaps of webscraper.io become templates that find the same?"""

from __future__ import annotations

import json

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.exchange.reading import read_foreign
from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.values import Image

LIST = """<html><body><ul class=grid>
 <li class=card><a class=more href=/p/1>Loom</a> <b class=price>now 120.50 EUR</b>
   <div class=maker><i>Zettel</i></div> <em>wood</em><em>large</em></li>
 <li class=card><a class=more href=/p/2>Shuttle</a> <b class=price>now 9 EUR</b>
   <div class=maker><i>Acme</i></div></li></ul>
 <nav><a class=next href="?page=2">more</a></nav></body></html>"""
DETAIL = "<html><body><h1>Loom</h1><p>Colour: red</p><img class=big src=/loom.jpg></body></html>"


def selector(id, type, css, *parents, **more):
    return {
        "id": id, "type": type, "selector": css, "parentSelectors": list(parents), **more,
    }  # fmt: skip


SITEMAP = {
    "_id": "Shop_2024",
    "startUrl": ["https://shop.test/list?page=[1-25]"],
    "selectors": [
        selector("card", "SelectorElement", "li.card", "_root", multiple=True),
        selector("name", "SelectorLink", "a.more", "card"),
        selector("Price (EUR)", "SelectorText", ".price", "card", regex=r"[\d.]+"),
        selector("box", "SelectorElement", "div.maker", "card"),
        selector("maker", "SelectorText", "i", "box"),
        selector("tags", "SelectorText", "em", "card", multiple=True),
        selector("pages", "SelectorPagination", "a.next", "_root"),
        selector("colour", "SelectorText", "p:contains('Colour')", "name"),
        selector("picture", "SelectorImage", "img.big:first", "name"),
    ],
}


def imported(sitemap):
    return read_foreign(json.dumps(sitemap), "shop.json", [])


def test_an_element_with_fields_is_a_record_of_the_start_pages():
    first = imported(SITEMAP).templates[0]

    assert (first.name, first.match) == ("shop-2024", ["https://shop.test/list?page=*"])
    assert first.next == "a.next"
    found = extract(first, LIST, "https://shop.test/list?page=1")
    assert [each.values["price_eur"] for each in found] == ["120.50", "9"]
    assert [each.values["maker"] for each in found] == ["Zettel", "Acme"]
    assert found[0].values["tags"] == ["wood", "large"]
    assert [each.url for each in found] == ["https://shop.test/p/1", "https://shop.test/p/2"]


def test_a_link_with_selectors_leads_to_pages_with_a_template_of_their_own():
    made = imported(SITEMAP)

    assert [each.name for each in made.templates] == ["shop-2024", "shop-2024-name"]
    detail = made.templates[1]
    assert detail.match == ["https://shop.test/*"]
    assert "say in `match`" in made.notes[0]
    [found] = extract(detail, DETAIL, "https://shop.test/p/1")
    assert found.values["colour"] == "Colour: red"
    assert found.values["picture"] == Image("https://shop.test/loom.jpg")


def test_a_table_has_a_field_for_each_column():
    table = {
        "_id": "t", "startUrl": "https://a.test/",
        "selectors": [
            selector(
                "t", "SelectorTable", "table", "_root", tableDataRowSelector="tr.row",
                columns=[
                    {"header": "Name", "name": "name", "extract": True},
                    {"header": "x", "name": "x", "extract": False},
                    {"header": "Age", "name": "age", "extract": True},
                ],
            )
        ],
    }  # fmt: skip
    page = "<table><tr class=row><td>Ann<td>-<td>41<tr class=row><td>Bo<td>-<td>7</table>"

    [template] = imported(table).templates

    found = [each.values for each in extract(template, page, "https://a.test/")]
    assert found == [{"name": "Ann", "age": "41"}, {"name": "Bo", "age": "7"}]


def test_clicks_and_scrolls_are_kept_for_a_browser():
    scrolled = [
        selector("card", "SelectorElementClick", "li", "_root", clickElementSelector="button.more"),
        selector("name", "SelectorText", "a", "card"),
    ]

    made = imported({"_id": "s", "startUrl": ["https://a.test/"], "selectors": scrolled})

    assert made.templates[0].actions == [{"click": "button.more"}]
    assert "wait for a browser" in made.notes[0]


def test_an_element_itself_has_values_too():
    own = [
        selector("card", "SelectorElement", "li.card", "_root", multiple=True),
        selector("kind", "SelectorElementAttribute", "_parent_", "card", extractAttribute="class"),
        selector("box", "SelectorElement", "div.maker", "card"),
        selector("maker", "SelectorText", "_parent_", "box"),
    ]

    [template] = imported({"_id": "s", "startUrl": "https://a.test/", "selectors": own}).templates

    found = [each.values for each in extract(template, LIST, "https://a.test/")]
    assert found[0] == {"kind": "card", "maker": "Zettel"}


@pytest.mark.parametrize(
    "css",
    [
        "p:contains('Total price:')",
        'p:contains("Total price:")',
        "p:contains(Total price:)",
        "p:contains( Total price: )",
        "div:has(p:contains(Total price:)) p",
        "p:not(:contains(Colour))",
        "p:contains(5% off, today)",
    ],
)
def test_a_text_is_found_with_and_without_quotes(css):
    page = "<div><p>Total price: 5% off, today</p></div><p>Colour: red</p>"
    one = [selector("value", "SelectorText", css, "_root")]

    [template] = imported({"_id": "s", "startUrl": "https://a.test/", "selectors": one}).templates

    [found] = extract(template, page, "https://a.test/")
    assert found.values == {"value": "Total price: 5% off, today"}


@pytest.mark.parametrize("css", ["li:visible", "li:gt(2)", "a:eq(x)", "::", "li:eq(1) a"])
def test_what_cannot_be_said_is_refused_with_its_place(css):
    wrong = {"_id": "s", "startUrl": ["https://a.test/"], "selectors": [
        selector("name", "SelectorText", css, "_root")]}  # fmt: skip

    with pytest.raises(ConfigurationError, match=r"shop.json: selectors.name"):
        imported(wrong)


def test_what_is_not_known_is_left_out_and_said():
    odd = [selector("a", "SelectorSomething", "b", "_root")]

    made = imported({"_id": "s", "startUrl": ["https://a.test/"], "selectors": odd})

    assert made.templates == []
    assert "a is left out: SelectorSomething is not known here" in made.notes


def test_selectors_in_a_circle_end():
    circle = [
        selector("a", "SelectorLink", "a", "_root", "b"),
        selector("b", "SelectorLink", "a", "a"),
    ]

    made = imported({"_id": "s", "startUrl": ["https://a.test/"], "selectors": circle})

    assert len(made.templates) <= 3
