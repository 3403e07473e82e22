"""A yes or a no in words and signs."""

import pytest

from gossamer.core.page.value_texts import read_bool


@pytest.mark.parametrize("text", ["yes", " Ja ", "TRUE", "1", "✓", "✔️", "In stock", "はい", "да."])
def test_a_yes_is_true(text):
    assert read_bool(text) is True


@pytest.mark.parametrize("text", ["no", "Nein", "false", "0", "✗", "Sold out!", "いいえ", "нет"])
def test_a_no_is_false(text):
    assert read_bool(text) is False


@pytest.mark.parametrize("text", ["", "2", "maybe", "yes and no", "x" * 1000])
def test_anything_else_is_neither(text):
    assert read_bool(text) is None
