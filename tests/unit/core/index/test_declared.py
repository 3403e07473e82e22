from __future__ import annotations

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.index.declared import MAX_COLUMNS, RESERVED, Column, check_declared, stored_types
from gossamer.core.index.schema import COLUMNS, MAX_DECLARED
from gossamer.core.search.fields import FACETS, SORTS
from gossamer.core.search.lexemes import DAYS, FIELDS

KEYWORD = Column(type="keyword")


def test_a_column_is_kept_under_its_name_and_type_and_money_has_two():
    columns = {
        "brand": KEYWORD,
        "tags": Column(type="keywords"),
        "price": Column(type="money"),
        "rating": Column(type="number"),
        "released": Column(type="date"),
        "in_stock": Column(type="bool"),
    }

    assert stored_types(columns) == {
        "brand.keyword": "keyword",
        "tags.keywords": "keywords",
        "price.money": "float",
        "rating.number": "float",
        "released.date": "day",
        "in_stock.bool": "keyword",
        "price.currency": "keyword",
    }


def test_no_declared_column_can_take_the_place_of_a_standard_one():
    taken = {*FIELDS, *DAYS, *COLUMNS, *FACETS, *SORTS, "relevance"}
    assert taken - RESERVED == {"year"}  # films have one: where it is declared, that is counted
    assert not any("." in name for name in COLUMNS)


@pytest.mark.parametrize(
    ("columns", "fields", "message"),
    [
        ({"Brand": KEYWORD}, [], "'Brand' is no name"),
        ({"2nd": KEYWORD}, [], "'2nd' is no name"),
        ({}, ["sum-mary"], "'sum-mary' is no name"),
        ({"site": KEYWORD}, [], "'site' is a name of Gossamer's own"),
        ({}, ["title"], "'title' is a name of Gossamer's own"),
        ({f"c{n}": KEYWORD for n in range(MAX_COLUMNS + 1)}, [], "at most 32 columns"),
        ({}, [f"f{n}" for n in range(MAX_DECLARED + 1)], "at most 8 text fields"),
        ({"n": Column(type="number", facet=True)}, [], "columns.n: numbers cannot be counted"),
        ({"n": Column(type="keywords", sort=True)}, [], "columns.n: a document has several"),
        (
            {"price": Column(type="money"), "price_currency": KEYWORD},
            [],
            "columns.price_currency: the money in 'price'",
        ),
    ],
)
def test_what_cannot_work_is_refused_with_its_name(columns, fields, message):
    with pytest.raises(ConfigurationError, match=message):
        check_declared(columns, fields)


def test_a_column_and_a_text_field_may_have_the_same_name():
    check_declared({"brand": KEYWORD}, ["brand"])
