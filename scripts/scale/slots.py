"""How long FETCH waits for the slots of its requests, which come to it some seconds before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.aws.sqs.gathering import LEAD, SHORTEST, stretch_of

if TYPE_CHECKING:
    from scripts.scale.deployment import Function

ROUNDED = 0.75  # seconds that SQS, which counts whole ones, hands a message out before


def gathered(rate: float) -> float:
    """Seconds whose slots are handed out together, if so many requests come due in a second."""
    stretch = stretch_of(rate)
    return stretch if stretch >= SHORTEST else 0.0


def wait(batch: float, rate: float, function: Function) -> float:
    """Seconds until the last slot of a batch, from when its function is called."""
    stretch = gathered(rate)
    if batch < function.batch:
        filling = function.window
    else:
        filling = 0.0 if stretch else min(function.window, batch / rate)
    return max(0.0, LEAD + ROUNDED + stretch * batch / (batch + 1) - filling)
