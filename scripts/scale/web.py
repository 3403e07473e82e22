"""A web of so many pages: hosts in classes of about one size, each with its own pace.

Pages are not simulated one by one. Hosts of one class are alike: a class knows how many pages its
hosts have, how many of them are known, wait, and were fetched.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from gossamer.core.crawl.politeness import CLOUD_GRACE

CLASSES = 24
SKEW = 0.9  # the host of rank r has pages in proportion to r to the power of -SKEW
LARGEST = 200_000.0  # pages of one host: quotas of hosts keep them smaller than the web's largest
BRANCHING = 4.0  # URLs that a page shows for the first time, while there are any


@dataclass(slots=True)
class HostClass:
    """Hosts of one size. Counts are of all of them together."""

    hosts: float
    pages: float
    known: float = 0.0
    found: float = 0.0  # known, and on their way to SCHEDULE
    waiting: float = 0.0  # with SCHEDULE, or parked
    fetched: float = 0.0
    shown: float = 0.0  # fetched, and their links not looked at yet

    def allowed(self, seconds: float, spacing: float) -> float:
        """How many requests politeness allows, of what waits."""
        if not spacing:
            return self.waiting
        return min(self.waiting, min(self.hosts, self.waiting) * seconds / spacing)

    def discover(self, pages: float) -> float:
        """The links of some pages are looked at; returns how many URLs are new."""
        self.shown -= pages
        fresh = min(self.pages - self.known, pages * BRANCHING)
        self.known += fresh
        self.found += fresh
        return fresh


def spacing(delay: float) -> float:
    """Seconds between two slots of a host, by the code that books them."""
    return CLOUD_GRACE.pace(delay).spacing


def classes(pages: float, hosts: int, count: int = CLASSES) -> list[HostClass]:
    """A web of so many pages on so many hosts, large ones first."""
    edges = sorted({round(hosts ** (n / count)) for n in range(count + 1)} | {0, hosts})
    ranges = list(pairwise(edges))
    weights = [(high - low) * ((low + high + 1) / 2) ** -SKEW for low, high in ranges]
    made = [HostClass(float(high - low), 0.0) for low, high in ranges]
    left, rest = pages, sum(weights)
    for each, weight in zip(made, weights, strict=True):
        each.pages = max(each.hosts, min(left * weight / rest, LARGEST * each.hosts))
        left, rest = left - each.pages, rest - weight
    return made
