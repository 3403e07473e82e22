"""The arithmetic of politeness: when a host may be asked again.

Grace slots: slots of a host lie `delay + grace` apart and a request starts only inside
[slot, slot + grace]. Two requests are then never closer than `delay`, whatever is late, delivered
twice or lost (proof: docs/politeness.md). A delay of 0 asks for no gap, so its slots need none.

Of a short delay the grace would be the larger part. Where one process makes all requests, slots lie
`delay` apart then, and its fetcher waits until the last start is far enough away (`Starts`).
"""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.core.crawl.response_outcome import MAX_RETRY_AFTER

MAX_PENALTY = 60.0  # seconds; a host that still says 429 at this pace is better set aside
PENALTY_DECAY = 0.9  # per good response: a doubled delay is forgotten after about seven
MANY_STARTS = 10_000  # hosts whose last start is remembered before old ones are forgotten


@dataclass(frozen=True, slots=True)
class GracePolicy:
    """How long after its slot a request may still start, as a share of the delay.

    A queue that delivers late needs seconds; one process with its own timer needs milliseconds.
    """

    floor: float
    share: float
    cap: float
    gated_below: float = 0.0  # of shorter delays the fetcher keeps the distance by itself
    notice: float = 0.0  # seconds until the first slot of a host that is idle

    def pace(self, delay: float) -> Pace:
        """How a host with this delay is asked."""
        return Pace(delay, self.grace(delay), self.is_gated(delay))

    def is_gated(self, delay: float) -> bool:
        """Whether the fetcher keeps this delay by itself."""
        return 0 < delay < self.gated_below

    def grace(self, delay: float) -> float:
        """The grace of a host with this delay."""
        return min(max(self.floor, self.share * delay), self.cap) if delay > 0 else 0.0


# 4 % of the delay keeps a 2 s host within a tenth of its ideal pace and outlasts a busy loop.
# Below half a second the floor is more than that, and a delay of 0.02 s would give half its pace.
EMBEDDED_GRACE = GracePolicy(floor=0.02, share=0.04, cap=0.25, gated_below=0.5)
# SQS delivers 0.15 s late on average and sometimes seconds (docs/politeness.md). Before that Lambda
# gathers requests for a second: without a notice, every request to an idle host missed its slot.
CLOUD_GRACE = GracePolicy(floor=1.0, share=0.25, cap=5.0, notice=1.5)


@dataclass(frozen=True, slots=True)
class Pace:
    """The delay in force on a host and the grace that goes with it."""

    delay: float
    grace: float
    is_gated: bool = False  # the fetcher keeps the delay, whatever is late

    @property
    def spacing(self) -> float:
        """How far apart two slots of the host lie."""
        if self.is_gated:
            return self.delay
        return self.delay + self.grace if self.delay > 0 else 0.0


class Starts:
    """When the only process that makes requests started the last one to each host.

    Another process may have made requests until this one began, and none since.
    """

    def __init__(self, began: float) -> None:
        self._began = began
        self._last: dict[str, float] = {}

    def free_at(self, host: str, gap: float) -> float:
        """When a request may start that keeps a gap to the last one; 0 asks for none."""
        return self._last.get(host, self._began) + gap if gap > 0 else 0.0

    def note(self, host: str, at: float, gap: float) -> None:
        """A request that had to keep a gap starts."""
        if gap <= 0:
            return
        self._last[host] = at
        if len(self._last) > MANY_STARTS:  # gaps are far shorter than a minute
            self._last = {name: last for name, last in self._last.items() if last > at - 60.0}


@dataclass(frozen=True, slots=True)
class Booking:
    """`count` slots from `first` on; `next_slot` is what the host's record must say afterwards."""

    first: float
    count: int
    next_slot: float


def book(next_slot: float, wanted: int, now: float, spacing: float, window: float) -> Booking:
    """Book up to `wanted` slots for a host whose next free slot is `next_slot` (0 = never asked).

    Slots are not handed out beyond `now + window`; one is always granted when the host is idle.
    """
    first = max(next_slot, now)
    count = wanted
    if spacing > 0:
        count = min(wanted, max(int((now + window - first) // spacing), first <= now))
    return Booking(first, count, first + count * spacing if count else next_slot)


def latest_slot(now: float, spacing: float, window: float) -> float:
    """Return the latest moment that a host's next slot may lie at, by a clock that is right.

    A later one was booked by a clock that was ahead, or at a delay longer than the one in force.
    """
    return now + MAX_RETRY_AFTER + spacing + window


def slot_times(booking: Booking, spacing: float) -> list[float]:
    """When each booked slot begins."""
    return [booking.first + i * spacing for i in range(booking.count)]


def delay_in_force(minimum: float, robots: float | None, cap: float, penalty: float) -> float:
    """The delay of a host: ours or robots.txt's, whichever is longer, capped, or the penalty."""
    base = max(minimum, min(robots or 0.0, cap))
    return max(base, penalty)


def penalised(delay: float) -> float:
    """The delay of a host that said 429 or 503."""
    return min(max(2 * delay, 1.0), max(MAX_PENALTY, delay))


def forgiven(penalty: float, base: float) -> float:
    """The penalty after one more good response; 0 once it no longer matters."""
    eased = penalty * PENALTY_DECAY
    return eased if eased > max(base, 0.1) else 0.0
