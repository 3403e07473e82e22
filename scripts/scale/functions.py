"""How many messages a function takes in a step of the clock, and for how long it runs.

The time of an invocation is modelled as in scripts/bench (contenders/gossamer_on_aws.py): 6 ms for
a call to AWS, the CPU time of its messages on a slower processor, a second for the slowest server
of a batch of fetches, and their wait for their slots (slots.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scripts.bench.contenders.gossamer_on_aws import CALL_MS, CPU_MS, CPU_OF_PAGE_MS, FETCH_SECONDS
from scripts.scale.limits import COLD_START, POLL_GAP
from scripts.scale.profile import Given
from scripts.scale.slots import gathered, wait

if TYPE_CHECKING:
    from scripts.scale.deployment import Function
    from scripts.scale.profile import Step

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a function does in one step of the clock."""

    messages: float
    invocations: float
    seconds: float  # of one invocation

    def concurrency(self, step: float) -> float:
        """How many run at once on average."""
        return self.invocations * self.seconds / step


@dataclass(frozen=True, slots=True)
class Bolt:
    """A function that reads a queue, and what its invocations ask of AWS."""

    function: Function
    step: Step
    urls: float = 0.0  # in a message
    fresh: float = 0.0  # of these
    timed: bool = False  # its messages have slots, as those of FETCH where there is a delay

    def given(self, turn: Turn) -> Given:
        """What the invocations of a turn are handed."""
        urls, fresh = turn.messages * self.urls, turn.messages * self.fresh
        return Given(turn.invocations, turn.messages, urls, fresh)

    def seconds(self, batch: float) -> float:
        """How long an invocation takes."""
        calls = self.step.called(Given(1.0, batch, batch * self.urls, batch * self.fresh))
        stream = self.function.name
        wait = 1000 * FETCH_SECONDS if stream == "fetch" else 0.0
        return (wait + calls * CALL_MS + CPU_MS * batch * CPU_OF_PAGE_MS[stream]) / 1_000.0

    def turn(self, due: float, step: float, concurrency: float, *, cold: bool = False) -> Turn:
        """Take what is due, in batches as large as what comes together, or as few make it."""
        extra = COLD_START * concurrency if cold else 0.0
        room = max(0.0, concurrency * step - extra)  # seconds of functions
        rate = due / step
        together = gathered(rate) if self.timed else 0.0
        together = together or POLL_GAP + self.function.window
        for batch in self._batches(max(1.0, rate * together)):
            waited = wait(batch, rate, self.function) if self.timed else 0.0
            seconds = self.seconds(batch) + waited
            if due / batch * seconds <= room:
                return Turn(due, due / batch, seconds)
        return self._full(due, room)

    def _full(self, due: float, room: float) -> Turn:
        """All functions are at work all the time; who comes late to a slot waits less for it."""
        batch = float(self.function.batch)
        most = room / self.seconds(batch)
        invocations = min(most, due / batch)
        return Turn(invocations * batch, invocations, room / invocations if invocations else 0.0)

    def _batches(self, least: float) -> list[float]:
        most = float(self.function.batch)
        return [min(least, most), *(float(n) for n in SIZES if least < n <= most)]

    def died(self, due: float, step: float, concurrency: float) -> Turn:
        """The same for a version that dies with every batch, after a second."""
        most = min(due / self.function.batch, concurrency * step)
        return Turn(most * self.function.batch, most, 1.0)
