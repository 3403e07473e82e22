from __future__ import annotations

from typing import Any

import pytest

from gossamer.core.index import column_values
from gossamer.core.index.declared import Column
from gossamer.core.index.segments.stored import Stored
from gossamer.core.page.values import Date, Image, Link, Money


def stored(value: Any) -> Stored:
    return Stored("http://a.test/", values={"x": value})


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        ("keyword", " Acme \n Corp ", "Acme Corp"),
        ("keyword", ["", "second", "third"], "second"),
        ("keyword", "x" * 300, "x" * 256),
        ("keyword", Link("http://b.test/", "text"), "http://b.test/"),
        ("keyword", 4.0, "4"),
        ("keywords", ["red", "red", "", True], ["red", "true"]),
        ("keywords", "red", ["red"]),
        ("number", 4, 4.0),
        ("number", True, None),
        ("number", "4", None),
        ("number", ["many", 3, 5], 3.0),
        ("number", Money(9.5, "EUR"), 9.5),
        ("money", Money(9.5, "EUR"), 9.5),
        ("date", Date("1970-01-03"), 2),
        ("date", "1970-01-02T10:00:00Z", 1),
        ("date", "soon", None),
        ("date", 3, None),
        ("bool", False, "false"),
        ("bool", "true", None),
        ("bool", [], None),
        ("keyword", Image("/1.png"), "/1.png"),
    ],
)
def test_a_column_takes_what_fits_its_type_and_of_several_the_first(type, value, expected):
    found = column_values.declared({"x": Column(type=type)}, [stored(value)])

    assert found[f"x.{type}"] == [expected]


def test_money_has_its_currency_in_a_column_of_its_own():
    columns = {"x": Column(type="money")}
    documents = [stored(Money(1, "EUR")), stored(Money(2)), stored(3), Stored("http://a.test/")]

    assert column_values.declared(columns, documents) == {
        "x.money": [1.0, 2.0, 3.0, None],
        "x.currency": ["EUR", None, None, None],
    }


def test_a_removal_has_no_value_in_any_column():
    gone = Stored("")

    for name, values in column_values.standard([gone]).items():
        assert values[0] in (None, ""), name
