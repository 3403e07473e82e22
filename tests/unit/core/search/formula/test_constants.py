"""Is a formula refused that has no result whatever the document?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from gossamer.core.collection import CollectionSettings, check_settings
from gossamer.core.search.formula.constants import check_constants
from gossamer.core.search.formula.tokens import FormulaError
from gossamer.core.settings_file import settings_of
from tests.formulas import formulas


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("1 / 0", 3),
        ("rank + 1 / 0", 10),
        ("rank / 0", 6),
        ("rank / (2 - 2)", 6),
        ("rank % 0", 6),
        ("log(0)", 1),
        ("1 + sqrt(0 - 4)", 5),
        ("saturation(0, 0)", 1),
        ("1e300 * 1e300", 7),
        ("0 ** -1", 3),
        ("rank ? 1 / (not 1) : 0", 10),
    ],
)
def test_what_has_no_result_for_any_document_is_refused_with_its_place(text, column):
    with pytest.raises(FormulaError, match=f"column {column}: ") as raised:
        settings_of({"formula": text})

    assert raised.value.key == ("formula",)
    assert raised.value.position == column - 1


@pytest.mark.parametrize(
    "text", ["1 / rank", "rank % text", "log(rank)", "sqrt(4)", "", "not 0 + 1", "max(1, 2, 3)"]
)
def test_what_has_a_result_for_some_is_stored(text):
    check_settings(CollectionSettings(formula=text))


@pytest.mark.parametrize("text", ["(" * 10_000 + "1" + ")" * 10_000, "-" * 1_999, "log(" * 400])
def test_deep_nesting_is_refused_with_its_place(text):
    with pytest.raises(FormulaError) as raised:
        settings_of({"formula": text})

    assert raised.value.position is not None


@given(formulas(("rank", "text"), ("date",), ("date",)))
def test_a_formula_without_numbers_is_never_refused(text):
    check_constants(re.sub(r"N\([^)]*\)", "rank", text))
