"""The result of one crawl by one tool, and medians of several."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl: stored pages, and wall-clock seconds of the whole process."""

    tool: str
    site: str
    pages: int
    seconds: float
    peak_mb: float
    fault: str = ""  # why this run must not be compared with others
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Pages per second."""
        return self.pages / self.seconds

    def record(self) -> dict[str, Any]:
        """For the JSON report."""
        return {
            "tool": self.tool,
            "site": self.site,
            "pages": self.pages,
            "seconds": round(self.seconds, 3),
            "pages_per_second": round(self.rate, 2),
            "peak_mb": self.peak_mb,
            "fault": self.fault,
            **self.detail,
        }


def of(runs: Sequence[Run], tool: str, site: str) -> list[Run]:
    """The repetitions of one measurement."""
    return [run for run in runs if run.tool == tool and run.site == site]


def faults(runs: Sequence[Run]) -> list[str]:
    """All faults, without repetitions."""
    return list(dict.fromkeys(f"{run.tool} {run.fault}" for run in runs if run.fault))


def median_rate(runs: Sequence[Run]) -> float:
    """Median pages per second; 0 without runs."""
    return median(run.rate for run in runs) if runs else 0.0


def median_seconds(runs: Sequence[Run]) -> float:
    """Median wall-clock seconds; 0 without runs."""
    return median(run.seconds for run in runs) if runs else 0.0
