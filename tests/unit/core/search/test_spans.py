"""Days, numbers and truths in the query language."""

from __future__ import annotations

import math
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.errors import QueryError
from gossamer.core.search.query import And, Field, Not, Span, Word, parse_query
from gossamer.core.search.spans import day_range

EPOCH = date(1970, 1, 1)
PRICE = {"price": "float", "born": "day", "brand": "keyword", "in_stock": "bool", "x2": "float"}


def days(year: int, month: int, day: int) -> int:
    return (date(year, month, day) - EPOCH).days


FIRST, LAST = days(2024, 1, 1), days(2024, 12, 31)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("date:2024", FIRST, LAST),
        ("date:2024-02", days(2024, 2, 1), days(2024, 2, 29)),
        ("date:2024-12", days(2024, 12, 1), LAST),
        ("date:2024-02-29", days(2024, 2, 29), days(2024, 2, 29)),
        ("date:2024-05..2024-07", days(2024, 5, 1), days(2024, 7, 31)),
        ("date:2024..", FIRST, math.inf),
        ("date:..2024", -math.inf, LAST),
        ("date:>2024", LAST + 1, math.inf),
        ("date:>=2024", FIRST, math.inf),
        ("date:<2024", -math.inf, FIRST - 1),
        ("date:<=2024", -math.inf, LAST),
        ("before:2024-03-01", -math.inf, days(2024, 2, 29)),
        ("after:2024-03-01", days(2024, 3, 1), math.inf),
    ],
)
def test_a_day_may_be_a_month_a_year_or_a_range(text, low, high):
    assert parse_query(text).node == Field(text.partition(":")[0], Span(low, high))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("price:10..50", 10, 50),
        ("price:9.5", 9.5, 9.5),
        ("price:>10", math.nextafter(10, 11), math.inf),
        ("price:<=10", -math.inf, 10),
        ("born:1990", days(1990, 1, 1), days(1990, 12, 31)),
        ("price:-5", -5, -5),
        ("price:-5..-1", -5, -1),
        ("price:>=-5", -5, math.inf),
        ("price:..-.5", -math.inf, -0.5),
        ("x2:3", 3, 3),
        ("X2:3", 3, 3),
    ],
)
def test_a_declared_column_takes_a_range_of_its_type(text, low, high):
    name = text.partition(":")[0].lower()
    assert parse_query(text, PRICE).node == Field(name, Span(low, high))


@pytest.mark.parametrize(
    ("text", "truth"),
    [("true", "true"), ("TRUE", "true"), ("1", "true"), ("no", "false"), ("false", "false")],
)
def test_a_declared_truth_is_true_or_false(text, truth):
    assert parse_query(f"in_stock:{text}", PRICE).node == Field("in_stock", Word(truth))


@pytest.mark.parametrize("text", ["maybe", "(true | false)", '"true"', "tr*", ""])
def test_what_is_no_truth_is_an_error(text):
    with pytest.raises(QueryError, match=r"true or false|needs a value"):
        parse_query(f"in_stock:{text}", PRICE)


def test_a_minus_negates_a_field_and_is_the_sign_of_its_number():
    node = parse_query("-price:-5 -brand:acme", PRICE).node

    assert node == And((Not(Field("price", Span(-5, -5))), Not(Field("brand", Word("acme")))))
    with pytest.raises(QueryError, match="needs a word"):
        parse_query("brand:-acme", PRICE)


def test_a_word_with_a_colon_and_digits_is_an_unknown_field_unless_a_number_follows():
    with pytest.raises(QueryError, match=r'no field "x3", only .*, price, born, brand'):
        parse_query("x3:silk", PRICE)
    assert parse_query("x3:4", PRICE).node == Word("x3:4")


def test_a_declared_keyword_takes_words():
    assert parse_query("brand:acme silk", PRICE).node == And(
        (Field("brand", Word("acme")), Word("silk"))
    )


@pytest.mark.parametrize(
    "text", ["date:20x4", "date:2024-13", "date:2024-02-30", "date:", "after:x"]
)
def test_what_is_no_day_says_so_and_where(text):
    with pytest.raises(QueryError) as error:
        parse_query(f"silk {text}")

    assert error.value.position >= 5


@pytest.mark.parametrize("text", ["price:cheap", "price:nan", "price:1..x"])
def test_what_is_no_number_says_so(text):
    with pytest.raises(QueryError, match="no number"):
        parse_query(text, PRICE)


@given(st.dates(date(1, 1, 1), date(9999, 12, 31)))
def test_every_day_is_in_its_month_and_its_year(day):
    number = (day - EPOCH).days

    for text in (day.isoformat(), f"{day:%Y}"[-4:].zfill(4) + f"-{day.month}", f"{day.year:04}"):
        low, high = day_range(text)
        assert low <= number <= high
    assert day_range(day.isoformat()) == (number, number)
    assert day_range(f"{day.year:04}")[1] - day_range(f"{day.year:04}")[0] in (364, 365)
    assert timedelta(days=number) == day - EPOCH
