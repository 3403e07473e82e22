from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.document import Document
from gossamer.core.page.values import (
    MAX_CHARACTERS,
    MAX_ITEMS,
    MAX_NUMBER,
    MAX_TEXT,
    MAX_VALUES,
    Date,
    Image,
    Link,
    Money,
    in_words,
)

names = st.from_regex(r"[a-z][a-z0-9_]{0,39}", fullmatch=True)
numbers = st.integers(-MAX_NUMBER, MAX_NUMBER) | st.floats(-MAX_NUMBER, MAX_NUMBER)
scalars = st.one_of(
    st.text(max_size=20),
    numbers,
    st.booleans(),
    st.builds(Money, numbers.map(float), st.sampled_from(("", "EUR"))),
    st.dates().map(lambda day: Date(day.isoformat())),
    st.builds(Link, st.text(max_size=20), st.text(max_size=20)),
    st.builds(Image, st.text(max_size=20), st.text(max_size=20)),
)
values = st.dictionaries(names, scalars | st.lists(scalars, max_size=3), max_size=4)


@given(values)
def test_values_survive_being_stored_and_sent(given_values):
    document = Document(url="http://a.test/", values=given_values)

    for form in (msgspec.msgpack, msgspec.json):
        assert form.decode(form.encode(document), type=Document) == document


def test_a_document_that_was_stored_before_there_were_values_is_still_read():
    stored = msgspec.msgpack.encode({"url": "http://a.test/", "title": "Silk", "text": "silk"})

    document = msgspec.msgpack.decode(stored, type=Document)

    assert document == Document(url="http://a.test/", title="Silk", text="silk")
    assert (document.kind, document.template, document.values) == ("", "", {})


def test_a_document_without_values_is_stored_as_before():
    assert msgspec.to_builtins(Document(url="http://a.test/")) == {"url": "http://a.test/"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"Price": 1}, "cannot be named 'Price'"),
        ({"price ": 1}, "cannot be named"),
        ({"x" * 41: 1}, "cannot be named"),
        ({"price": math.inf}, "price is too large a number"),
        ({"price": math.nan}, "price is too large a number"),
        ({"price": MAX_NUMBER + 1}, "price is too large a number"),
        ({"price": Money(-math.inf)}, "price is too large a number"),
        ({"price": Money(1, "euro")}, "price has a currency that is none"),
        ({"on": Date("2024-02-30")}, "on has a day that is none"),
        ({"on": Date("20240229")}, "on has a day that is none"),
        ({"text": "x" * (MAX_TEXT + 1)}, "text is longer than"),
        ({"text": ["", Link("x" * (MAX_TEXT + 1))]}, "text is longer than"),
        ({"tags": ["x"] * (MAX_ITEMS + 1)}, "tags has more than"),
        ({f"n{n}": n for n in range(MAX_VALUES + 1)}, "at most 64 values"),
        ({f"n{n}": "x" * MAX_TEXT for n in range(MAX_CHARACTERS // MAX_TEXT + 1)}, "characters"),
    ],
)
def test_values_that_are_too_much_or_mean_nothing_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Document(url="http://a.test/", values=wrong)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"url": "", "values": msgspec.to_builtins(wrong)}, Document)


def test_a_list_in_a_list_is_no_value():
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"url": "", "values": {"tags": [["red"]]}}, Document)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("as it is ", "as it is "),
        (True, "true"),
        (3, "3"),
        (2.50, "2.5"),
        (Money(9.99, "EUR"), "9.99 EUR"),
        (Money(5), "5"),
        (Date("2024-05-31"), "2024-05-31"),
        (Link("http://a.test/", "text"), "http://a.test/"),
    ],
)
def test_a_value_is_written_as_people_write_it(value, words):
    assert in_words(value) == words
