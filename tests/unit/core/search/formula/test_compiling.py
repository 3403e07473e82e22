from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.search.formula.compiling import MOST, NameKind, compile_formula
from gossamer.core.search.formula.reading import MAX_DEPTH, MAX_NODES
from gossamer.core.search.formula.tokens import FormulaError
from tests.effort import often
from tests.formulas import evaluated, formulas, readable

KINDS: dict[str, NameKind] = {
    "votes": "number",
    "price": "number",
    "released": "date",
    "sold": "truth",
    "brand": "keyword",
}
NUMBERS = ("votes", "price", "sold", "released", "text", "rank")
TODAY = 20_000


class Rows:
    """Columns of some documents; None is missing."""

    def __init__(self, **columns: list[float | None]) -> None:
        self.columns = columns

    def number(self, name):
        return np.array([value or 0.0 for value in self.columns[name]], np.float64)

    def has(self, name):
        return np.array([float(value is not None) for value in self.columns[name]])

    def age(self, name):
        return np.maximum(TODAY - np.floor(self.number(name)), 0) * self.has(name)


def computed(text, /, **columns):
    formula = compile_formula(text, KINDS)
    assert formula is not None
    count = len(next(iter(columns.values()), [0]))
    return formula.evaluate(Rows(**columns), count).tolist()


values = st.none() | st.sampled_from((0.0, 1.0, -2.5, 4.0, 1e6, 1e300, 19_990.0))
rows = st.fixed_dictionaries({name: values for name in (*NUMBERS, "brand")})
expressions = formulas(NUMBERS, ("released",), (*NUMBERS[:4], "brand"))


@often(1500)
@given(st.lists(rows, min_size=1, max_size=3), expressions)
def test_a_formula_is_what_python_computes_for_each_document(documents, text):
    columns = {name: [row[name] for row in documents] for name in documents[0]}

    found = computed(readable(text), **columns)

    expected = [evaluated(text, row, TODAY) for row in documents]
    assert found == pytest.approx([max(-MOST, min(MOST, each)) for each in expected], rel=1e-9)


@often(1000)
@given(
    st.text(st.sampled_from("votes price 0123456789.eE+-*/%<>=!()?:,[]{}'\"lambdaifelsenotandor\n"))
)
def test_any_text_is_computed_or_refused_with_its_place(text):
    formula, place = None, 0
    try:
        formula = compile_formula(text, KINDS)
    except FormulaError as error:
        place = error.at

    found = formula.evaluate(Rows(votes=[3.0], price=[0.0]), 1) if formula else np.zeros(1)
    assert np.isfinite(found).all()
    assert 0 <= place <= len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("log1p(votes)", [math.log1p(9), 0.0]),
        ("saturation(votes, 3)", [0.75, 0.0]),
        ("price < 50 ? 1 : 0", [1.0, 1.0]),
        ("1 if price < 50 and has(price) else 0", [1.0, 0.0]),
        ("has(votes) ? votes : has(price) ? 2 : 3", [9.0, 3.0]),
        ("1 / price * 0", [0.0, 0.0]),
        ("votes / (price - 5)", [0.0, 0.0]),  # 9 / 0, and 0 / -5
        ("1 / 0 + 5", [5.0, 5.0]),
        ("log(-1) + sqrt(-1) + 0 / 0 + 1e308 * 1e308 + 2", [2.0, 2.0]),
        ("-2 ** 2", [-4.0, -4.0]),
        ("2 ** -1", [0.5, 0.5]),
        ("1 < votes <= 9", [1.0, 0.0]),
        ("not votes", [0.0, 1.0]),
        ("1e300", [MOST, MOST]),
        ("7", [7.0, 7.0]),
        (" 1\n+\n1 ", [2.0, 2.0]),
    ],
)
def test_values_that_are_missing_are_zero_and_every_result_is_a_number(text, expected):
    assert computed(text, votes=[9.0, None], price=[5.0, None]) == expected


def test_an_age_counts_days_to_today_and_is_zero_for_what_has_none_or_is_to_come():
    assert computed("age_days(released)", released=[TODAY - 3, None, TODAY + 5]) == [3, 0, 0]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("vote", 1, "unknown name 'vote'; did you mean 'votes'?"),
        ("1 + lg(votes)", 5, "unknown function 'lg'; did you mean 'log'?"),
        ("votes.real", 6, "'.' means nothing here"),
        ("votes[0]", 6, "'[' means nothing here"),
        ("'votes'", 1, "no texts"),
        ("lambda: votes", 7, "an operator is missing before ':'"),
        ("__import__('os')", 12, "no texts"),
        ("votes & 1", 7, "write and, or, not"),
        ("votes = 1", 7, "write =="),
        ("(votes", 7, "')' is missing for the bracket of column 1"),
        ("votes +", 8, "ends where a number or a name is missing"),
        ("votes ? 1", 10, "':' is missing after ?"),
        ("1 if votes", 11, "'else' is missing after if"),
        ("2 ** 9", 6, "an exponent is a number up to 8"),
        ("2 ** votes", 6, "an exponent is a number up to 8"),
        ("2 ** 2 ** 2", 8, "a power of a power needs brackets"),
        ("clip(votes)", 1, "clip takes 3 arguments, not 1"),
        ("brand + 1", 1, "only has(brand) can be asked"),
        ("has(text)", 1, "has takes the name of one column"),
        ("age_days(votes)", 10, "'votes' is no date"),
        ("1e999", 1, "this number is too large"),
        ("1 1", 3, "an operator is missing before '1'"),
        ("²", 1, "means nothing here"),
    ],
)
def test_a_mistake_is_told_with_its_column(text, column, message):
    with pytest.raises(FormulaError, match=re.escape(message)) as told:
        compile_formula(text, KINDS)

    assert str(told.value).startswith(f"formula, column {column}: ")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000 + "1" + ")" * 10_000,
        "(" * 900 + "1" + ")" * 900,
        "-" * 1_900 + "1",
        "not " * 450 + "1",
        "abs(" * 400 + "1" + ")" * 400,
        "1 ? " * 300 + "1" + " : 0" * 300,
        "+".join(["1"] * (MAX_NODES + 1)),
        "1" * 5_000,
        "a" * 1_000_000,
    ],
    ids=lambda text: f"{text[:8]}x{len(text)}",
)
def test_a_formula_that_is_too_deep_or_too_large_is_refused(text):
    with pytest.raises(FormulaError, match=r"at most|too large"):
        compile_formula(text, KINDS)


def test_as_much_as_is_allowed_is_computed():
    deep = "(" * (MAX_DEPTH - 1) + "1" + ")" * (MAX_DEPTH - 1)
    assert computed(deep) == [1.0]
    assert computed("+".join(["1"] * (MAX_NODES // 2))) == [MAX_NODES / 2]


def test_a_formula_knows_which_columns_it_reads():
    formula = compile_formula("text * saturation(votes, 3) + has(brand) + rank", KINDS)

    assert formula is not None
    assert formula.columns == {"votes", "brand"}
    assert compile_formula("  ", KINDS) is None
