"""Texts with digits and spaces as ASCII has them."""

from gossamer.core.page.value_texts.plain_digits import MAX_TEXT, plain


def test_digits_of_any_script_are_plain():
    assert plain("٣۴५６") == "3456"


def test_only_the_beginning_of_a_long_text_is_read():
    assert len(plain("é" * 10 * MAX_TEXT)) == MAX_TEXT


def test_a_minus_is_told_from_a_dash():
    assert plain("−1 – 2") == "-1 – 2"
