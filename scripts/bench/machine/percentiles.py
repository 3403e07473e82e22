"""Percentiles of many measured times."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Times:
    """Median and 99th percentile in milliseconds, and the number of measurements."""

    p50: float
    p99: float
    count: int

    def record(self) -> dict[str, Any]:
        """For the JSON report."""
        return {"p50_ms": round(self.p50, 3), "p99_ms": round(self.p99, 3), "count": self.count}


def times(milliseconds: Sequence[float]) -> Times:
    """Percentiles of one measurement or more."""
    ordered = sorted(milliseconds)
    return Times(quantile(ordered, 0.5), quantile(ordered, 0.99), len(ordered))


def quantile(ordered: Sequence[float], share: float) -> float:
    """By nearest rank: the smallest value that this share of the values does not exceed."""
    rank = max(1, -int(-share * len(ordered) // 1))  # rounded up
    return ordered[rank - 1]
