"""What is said of a world that broke a law?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.shrink import shrink
from tests.simulation.simulation import simulate

if TYPE_CHECKING:
    from tests.simulation.simulation import Outcome
    from tests.simulation.spec import World

LAST = 60  # events that are told


def report(outcome: Outcome, stage: str, *, small: bool = True) -> str:
    """The seed, the broken laws, the smallest world that breaks the first, and its events."""
    law = outcome.violations[0].law
    world, shown = outcome.world, outcome
    if small:
        world = shrink(world, lambda smaller: _breaks(smaller, law, stage))
        shown = simulate(world, stage)
    lines = [
        f"seed {outcome.world.seed} on the {stage} stage breaks:",
        *(f"  {violation}" for violation in outcome.violations[:5]),
        f"to see it again: make simulate START={outcome.world.seed} SEEDS=1 ON={stage}",
        "the smallest world that was found to break the same law:",
        *(f"  {part}" for part in _told(world)),
        *(f"  {violation}" for violation in shown.violations[:3]),
        "what happened in it:",
        *(f"  {event}" for event in shown.log[-LAST:]),
    ]
    return "\n".join(lines)


def _breaks(world: World, law: str, stage: str) -> bool:
    return any(violation.law == law for violation in simulate(world, stage).violations)


def _told(world: World) -> list[str]:
    return [*map(str, world.hosts), *map(str, world.pages), str(world.job), str(world.faults)]
