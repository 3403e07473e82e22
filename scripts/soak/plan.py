"""The schedule of a soak, in seconds from its start, determined by a seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

WARM_UP, IDLE, SOAK, IDLE_AGAIN = "warm-up", "idle", "soak", "idle again"
WARM_UP_SHARE = 0.2
IDLE_SECONDS = 30.0
LONG = 180.0  # seconds from which the idle phases are as long as they should be

# The longest of each; a short soak has them shorter, so that everything happens in it.
ROUND = 45.0
BETWEEN_KILLS = 60.0
BETWEEN_RESTARTS = 240.0
MIN_BETWEEN = 3.5  # seconds: what is killed must have begun
# A server that was restarted remembers nothing: at 20 searches/s it has remembered all it will (a
# thousand answers) by this age.
SETTLING = 60.0

Stroke = Literal["kill the crawl", "restart the server", "kill the server"]


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of the soak."""

    name: str
    begin: float
    end: float

    @property
    def crawls(self) -> bool:
        """Whether the crawl runs."""
        return self.name in (WARM_UP, SOAK)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that is done to a process, and when."""

    at: float
    stroke: Stroke


@dataclass(frozen=True, slots=True)
class Plan:
    """A soak of so many seconds."""

    seconds: float
    seed: int

    @property
    def idle(self) -> float:
        """How long each idle phase lasts."""
        return max(IDLE_SECONDS, 0.05 * self.seconds) if self.seconds >= LONG else self.seconds / 7

    @property
    def phases(self) -> list[Phase]:
        """One after the other."""
        warm = WARM_UP_SHARE * self.seconds
        still, ends = warm + self.idle, self.seconds - self.idle
        return [
            Phase(WARM_UP, 0.0, warm),
            Phase(IDLE, warm, still),
            Phase(SOAK, still, ends),
            Phase(IDLE_AGAIN, ends, self.seconds),
        ]

    @property
    def soak(self) -> Phase:
        """The phase in which things are killed."""
        return self.phases[2]

    @property
    def round(self) -> float:
        """Roughly how long a round of the crawl takes."""
        return min(ROUND, self.seconds / 12)

    @property
    def settling(self) -> float:
        """The age from which a server's memory counts."""
        return min(SETTLING, self.seconds / 10)

    @property
    def comparable_age(self) -> float:
        """The age at which the memory of one crawl is compared with that of another."""
        return 0.6 * self.round

    @property
    def events(self) -> list[Event]:
        """What is killed and restarted, in order."""
        chance, soak = Random(self.seed), self.soak
        length = soak.end - soak.begin
        kills = self._moments(chance, max(MIN_BETWEEN, min(BETWEEN_KILLS, self.seconds / 10)))
        restarts = self._moments(chance, min(BETWEEN_RESTARTS, self.seconds / 4))
        fatal = soak.begin + length * chance.uniform(0.45, 0.55)
        events = [Event(at, "kill the crawl") for at in kills]
        events += [Event(at, "restart the server") for at in restarts]
        events.append(Event(fatal, "kill the server"))
        return sorted(events, key=lambda event: event.at)

    def _moments(self, chance: Random, every: float) -> Iterator[float]:
        """Moments of the soak phase, about so far apart."""
        at = self.soak.begin + every * chance.uniform(0.6, 1.0)
        while at < self.soak.end - 1.0:
            yield at
            at += every * chance.uniform(0.75, 1.25)
