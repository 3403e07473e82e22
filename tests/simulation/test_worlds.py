"""Does every law hold in every world? Some hundred worlds here, ten thousand in `make simulate`."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from functools import partial

import msgspec
import pytest

from tests.simulation.bugs import BUGS, switched_on
from tests.simulation.generator import generate
from tests.simulation.report import report
from tests.simulation.seeds import LEAST_TOGETHER, MAX_PASSES, passes, run_seed, together
from tests.simulation.shrink import shrink
from tests.simulation.simulation import simulate
from tests.simulation.spec import Faults

SEEDS = 500
CLOUD_SEEDS = 6
FOUND_WITHIN = 200
# Worlds in which something was found once. What happens in a world depends on every call that is
# made, so after a change they are worlds like others; tests of their own hold down what was found.
KNOWN = (1128, 3938, 4681, 6135, 6661, 7705, 9979, 11267, 19557)


def run_all(seeds, stage: str) -> list[str]:
    """What broke, told at length."""
    work = partial(run_seed, stage=stage)
    with multiprocessing.get_context("spawn").Pool() as pool:
        results = pool.map(work, seeds, chunksize=4)
    assert len(results) == len(seeds)
    sums = sum((result.sums for result in results), Counter[str]())
    assert sums["requests"] > 3 * len(seeds)
    assert passes(sums) <= MAX_PASSES
    if stage == "local":
        assert sums["similar_pairs"] > 20
        assert together(sums) >= LEAST_TOGETHER
    return [result.told for result in results if result.laws]


@pytest.mark.timeout(600)
def test_no_law_is_broken_in_the_embedded_home():
    broken = run_all([*range(SEEDS), *KNOWN], "local")

    assert not broken, "\n\n".join(broken[:3])


@pytest.mark.timeout(600)
def test_no_law_is_broken_in_the_cloud_home():
    broken = run_all(range(CLOUD_SEEDS), "cloud")

    assert not broken, "\n\n".join(broken[:3])


@pytest.mark.parametrize("bug", BUGS)
def test_a_deliberate_mistake_is_found(bug):
    with switched_on(bug):
        found = next((seed for seed in range(FOUND_WITHIN) if _breaks(seed)), None)

    assert found is not None, f"{FOUND_WITHIN} worlds do not notice: {bug}"


def _breaks(seed: int) -> bool:
    return bool(simulate(generate(seed), most_steps=60_000).violations)


def test_the_same_seed_gives_the_same_events():
    first, second = (simulate(generate(11)) for _ in range(2))

    assert first.log == second.log
    assert first.requests > 5


def test_a_broken_world_is_made_small_and_told():
    with switched_on("ignore robots"):
        world = next(w for w in map(generate, range(50)) if simulate(w).violations)
        outcome = simulate(world)
        small = shrink(world, lambda smaller: bool(simulate(smaller).violations))
        told = report(outcome, "local")

    assert len(small.pages) < len(world.pages)
    assert small.faults == Faults(interleave=world.faults.interleave)
    assert f"START={world.seed} SEEDS=1" in told
    assert "GET http://" in told


def test_a_world_can_be_written_down_and_read_again():
    world = generate(3)

    again = msgspec.json.decode(msgspec.json.encode(world), type=type(world))

    assert again == world
