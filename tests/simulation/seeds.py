"""What comes of one seed? Apart from the command: other processes must be able to import it."""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.simulation.generator import generate
from tests.simulation.report import report
from tests.simulation.simulation import simulate

if TYPE_CHECKING:
    from tests.simulation.spec import World


@dataclass
class Result:
    """What came of one seed, small enough to be sent from process to process."""

    seed: int
    laws: list[str] = field(default_factory=list)
    told: str = ""
    sums: Counter[str] = field(default_factory=Counter)


def run_seed(seed: int, stage: str, *, small: bool = True) -> Result:
    """One world; whatever the program raises is a broken law too."""
    world = generate(seed, stage)
    try:
        outcome = simulate(world, stage)
    except Exception:  # noqa: BLE001 — of one world among thousands
        return Result(seed, ["no-crash"], f"seed {seed}\n{traceback.format_exc(limit=-8)}")
    laws = [violation.law for violation in outcome.violations]
    told = report(outcome, stage, small=small) if laws else ""
    sums = _sums(world) + Counter(requests=outcome.requests) + outcome.passes
    return Result(seed, laws, told, sums)


def _sums(world: World) -> Counter[str]:
    faults = world.faults
    return Counter(
        worlds=1,
        pages=len(world.pages),
        kills=faults.kills,
        throttles=faults.throttles,
        duplicating=bool(faults.duplicates),
        late=bool(faults.lateness),
    )


MAX_PASSES = 1.1
LEAST_TOGETHER = 0.9


def passes(sums: Counter[str]) -> float:
    """How often a URL went through FETCH for each request, in worlds without faults."""
    return sums["calm_passes"] / max(1, sums["calm_requests"])


def together(sums: Counter[str]) -> float:
    """Of the pairs of similar pages, the share that is taken for one."""
    return sums["similar_together"] / max(1, sums["similar_pairs"])
