"""Numbers as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.value_texts import read_number


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [
        ("7,654.32", "", 7654.32),
        ("7.654,32", "", 7654.32),
        ("7 654,32", "", 7654.32),
        ("7\u202f654\u202f321,5", "fr", 7654321.5),
        ("7'654.32", "de-CH", 7654.32),
        ("7’654", "", 7654),
        ("98,76,543.00", "en-IN", 9876543),
        ("9,876,543", "", 9876543),
        ("٧٬٦٥٤٫٣", "ar", 7654.3),
        ("९८७", "hi", 987),
        ("９８７．５", "ja", 987.5),
        (".25", "", 0.25),
        ("0.125", "de", 0.125),
        ("−7 °C", "", -7),
        ("-3", "", -3),
        ("8.7k", "", 8700),
        ("3,2 Mio.", "de", 3_200_000),
        ("1.2万", "zh", 12_000),
        ("4,5 von 5 Sternen", "de", 4.5),
        ("3–5 days", "", 3),
        ("(17)", "", 17),
    ],
)
def test_a_number_is_read_as_it_is_written(text, language, number):
    assert read_number(text, language) == number


def test_the_language_decides_what_a_mark_before_three_digits_means():
    assert read_number("7.654", "de") == 7654
    assert read_number("7.654", "en") == 7.654
    assert read_number("7,654", "de") == 7.654
    assert read_number("7,654", "en") == 7654


def test_numbers_that_stand_apart_are_not_one():
    assert read_number("Phone 12 128 GB", "en") == 12
    assert read_number("11 2222") == 11


def test_a_number_within_a_word_is_the_last_choice():
    assert read_number("mp3 player, 40 songs") == 40
    assert read_number("mp3") == 3


@pytest.mark.parametrize("text", ["", "none", "1.2.3", "12.05.2024", "9" * 60, "∞", "½"])
def test_what_is_no_number_is_refused(text):
    assert read_number(text) is None


@given(st.integers(-(10**12), 10**12), st.integers(0, 99))
def test_what_english_and_german_write_is_read_back(whole, cents):
    english = f"{whole:,}.{cents:02}"
    value = float(f"{whole}.{cents:02}")

    assert read_number(english, "en") == value
    assert read_number(english.translate(str.maketrans(",.", ".,")), "de") == value


@given(st.text())
def test_no_text_raises(text):
    for language in ("", "en", "de", "zh"):
        read_number(text, language)
