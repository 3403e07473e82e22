from __future__ import annotations

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.cleaning import check_replacement, clean
from gossamer.core.page.values import MAX_TEXT


def test_replacements_happen_in_order():
    assert clean("Only 12k", ["Only ", "k -> 000", r"^(\d+)$ -> \1 points"]) == "12000 points"


@pytest.mark.parametrize("wrong", ["(", r"a -> \1", "a -> b\\", r"(a) -> \2"])
def test_a_replacement_that_cannot_work_is_refused(wrong: str):
    with pytest.raises(ConfigurationError, match="is not usable"):
        check_replacement(wrong)


def test_a_text_that_doubles_and_doubles_stays_bounded():
    assert len(clean("a", [r"(.) -> \1\1\1\1"] * 32)) <= MAX_TEXT
    assert len(clean("a" * 999, [r"(.) -> " + r"\1" * 30])) == MAX_TEXT
