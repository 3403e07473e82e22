"""What will messages that are under way still cost?"""

from __future__ import annotations

import pytest

from gossamer.core.cost.following import MOST, USD, grown, kept_back


def test_a_fetched_page_has_to_be_parsed_and_gives_its_own_request_back():
    assert grown("fetch", ["parse", "frontier"]) == USD["parse"] - USD["fetch"]


def test_all_that_a_page_leads_to_comes_to_nothing_in_the_end():
    steps = [grown("", ["fetch"]), grown("fetch", ["parse"]), grown("parse", ["links", "index"])]
    steps += [grown("links", ["frontier"]), grown("index", [])]

    assert sum(steps) == pytest.approx(0.0, abs=1e-12)


def test_counters_keep_whole_millionths_so_nothing_is_lost_by_rounding():
    assert all(round(usd * 1e6) == pytest.approx(usd * 1e6) for usd in USD.values())


@pytest.mark.parametrize(("to_come", "kept"), [(0.2, 0.2), (0.9, MOST), (0.0, 0.0), (-0.3, 0.0)])
def test_a_job_keeps_back_what_is_to_come_but_never_all_of_its_money(to_come, kept):
    assert kept_back(1.0, to_come) == kept
