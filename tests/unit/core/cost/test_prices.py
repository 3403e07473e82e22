"""Does a bill add up?"""

from __future__ import annotations

import pytest

from gossamer.core.cost.prices import PRICES, bill, usd


def test_a_million_of_each_costs_its_list_price():
    lines = bill(dict.fromkeys(PRICES, 1e6))

    assert {line.unit: line.usd for line in lines} == pytest.approx(
        {unit: price.per_million for unit, price in PRICES.items()}
    )


def test_what_was_not_used_or_has_no_price_is_no_line():
    assert [line.unit for line in bill({"wru": 3, "rru": 0, "pages": 9})] == ["wru"]


def test_the_design_of_one_item_per_posting_costs_what_the_model_says():
    """A thousand postings a page, each written to the table and to its index."""
    assert usd({"wru": 2 * 1000 * 1e6}) == pytest.approx(1250)
