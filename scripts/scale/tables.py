"""DynamoDB on demand: how much of what is asked of a table in a second it can do.

A table grows with its load: it takes twice the highest load of the last half hour, and what a new
table takes at least. Some keys are asked by every function; one partition has to answer for them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.adapters.aws.counting.budgets import BLOCKS
from scripts.scale import limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scripts.scale.findings import Findings

# "kind table" → the share of its units that go to one key, and which.
HOT = {
    "wru jobs": (1.0, "the item of the job, which lends its budget"),
    "rru jobs": (1.0, "the item of the job, which every function reads"),
    "wru blocks": (1 / BLOCKS, "one of the blocks of a job's budget"),
    "rru blocks": (1 / BLOCKS, "one of the blocks of a job's budget"),
    "wru segments": (1.0, "the manifest of the index"),
    "rru segments": (1.0, "the manifest of the index"),
    "rru frontier": (1.0, "the markers of hosts that wait, under one key"),
    "wru frontier": (0.5, "the markers of hosts that wait, under one key"),
    "wru stats": (1 / 16, "one of the sixteen shards of a counter"),
}
ADVICE = {
    "wru jobs": "a job without max_pages, or several jobs",
    "rru jobs": "several jobs, each with its part of the hosts",
    "wru blocks": "a job without max_pages, or several jobs",
    "rru blocks": "a job without max_pages, or several jobs",
    "wru segments": "fewer, larger segments: IndexWindow=300",
    "rru segments": "fewer, larger segments: IndexWindow=300",
    "rru frontier": "wait: DynamoDB splits a hot key by its sort key within minutes",
    "wru frontier": "wait: DynamoDB splits a hot key by its sort key within minutes",
    "wru stats": "more shards (adapters/aws/counters.py)",
}


@dataclass(slots=True)
class Load:
    """What was asked of one table, in units of one kind a second, in the last half hour."""

    floor: float
    quota: float
    past: deque[tuple[float, float]] = field(default_factory=deque)

    def capacity(self, now: float) -> float:
        """What the table takes now."""
        while self.past and self.past[0][0] < now - limits.PEAK_SECONDS:
            self.floor = max(self.floor, limits.PEAK_GROWTH * self.past.popleft()[1])
        recent = max((load for _, load in self.past), default=0.0)
        return min(self.quota, max(self.floor, limits.PEAK_GROWTH * recent))

    def note(self, now: float, load: float) -> None:
        """Remember a load."""
        if not self.past or self.past[-1][1] < load or now - self.past[-1][0] > 300:
            self.past.append((now, load))


@dataclass(slots=True)
class Tables:
    """All tables."""

    jobs: int = 1  # whose items share what is asked of the table `jobs`
    loads: dict[str, Load] = field(default_factory=dict)

    def _load(self, name: str) -> Load:
        if name not in self.loads:
            writes = name.startswith("wru")
            floor = limits.NEW_TABLE_WRITES if writes else limits.NEW_TABLE_READS
            quota = limits.TABLE_WRITES if writes else limits.TABLE_READS
            self.loads[name] = Load(floor, quota)
        return self.loads[name]

    def shares(
        self, wanted: Mapping[str, float], now: float, findings: Findings
    ) -> dict[str, float]:
        """Which part of what is asked in a second each table can do; those that can do all of it
        are left out."""
        found: dict[str, float] = {}
        for name, load in wanted.items():
            if not name.startswith(("wru ", "rru ")):
                continue
            share = min(
                self._of_table(name, load, now, findings), self._of_key(name, load, now, findings)
            )
            self._load(name).note(now, load * share)
            if share < 1.0:
                found[name] = share
        return found

    def _of_table(self, name: str, load: float, now: float, findings: Findings) -> float:
        capacity = self._load(name).capacity(now)
        if load <= capacity:
            return 1.0
        what = f"{name}: {load:,.0f} units/s wanted, the table takes {capacity:,.0f}"
        at_quota = capacity >= self._load(name).quota
        advice = "ask AWS for a higher quota" if at_quota else "begin slowly, or warm the table"
        findings.note(f"table {name}", now, what, advice, is_break=at_quota)
        return capacity / load

    def _of_key(self, name: str, load: float, now: float, findings: Findings) -> float:
        if name not in HOT:
            return 1.0
        share, which = HOT[name]
        hottest = load * share / (self.jobs if name.endswith((" jobs", " blocks")) else 1)
        most = limits.PARTITION_WRITES if name.startswith("wru") else limits.PARTITION_READS
        if hottest <= most:
            return 1.0
        what = f"{name}: {hottest:,.0f} units/s on one key ({which}), a partition takes {most:,.0f}"
        findings.note(f"key {name}", now, what, ADVICE[name])
        return most / hottest
