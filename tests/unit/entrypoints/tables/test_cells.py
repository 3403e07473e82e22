"""Can no page write a formula into a spreadsheet, and do numbers stay numbers?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.entrypoints.tables.cells import FORMULA_STARTS, in_csv, shown


@given(st.one_of(st.text(), st.lists(st.text())))
def test_no_text_is_a_formula(cell):
    assert not in_csv(cell).startswith(FORMULA_STARTS)


@pytest.mark.parametrize(
    ("cell", "written"),
    [(-5, "-5"), (-0.5, "-0.5"), (1e15, "1e+15"), (True, "true"), (None, ""), ([1, "a"], "1; a")],
)
def test_what_is_no_text_is_written_as_it_is(cell, written):
    assert in_csv(cell) == shown(cell) == written


def test_a_formula_is_kept_to_be_read():
    assert in_csv("=HYPERLINK(1)") == "'=HYPERLINK(1)"
    assert in_csv("a\r\nb\rc") == "a\nb\nc"
