"""What do many times come to?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds: the middle one, the one that 99 of 100 stay below, and how many there were."""

    p50: float
    p99: float
    count: int

    def record(self) -> dict[str, Any]:
        """For the JSON report."""
        return {"p50_ms": round(self.p50, 3), "p99_ms": round(self.p99, 3), "count": self.count}


def times(milliseconds: Sequence[float]) -> Times:
    """Of some measurements, of which there must be one."""
    ordered = sorted(milliseconds)
    return Times(quantile(ordered, 0.5), quantile(ordered, 0.99), len(ordered))


def quantile(ordered: Sequence[float], share: float) -> float:
    """By nearest rank: the smallest value that this share of the values does not exceed."""
    rank = max(1, -int(-share * len(ordered) // 1))  # rounded up
    return ordered[rank - 1]
