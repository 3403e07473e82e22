"""The benchmark of amounts of money reads examples without running them."""

import argparse

import pytest

from scripts.bench.failure import BenchFailure
from scripts.bench.questions.extract.values import measure

TESTS = """
raise SystemExit("never run")
PRICE_PARSING_EXAMPLES = [
    Example(None, "$17.50", "$", "17.50", 17.5),
    Example("EUR", "17", "EUR", "17", Decimal("17.0")),
    Example(None, "seventeen", None, None, 17),
]
PRICE_PARSING_EXAMPLES_XFAIL = [Example(None, "seven", None, None, 7)]
OTHER = [Example(None, "1", None, "1", 1)]
"""


def test_the_share_of_agreement_is_that_of_the_examples_that_are_judged(tmp_path):
    path = tmp_path / "examples.py"
    path.write_text(TESTS)

    report = measure(argparse.Namespace(examples=path))

    assert [row["agree"] for row in report.rows] == ["2", "0"]
    assert report.claims[0].got == "0.667"


def test_a_file_that_is_missing_is_explained(tmp_path):
    with pytest.raises(BenchFailure, match="--examples"):
        measure(argparse.Namespace(examples=tmp_path / "none.py"))


def test_without_examples_nothing_is_judged():
    report = measure(argparse.Namespace(examples=None))

    assert (report.claims, len(report.notes)) == ([], 1)
