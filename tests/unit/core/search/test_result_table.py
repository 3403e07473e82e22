"""Do documents become rows, and their values columns?"""

from __future__ import annotations

import pytest

from gossamer.core.page.values import Date, Image, Link, Money
from gossamer.core.search.result_table import columns_of, row_of


def row(**values):
    return row_of("Loom", "https://a.test/", values)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("Zettel", "Zettel"),
        (4, 4),
        (4.5, 4.5),
        (True, True),
        (Date("2024-05-31"), "2024-05-31"),
        (Link("https://b.test/", "Acme"), "https://b.test/"),
        (Image("https://b.test/a.png", "A loom"), "https://b.test/a.png"),
        (["wood", "large"], ["wood", "large"]),
        ([Money(1, "EUR"), Money(2, "EUR")], [1, 2]),
        ([], []),
    ],
)
def test_a_value_becomes_a_cell(value, cell):
    assert row(made=value)["made"] == cell


def test_money_is_a_number_and_its_currency_stands_beside_it():
    assert row(price=Money(120.5, "EUR")) == {
        "title": "Loom",
        "url": "https://a.test/",
        "price": 120.5,
        "price_currency": "EUR",
    }
    assert "price_currency" not in row(price=Money(120.5))


def test_a_value_does_not_hide_the_title():
    assert row(title="Other", url="https://evil.test/") == row()


def test_columns_come_in_the_order_in_which_they_are_met():
    rows = [row(brand="a", price=Money(1)), row(rating=4, price=Money(2, "EUR"))]

    assert columns_of(rows) == ["title", "url", "brand", "price", "price_currency", "rating"]
    assert columns_of([]) == ["title", "url"]


def test_wanted_columns_come_as_they_are_wanted_with_their_currencies():
    rows = [row(brand="a", price=Money(1, "EUR"), rating=3)]

    wanted = ["price", "absent"]
    assert columns_of(rows, wanted) == ["title", "url", "price", "price_currency", "absent"]
    assert columns_of(rows, ["price_currency", "price"])[2:] == ["price_currency", "price"]
