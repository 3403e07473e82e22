"""What signs, codes and words for money mean."""

import pytest

from gossamer.core.page.value_texts.currencies import code_of, mentions


@pytest.mark.parametrize(
    ("text", "code"),
    [("EUR", "EUR"), ("eur", "EUR"), ("€", "EUR"), ("Euro", "EUR"), ("RMB", "CNY"), ("x", "")],
)
def test_a_currency_is_known_by_its_code_sign_or_name(text, code):
    assert code_of(text) == code


def test_letters_within_words_name_no_currency():
    assert mentions("careful kryptonite for ERRORS") == []
