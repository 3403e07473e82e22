"""How long requests wait to be handed out together with others.

A function waits for twenty slots at the price of one, and keeps their pages in one object. But a
function that waits does nothing else, so requests are gathered no longer than it takes to fill
batches: in seconds where few hosts are slow, not at all where many are.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from gossamer.core.errors import TransientError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.messages import Emission

# Requests whose slots lie in the same stretch are handed out together, whatever their hosts. LEAD
# is for Lambda, which takes a second to fill a batch; another second is lost by rounding.
LONGEST, LEAD = 7.5, 1.5
SHORTEST = 1.0  # SQS counts whole seconds
ENOUGH = 40.0  # requests: two batches, because Lambda has several pollers, which may split them
LOOK_EVERY = 10.0  # seconds


def held_back(emission: Emission, now: float, stretch: float = LONGEST) -> float:
    """Seconds until a message is handed out; FETCH itself waits for its slot, which is soon."""
    if not is_gathered(emission):
        return emission.delay
    slot = now + emission.delay
    begins = slot // stretch * stretch if stretch >= SHORTEST else slot
    return max(0.0, begins - LEAD - now)


def stretch_of(rate: float) -> float:
    """Seconds whose slots are handed out together, if so many requests come due in a second."""
    return min(LONGEST, ENOUGH / max(1e-9, rate))


def is_gathered(emission: Emission) -> bool:
    """Whether it is a request with a slot."""
    return emission.timed and emission.stream == "fetch"


class Gathering:
    """The stretch of a stack, by how many requests come due in a second.

    That is how many are held back, divided by how long they are held back on average (Little's
    law). The first is asked for now and then, the second is known from what this process sent.
    """

    def __init__(self, held: Callable[[], int]) -> None:
        """`held`: how many requests are held back now."""
        self._held = held
        self._count = self._seconds = 0.0  # of the requests that this process sent lately
        self._next_look = 0.0
        self._stretch = LONGEST

    def note(self, seconds: float) -> None:
        """A request is sent that is held back for so long."""
        self._count += 1
        self._seconds += seconds

    def stretch(self, now: float) -> float:
        """Seconds whose slots are handed out together."""
        if now >= self._next_look and self._seconds:
            self._next_look = now + LOOK_EVERY
            with suppress(TransientError):
                self._stretch = stretch_of(self._per_second())
        return self._stretch

    def _per_second(self) -> float:
        rate = self._held() * self._count / self._seconds
        self._count, self._seconds = self._count / 2, self._seconds / 2
        return rate
