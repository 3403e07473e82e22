"""Do schemas of crawl4ai become templates, and templates schemas?"""

from __future__ import annotations

import json

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.exchange.crawl4ai import to_schema
from gossamer.core.page.templates.exchange.reading import read_foreign
from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.template import template_of
from gossamer.core.page.values import Link

PAGE = """<html><body>
 <div class=card data-sku=a1><h2>Loom</h2><a href=/p/1>see</a>
   <p class=facts><span class=by>Zettel</span> made 1999</p><ul><li>wood<li>large</ul></div>
 <div class=card data-sku=b2><h2>Shuttle</h2><p class=facts><span class=by>Acme</span></p></div>
 <table><tr class=head><td>One</td></tr><tr><td>7 points</td></tr></table></body></html>"""
SCHEMA = {
    "name": "Shop",
    "baseSelector": "div.card",
    "baseFields": [{"name": "sku", "type": "attribute", "attribute": "data-sku"}],
    "fields": [
        {"name": "title", "selector": "h2", "type": "text", "transform": "lowercase"},
        {"name": "link", "selector": "a", "type": "attribute", "attribute": "href"},
        {"name": "facts", "selector": "p.facts", "type": "nested", "fields": [
            {"name": "by", "selector": ".by", "type": "text"}]},
        {"name": "year", "selector": "p.facts", "type": "regex", "pattern": "made (\\d+)"},
        {"name": "tags", "selector": "ul", "type": "list", "fields": [
            {"name": "tag", "selector": "li", "type": "text"}]},
        {"name": "total", "type": "computed", "expression": "1 + 1"},
    ],
}  # fmt: skip
MATCH = ["https://shop.test/*"]


def imported(schema, match=MATCH):
    return read_foreign(json.dumps(schema), "shop.json", list(match))


def test_a_schema_finds_the_same_as_a_template():
    made = imported(SCHEMA)

    first, second = extract(made.templates[0], PAGE, "https://shop.test/")
    assert first.values["sku"] == "a1"
    assert first.values["title"] == "Loom"
    assert first.values["link"] == Link("https://shop.test/p/1")
    assert first.values["facts_by"] == "Zettel"
    assert first.values["year"] == "1999"
    assert first.values["tags"] == ["wood", "large"]
    assert second.values["facts_by"] == "Acme"
    assert made.notes == [
        "title: transform is left out",
        "total is left out: a field of type computed cannot be said here",
    ]


def test_a_source_is_a_sibling_of_the_record():
    schema = {"baseSelector": "tr.head", "fields": [
        {"name": "points", "source": "+ tr", "selector": "td", "type": "text"}]}  # fmt: skip

    [record] = extract(imported(schema).templates[0], PAGE, "https://shop.test/")

    assert record.values == {"points": "7 points"}


def test_a_schema_must_be_told_its_pages():
    with pytest.raises(ConfigurationError, match="--match"):
        imported(SCHEMA, [])


def test_a_template_becomes_a_schema_and_that_the_same_template():
    table = {
        "name": "shop", "match": MATCH, "items": "div.card",
        "fields": {
            "title": {"select": ["h2", "h3"]},
            "link": {"select": "a", "type": "link"},
            "tags": {"select": "li", "type": "list"},
            "made": {"select": "p", "clean": "made "},
            "brand": {"from": "jsonld:Product.brand.name"},
        },
    }  # fmt: skip

    schema, notes = to_schema(template_of(table, "shop.toml"))

    assert schema["baseSelector"] == "div.card"
    assert schema["fields"] == [
        {"name": "title", "selector": "h2", "type": "text"},
        {"name": "link", "selector": "a", "type": "attribute", "attribute": "href"},
        {"name": "tags", "selector": "li", "type": "list", "fields": [
            {"name": "value", "type": "text"}]},
        {"name": "made", "selector": "p", "type": "text"},
    ]  # fmt: skip
    assert notes == [
        "title: of its selectors only the first is written",
        "made: its replacements are left out",
        "brand is left out: it has no selector",
    ]
    again = imported(schema).templates[0]
    assert extract(again, PAGE, "https://shop.test/")[0].values["tags"] == ["wood", "large"]


def test_with_one_xpath_all_are_xpath():
    table = {"name": "a", "match": MATCH, "items": ".card", "fields": {"t": ".//h2", "u": "a"}}

    schema, notes = to_schema(template_of(table, "a.toml"))

    assert schema["fields"][1]["selector"].startswith("descendant-or-self::")
    assert "JsonXPathExtractionStrategy" in notes[-1]
