"""Is a soak planned as it should be, and the same for the same seed?"""

from __future__ import annotations

from itertools import pairwise

import pytest

from scripts.soak.plan import Plan

LENGTHS = pytest.mark.parametrize("minutes", [0.45, 3, 10, 30])


@LENGTHS
def test_the_phases_fill_the_time_and_warming_up_takes_a_fifth(minutes):
    plan = Plan(60 * minutes, seed=1)

    phases = plan.phases

    assert (phases[0].begin, phases[-1].end) == (0.0, plan.seconds)
    assert all(before.end == after.begin < after.end for before, after in pairwise(phases))
    assert phases[0].end == pytest.approx(0.2 * plan.seconds)


@LENGTHS
def test_everything_is_struck_while_the_crawl_soaks(minutes):
    plan = Plan(60 * minutes, seed=1)

    events = plan.events

    assert {event.stroke for event in events} == {
        "kill the crawl",
        "restart the server",
        "kill the server",
    }
    assert [e.stroke for e in events].count("kill the server") == 1
    assert all(plan.soak.begin < event.at < plan.soak.end for event in events)
    assert events == sorted(events, key=lambda event: event.at)


def test_a_long_soak_kills_every_minute_and_is_idle_for_half_a_minute_or_more():
    plan = Plan(1800.0, seed=3)

    kills = [event.at for event in plan.events if event.stroke == "kill the crawl"]

    assert all(45 <= after - before <= 75 for before, after in pairwise(kills))
    assert plan.idle >= 30


def test_a_seed_decides():
    assert Plan(600.0, seed=1).events == Plan(600.0, seed=1).events
    assert Plan(600.0, seed=1).events != Plan(600.0, seed=2).events
