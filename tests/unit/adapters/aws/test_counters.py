"""May everyone who shows the sums of a stack do what adding up the past takes?"""

from __future__ import annotations

import pytest

from tests.topology.template import allowed_calls, load

HOUR = 3600.0
NOW = 500_000 * HOUR + 1800.0


@pytest.fixture
def counters(cloud):
    return cloud.open().counters


def test_an_hour_that_is_over_is_added_up_once_and_by_whom_it_is_asked(cloud, counters):
    home = cloud.open()
    for hours, pages in ((50, 3), (2, 4), (0, 5)):
        counters.add({"pages": pages}, NOW - hours * HOUR)
    home.meter.reset()

    assert home.counters.totals(NOW) == {"pages": 12}
    assert set(home.meter.calls) <= allowed_calls(load())["api"]

    counters.add({"pages": 1}, NOW + HOUR)
    assert home.counters.totals(NOW + HOUR) == {"pages": 13}
    assert set(home.meter.calls) <= allowed_calls(load())["api"]
