"""Which limit of money is reached, and which comes first?"""

from __future__ import annotations

import pytest

from gossamer.core.cost.limits import DAILY_USD, MAX_USD, Limits, midnight
from gossamer.core.crawl.url_state import explain


@pytest.mark.parametrize(
    ("limits", "spent", "today", "reason"),
    [
        (Limits(), 1e9, 1e9, ""),
        (Limits(5.0), 4.99, 1e9, ""),
        (Limits(5.0), 5.0, 0.0, MAX_USD),
        (Limits(None, 2.0), 1e9, 1.99, ""),
        (Limits(None, 2.0), 0.0, 2.0, DAILY_USD),
        (Limits(5.0, 2.0), 6.0, 3.0, MAX_USD),  # it does not go on by itself, so it comes first
        (Limits(5.0, 2.0), 4.0, 3.0, DAILY_USD),
    ],
)
def test_a_limit_is_reached_when_as_much_was_spent(limits, spent, today, reason):
    assert limits.reached(spent, today) == reason


def test_a_day_begins_at_midnight_utc():
    assert midnight(1_700_000_000.0) == 1_699_920_000.0
    assert midnight(1_699_920_000.0) == 1_699_920_000.0


@pytest.mark.parametrize("reason", [MAX_USD, DAILY_USD])
def test_a_pause_says_how_it_ends(reason):
    assert "go on" in explain(reason) or "goes on" in explain(reason)
