"""Does a URL cost the same in the cloud, however many are known?"""

from __future__ import annotations

import argparse

import pytest

from scripts.bench.failure import BenchFailure
from scripts.bench.questions.cloud_urls import Counted, Known, at_size, fitted, measure


def test_calls_of_a_url_do_not_grow_with_known_urls():
    """A small run of what `python -m scripts.bench cloud_urls` measures at a hundred thousand."""
    report = measure(argparse.Namespace(sizes=[200, 600]))

    first, last = report.runs
    assert first["urls"] < last["urls"]
    for kind in ("new", "old", "parked"):
        assert last[kind]["calls"] == pytest.approx(first[kind]["calls"], rel=0.1), kind
        assert last[kind]["wru"] == pytest.approx(first[kind]["wru"], rel=0.1), kind


def test_growth_is_found_and_carried_on_to_ten_million():
    growing = [Known(10**n, *[Counted(1.0 + n, 0.0, 0.0)] * 3) for n in (3, 4, 5)]

    assert fitted([10, 100, 1_000], [2.0, 3.0, 4.0]) == pytest.approx((1.0, 1.0))
    assert at_size(growing, "new", "calls") == pytest.approx(8.0)


def test_one_size_is_refused():
    with pytest.raises(BenchFailure, match="at least two"):
        measure(argparse.Namespace(sizes=[1_000]))
