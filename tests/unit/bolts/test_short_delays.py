"""Is a host with a delay far below a second asked at the pace that its delay allows?"""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from tests.pump import Answer, VirtualClock, World, make_world, page

PAGES = 60
ROUNDING = 1e-6


def site_of(tmp_path, delay: float) -> World:
    urls = [f"http://a.test/{number}" for number in range(PAGES)]
    answers: dict[str, Answer] = {url: page(title=url) for url in urls}
    answers["http://a.test/"] = page(*urls, title="root")
    return make_world(tmp_path, VirtualClock(), answers, delay=delay)


def pace(world: World) -> float:
    """Requests per second to a host that always has some URL waiting."""
    times = world.fetcher.times("a.test")[2:]  # what leads to them comes before
    assert len(times) == PAGES
    return (len(times) - 1) / (times[-1] - times[0])


def gaps(world: World) -> list[float]:
    return [later - earlier for earlier, later in pairwise(world.fetcher.times("a.test"))]


@pytest.mark.parametrize("delay", [0.005, 0.02, 0.4])
async def test_a_loop_on_time_asks_as_often_as_the_delay_allows(tmp_path, delay):
    world = site_of(tmp_path, delay)

    await world.crawl()

    assert pace(world) == pytest.approx(1 / delay, rel=0.01)
    assert min(gaps(world)) >= delay - ROUNDING


@pytest.mark.parametrize("delay", [0.02, 0.1])
async def test_a_loop_that_is_late_is_slower_and_never_too_fast(tmp_path, delay):
    """Up to twice the grace: some requests lose their slots."""
    world, chance = site_of(tmp_path, delay), Random(1)

    await world.crawl(lateness=lambda: chance.choice([0.001, 0.003, 0.015, 0.04]))

    assert min(gaps(world)) >= delay - ROUNDING
    assert pace(world) > 0.5 / delay


async def test_a_long_delay_keeps_its_windows(tmp_path):
    world = site_of(tmp_path, 0.5)

    await world.crawl()

    assert min(gaps(world)) == pytest.approx(0.52, abs=1e-4)
