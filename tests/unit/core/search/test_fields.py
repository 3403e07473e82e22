from __future__ import annotations

import pytest

from gossamer.core.collection import IndexSchema
from gossamer.core.errors import QueryError
from gossamer.core.index.declared import Column, TextField
from gossamer.core.search.fields import FACETS, SORTS, Order, SearchFields, fields_of

SCHEMA = IndexSchema(
    columns={
        "brand": Column(type="keyword", facet=True),
        "price": Column(type="money", facet=True, sort=True),
        "rating": Column(type="number"),
    },
    fields={"brand": TextField(), "summary": TextField()},
    structured=False,
)


def test_a_collection_that_declares_nothing_has_the_fields_of_all():
    fields = fields_of(IndexSchema(structured=False))

    assert (fields.types, fields.columns) == ({}, {})
    assert (fields.facets, fields.sorts) == (FACETS, SORTS)


def test_declared_columns_are_known_by_name_and_their_columns_by_name_and_type():
    fields = fields_of(SCHEMA)

    assert fields.types == {
        "brand": "keyword",
        "summary": "words",
        "price": "float",
        "price_currency": "keyword",
        "rating": "float",
    }
    assert fields.columns["price"] == "price.money"
    assert fields.facets == FACETS | {
        "brand": "brand.keyword",
        "price_currency": "price.currency",
    }
    assert fields.sorts == SORTS | {"price": "price.money"}


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("", None),
        ("relevance", None),
        ("-relevance", None),
        ("price", Order("price.money")),
        ("-price", Order("price.money", descending=True)),
        ("-rank", Order("rank", descending=True)),
    ],
)
def test_a_sort_names_a_column_and_a_direction(sort, order):
    assert fields_of(SCHEMA).order(sort) == order


@pytest.mark.parametrize("sort", ["brand", "rating", "--price", "price.money"])
def test_only_what_is_declared_for_it_is_sorted_by(sort):
    with pytest.raises(
        QueryError, match="known: relevance, date, published, fetched, rank, price"
    ) as raised:
        fields_of(SCHEMA).order(sort)

    assert raised.value.field == "sort"


def test_only_declared_facets_are_counted():
    assert fields_of(SCHEMA).facets_named(["site", "brand"]) == {
        "site": "host",
        "brand": "brand.keyword",
    }
    with pytest.raises(QueryError, match="known: site, ") as raised:
        SearchFields().facets_named(["brand"])

    assert raised.value.field == "facets"


def test_what_pages_declare_has_names_in_every_collection():
    fields = fields_of(IndexSchema())

    assert (fields.types["price"], fields.columns["price"]) == ("float", "price.money")
    assert {"price", "rating", "starts"} <= set(fields.sorts)
    assert {"brand", "price_currency", "author"} <= set(fields.facets)
    assert {"brand", "price_currency"} <= fields.automatic
