"""By how much can a job exceed its money? Many processes on a virtual clock, each with its guard.

A page costs its fetch now and its parsing and indexing later, which is kept back. The bound: what
all processes fetch between two looks.
"""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.core.cost.following import MOST
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.entrypoints.lambdas.money import LOOK_EVERY, Guard
from gossamer.ports.jobs import JobRecord

if TYPE_CHECKING:
    from gossamer.ports.jobs import JobState

BATCH = 10  # pages of an invocation
FETCHING, LATER = 20e-6, 40e-6  # US dollars a page, now and when it is parsed and indexed
LATEST = 60.0  # seconds until a fetched page is indexed


class Purse:
    """The job and its counter, as all processes see them."""

    def __init__(self, limit: float) -> None:
        self.usd = self.coming = 0.0
        self.record = JobRecord(job="web", rules=Rules(JobConfig(max_usd=limit)))
        self.jobs = SimpleNamespace(get=lambda _: self.record, set_state=self.set_state)

    def spent(self, job: str, now: float) -> float:
        return self.usd

    def to_come(self, job: str, now: float) -> float:
        return self.coming

    def set_state(self, job: str, state: JobState, reason: str = "", **_: Any) -> bool:
        self.record = JobRecord(job=job, rules=self.record.rules, state=state, reason=reason)
        return True


def crawl(processes: int, seconds: float, limit: float, seed: int) -> tuple[float, float]:
    """What was spent in the end, and how much of it was still to come at the pause."""
    random, purse = Random(seed), Purse(limit)
    guards = [Guard(purse) for _ in range(processes)]  # type: ignore[arg-type]
    free_at = [random.uniform(0, seconds) for _ in range(processes)]
    later: list[float] = []  # when fetched pages will have cost the rest
    while purse.record.state == "running":
        number = min(range(processes), key=free_at.__getitem__)
        now = free_at[number]
        due = [at for at in later if at <= now]
        later = [at for at in later if at > now]
        purse.usd += LATER * len(due) + FETCHING * BATCH
        later += [now + random.uniform(1.0, LATEST) for _ in range(BATCH)]
        purse.coming = LATER * len(later)
        guards[number].after("fetch", ["web"], now)
        free_at[number] = now + random.uniform(0.5, 1.5) * seconds
    return purse.usd + LATER * len(later), LATER * len(later)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("processes", "seconds", "limit"), [(1, 2.0, 0.01), (20, 1.0, 0.1), (50, 1.0, 0.05)]
)
def test_a_job_exceeds_its_money_by_what_is_fetched_between_two_looks(
    processes, seconds, limit, seed
):
    usd, to_come = crawl(processes, seconds, limit, seed)

    # Each process looks again at its first end after LOOK_EVERY: the first of many is soon.
    between_looks = processes * BATCH * (FETCHING + LATER) * (LOOK_EVERY / (0.5 * seconds) + 1)
    too_much = max(0.0, to_come - MOST * limit)  # what is kept back is at most half of the money
    assert limit <= usd <= limit + between_looks + too_much
