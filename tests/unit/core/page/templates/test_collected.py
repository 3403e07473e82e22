"""Have several templates one schema, or are they told why they cannot have one?"""

from __future__ import annotations

import re
from typing import Any

import pytest

from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import ConfigurationError
from gossamer.core.index.declared import Column
from gossamer.core.page.templates.collected import declare, read_templates, write_templates
from gossamer.core.page.templates.template import Template, template_of
from gossamer.core.settings_file import read_settings


def template(name: str, **fields: Any) -> Template:
    """A template with fields, each said by its type and what it is for: "money sort"."""
    rules = {}
    for field, said in fields.items():
        kind, *uses = said.split()
        rules[field] = {"select": "b", "type": kind} | dict.fromkeys(uses, True)
    return template_of({"name": name, "match": [f"{name}.test/*"], "fields": rules}, name)


def columns(*templates: Template, settings: CollectionSettings | None = None) -> dict[str, Column]:
    return declare(settings or CollectionSettings(), (), templates).columns


def test_a_field_of_two_templates_is_one_column_with_what_both_need():
    shop, market = template("shop", price="money sort"), template("market", price="money facet")

    assert columns(shop, market) == {"price": Column(type="money", facet=True, sort=True)}


@pytest.mark.parametrize(
    ("one", "other", "wider"),
    [
        ("money sort", "number sort", "money"),
        ("keyword facet", "list facet", "keywords"),
        ("text facet", "keyword facet", "keyword"),
    ],
)
def test_types_that_one_column_can_hold_are_reconciled(one, other, wider):
    a, b = template("a", x=one), template("b", x=other)

    assert columns(a, b)["x"].type == columns(b, a)["x"].type == wider


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("number sort", "date sort"),
        ("money sort", "keyword facet"),
        ("keyword sort", "list facet"),  # a document has several keywords: no sorting
        ("number sort", "money"),  # values are in the column of their name, wanted or not
        ("keyword facet", "list"),
        ("date sort", "link"),
    ],
)
def test_types_that_no_column_can_hold_are_refused_with_both_names(one, other):
    said = "'x' is a column of type .* for .*, of type .* for .*: give one of them another name"
    a, b = template("a", x=one), template("b", x=other)

    for pair in ((a, b), (b, a)):
        with pytest.raises(ConfigurationError, match=said) as refused:
            columns(*pair)
        assert set(re.findall(r"for (\w+)", str(refused.value))) == {"a", "b"}


def test_a_column_of_the_settings_is_no_other_either():
    own = read_settings('[columns.x]\ntype = "date"\nsort = true', "collection.toml")

    with pytest.raises(ConfigurationError, match="date for the settings, of type number for a"):
        columns(template("a", x="number"), settings=own)
    assert columns(template("a", x="date"), settings=own) == {"x": Column(type="date", sort=True)}


def test_a_removed_template_takes_its_columns_along_and_leaves_those_of_others():
    shop = template("shop", price="money sort", brand="keyword facet search")
    books = template("books", price="number sort", pages="number sort")
    both = declare(CollectionSettings(), (), (shop, books))

    left = declare(both, (shop, books), (books,))

    assert set(left.columns) == {"price", "pages"}
    assert left.columns["price"].type == "number"
    assert (set(both.fields), set(left.fields)) == ({"brand"}, set())


def test_templates_are_kept_with_actions_and_examples():
    kept = template_of(
        {
            "name": "shop",
            "match": "shop.test/*",
            "fields": {"name": "h1"},
            "actions": [{"click": ".more", "times": 3}],
            "examples": [{"page": "https://shop.test/1", "expect": {"name": "Lamp"}}],
        },
        "shop",
    )

    assert read_templates(write_templates([kept])) == (kept,)
