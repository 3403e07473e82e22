"""The weeks that are simulated: how large the web is, how a stack is deployed, what goes wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

from scripts.scale.findings import DAY, HOUR

WEEK = 7 * DAY


@dataclass(frozen=True, slots=True)
class Incidents:
    """What happens in the week besides crawling; None for what does not."""

    deploy_at: float | None = 2.5 * DAY  # messages of the older version are in all queues then
    crash_at: float | None = 4 * DAY  # a version of a function that dies with every batch
    crash_for: float = 6 * HOUR  # a night until it is rolled back by hand
    crash_of: str = "parse"
    redrive_after: float = HOUR  # dead letters are sent again so long after that


@dataclass(frozen=True, slots=True)
class Plan:
    """One week."""

    pages: int
    hosts: int
    parameters: dict[str, object] = field(default_factory=dict)
    delay: float = 1.0  # the default of a job
    limited: bool = True  # a job with max_pages, which counts its budget
    jobs: int = 1  # that share the hosts
    recrawl: float = 0.0  # share of all pages that are visited again each day, once all are known
    incidents: Incidents = field(default_factory=Incidents)
    step: float = 60.0  # of the clock
    until_done: bool = False  # the week ends with the crawl
    eager: bool = False  # batches as full as what waits allows, as in a test without a clock


QUIET = Incidents(deploy_at=None, crash_at=None)
HOSTS = {1_000_000: 5_000, 10_000_000: 50_000, 100_000_000: 300_000, 1_000_000_000: 2_000_000}
SPARK = {"RankSchedule": "DISABLED", "SparkRank": "true"}
# What docs/scale.md advises for each size, chosen by hand after a few runs; others may be better.
ADVISED: dict[int, dict[str, object]] = {
    1_000_000: {},
    10_000_000: {"IndexConcurrency": 4, "IndexWindow": 300, **SPARK},
    100_000_000: {
        **{"FetchConcurrency": 80, "ParseConcurrency": 60, "LinksConcurrency": 40},
        **{"ScheduleConcurrency": 40, "IndexConcurrency": 20, "MergeConcurrency": 20},
        **{"IndexWindow": 300, **SPARK},
    },
    1_000_000_000: {
        **{"FetchConcurrency": 400, "ParseConcurrency": 250, "LinksConcurrency": 120},
        **{"ScheduleConcurrency": 100, "IndexConcurrency": 80, "MergeConcurrency": 40},
        **{"IndexWindow": 300, **SPARK},
    },
}


def by_default(pages: int) -> Plan:
    """A stack as it is deployed without a thought."""
    return Plan(pages, hosts_of(pages))


def advised(pages: int) -> Plan:
    """The same with the parameters that this size needs, and without a limit of pages."""
    size = max(size for size in ADVISED if size <= max(pages, min(ADVISED)))
    jobs = 10 if size >= 1_000_000_000 else 1
    return Plan(pages, hosts_of(pages), ADVISED[size], limited=False, jobs=jobs)


def hosts_of(pages: int) -> int:
    """How many hosts so many pages are on: an assumption."""
    return HOSTS.get(pages, max(1, pages // 200))
