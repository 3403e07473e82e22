"""How many requests are booked ahead, and how long they wait to be handed out with others.

A function waits for twenty slots at the price of one, and keeps their pages in one object. But a
function that waits does nothing else, so requests are gathered no longer than it takes to fill
batches: in seconds where few hosts are slow, not at all where many are. And what is booked beyond
what FETCH can do in time would only miss its slots and be booked again.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

from gossamer.core.errors import TransientError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gossamer.messages import Emission

# Requests whose slots lie in the same stretch are handed out together, whatever their hosts. LEAD
# is for Lambda, which takes a second to fill a batch; another second is lost by rounding.
LONGEST, LEAD = 7.5, 1.5
SHORTEST = 1.0  # SQS counts whole seconds
ENOUGH = 40.0  # requests: two batches, because Lambda has several pollers, which may split them
LOOK_EVERY = 5.0  # seconds
A_SECOND = 9.0  # requests of a function that never waits for a slot (docs/scale.md)
SWEEP = 60.0  # seconds between two times that parked hosts are woken


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


class Ahead:
    """What FETCH has ahead of it: how many requests are booked, and how many come due in a second.

    That is how many are held back, divided by how long they are held back on average (Little's
    law). The first is asked for now and then, the second is known from what this process sent.
    """

    def __init__(self, counts: Callable[[], Mapping[str, int]], fetchers: int = 0) -> None:
        """`counts`: of the messages of FETCH; `fetchers`: that may run at once, 0 if unknown."""
        self._counts, self._fetchers = counts, fetchers
        self._sent = self._seconds = 0.0  # requests that this process sent lately
        self._next_look = 0.0
        self._held = self._booked = 0  # when they were asked for last
        self._since = 0  # requests that this process has sent since

    def note(self, seconds: float) -> None:
        """A request is sent that is held back for so long."""
        self._sent += 1
        self._seconds += seconds
        self._since += 1

    def stretch(self, now: float) -> float:
        """Seconds whose slots are handed out together."""
        if not self._seconds:
            return LONGEST
        self._look(now)
        return stretch_of(self._held / average) if (average := self._on_average) else LONGEST

    def room(self, now: float) -> float:
        """How many more requests FETCH can make in time; no end if its functions are unknown."""
        if not self._fetchers:
            return math.inf
        self._look(now)
        # Right after a sweep there is more than on average, by half of what is done until the next.
        seconds = max(SWEEP, self._on_average + SWEEP / 2)
        return self._fetchers * A_SECOND * seconds - self._booked - self._since

    @property
    def _on_average(self) -> float:
        return self._seconds / self._sent if self._sent else 0.0

    def _look(self, now: float) -> None:
        if now < self._next_look:
            return
        self._next_look = now + LOOK_EVERY
        with suppress(TransientError):
            counts = self._counts()
            self._held, self._booked, self._since = counts["delayed"], sum(counts.values()), 0
            self._sent, self._seconds = self._sent / 2, self._seconds / 2
