"""What an invocation of each function asks of AWS, as linear functions of what it is handed.

The coefficients are measured, never typed in: `python -m scripts.scale --measure` runs the real
handlers over moto with batches of random sizes and fits them (measuring.py); the result is
profile.json. A test runs other sizes and compares.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

FILE = Path(__file__).with_name("profile.json")
STREAMS = ("frontier", "fetch", "parse", "links", "index")


class Given(msgspec.Struct, frozen=True):
    """What some invocations of one function were handed."""

    invocations: float = 0.0
    messages: float = 0.0
    urls: float = 0.0  # in them: candidates of a pack, links of a page
    fresh: float = 0.0  # of these, URLs that were not known before

    def numbers(self) -> tuple[float, float, float, float]:
        """In the order of coefficients."""
        return self.invocations, self.messages, self.urls, self.fresh


Coefficients = tuple[float, float, float, float]


def _times(coefficients: Coefficients, given: Given) -> float:
    return sum(a * b for a, b in zip(coefficients, given.numbers(), strict=True))


class Step(msgspec.Struct, frozen=True):
    """One function: units by "kind resource" (as `wru urls`), and calls to AWS."""

    units: dict[str, Coefficients]
    calls: Coefficients

    def used(self, given: Given) -> dict[str, float]:
        """The units of some invocations."""
        return {name: _times(by, given) for name, by in self.units.items()}

    def called(self, given: Given) -> float:
        """How many calls to AWS some invocations make."""
        return _times(self.calls, given)


class Shape(msgspec.Struct, frozen=True):
    """Counts a page of the run that was measured."""

    pages: int
    hosts: int
    links: float  # in a message of LINKS
    fresh: float  # URLs a page that were not known before
    packs: float  # messages of `frontier` for each URL that was not known before
    batches: dict[str, float] = {}  # messages an invocation


class Profile(msgspec.Struct, frozen=True):
    """All that was measured."""

    shape: Shape
    steps: dict[str, Step]
    parked: dict[str, float] = {}  # units of one pack that is parked, taken and forgotten
    reserved: dict[str, float] = {}  # units more for a URL of a job with a limit

    def used(self, given: dict[str, Given]) -> dict[str, float]:
        """The units of invocations of several functions together."""
        found: dict[str, float] = {}
        for stream, what in given.items():
            for name, units in self.steps[stream].used(what).items():
                found[name] = found.get(name, 0.0) + units
        return found


def load(file: Path = FILE) -> Profile:
    """The coefficients that were measured last."""
    return msgspec.json.decode(file.read_bytes(), type=Profile)


def save(profile: Profile, file: Path = FILE) -> None:
    """Keep what was measured."""
    file.write_bytes(msgspec.json.format(msgspec.json.encode(profile), indent=1) + b"\n")
