"""Give a job more URLs to crawl, in any home.

The hosts of the seeds join the scope of the job, each seed is judged, and those that are new go to
LINKS as if a page had named them. The report says what was new, known, or refused and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.bolts.links import judge_again, verdict
from gossamer.bolts.packs import packs
from gossamer.bolts.quotas import Quota
from gossamer.core.cost.limits import MAX_USD
from gossamer.core.cost.prediction import expectation, page_cost
from gossamer.core.crawl.job import JobConfig, Rules, admitting, normalised_seeds, seed_url
from gossamer.core.crawl.url_state import explain
from gossamer.core.errors import ConfigurationError
from gossamer.core.urls import url_id
from gossamer.messages import MAX_LINKS_PER_MESSAGE, Emission, Link, LinksFound, portions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.ports.admin.job_admin import JobAdmin
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord


class Refusal(msgspec.Struct, frozen=True):
    """A seed that is not crawled, and why."""

    url: str
    reason: str


class SeedReport(msgspec.Struct):
    """What became of some seeds."""

    job: str
    new: list[str] = []
    known: list[str] = []
    refused: list[Refusal] = []
    expectation: str = ""  # what the job will cost, if it has a limit; of a stack


def seed(
    job: str,
    seeds: Iterable[str],
    config: JobConfig | None,
    *,
    home: Home,
    now: float,
    contact: str = "",
) -> SeedReport:
    """Send seeds to LINKS; without a configuration the job keeps its own.

    `contact` is for a configuration that names none.
    """
    report, before = SeedReport(job), home.jobs.get(job)
    base = config or (before.config if before else JobConfig())
    typed = [*seeds, *(normalised_seeds(config) if config else [])]
    wanted = _read(typed, report, allow_private=base.allow_private)
    rules = Rules(_configure(job, wanted, config, home.jobs, now, contact))
    known = home.urls.addresses([url_id(url) for url in wanted])
    for url in wanted:
        reason = verdict(url, 0, rules, now, is_seed=True)
        if reason:
            report.refused.append(Refusal(url, explain(reason)))
        elif url_id(url) in known:
            report.known.append(url)
        else:
            report.new.append(url)
    home.queues.send(_messages(job, report.new), now)
    report.expectation = expectation(rules.config, page_cost(home.sums()))
    return report


def with_contact(config: JobConfig, contact: str) -> JobConfig:
    """The configuration with a contact, if it names none itself."""
    return config if config.contact else msgspec.structs.replace(config, contact=contact)


def _read(seeds: Iterable[str], report: SeedReport, *, allow_private: bool) -> list[str]:
    found: dict[str, None] = {}
    for text in seeds:
        try:
            found[seed_url(text, allow_private=allow_private)] = None
        except ConfigurationError:
            report.refused.append(Refusal(text, "it is not a web address"))
    return list(found)


def _configure(
    job: str, seeds: list[str], config: JobConfig | None, jobs: JobAdmin, now: float, contact: str
) -> JobConfig:
    """Begin the job or widen its scope to the seeds, and restart it if it has ended."""
    before = jobs.get(job)
    base = config or (before.config if before else JobConfig())
    wider = admitting(with_contact(base, contact), seeds)
    if before is None or wider != before.config:
        jobs.configure(job, wider, now)
    if before is not None and _goes_on(before, wider, seeds):
        jobs.set_state(job, "running")
    return wider


def _goes_on(before: JobRecord, config: JobConfig, seeds: list[str]) -> bool:
    """Whether a job has more to do than before, or more money to do it."""
    if before.state == "paused":
        return before.reason == MAX_USD and config.max_usd != before.config.max_usd
    return before.state in ("finished", "stopped") and bool(seeds)


def _messages(job: str, seeds: list[str]) -> list[Emission]:
    links = [Link(url) for url in seeds]
    return [
        Emission("links", LinksFound(job=job, source="", depth=0, via="seed", links=part))
        for part in portions(links, MAX_LINKS_PER_MESSAGE)
    ]


def reopen(home: Home, record: JobRecord, now: float) -> int:
    """Judge anew what rules and limits had excluded, and send on what may wait again."""
    quota = Quota(record.rules, home.quotas, home.reputation)
    reopened = home.urls.revise(record.job, lambda url: judge_again(url, record.rules, quota, now))
    home.queues.send(packs(record.job, reopened), now)
    return len(reopened)
