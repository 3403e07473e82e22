"""How a crawl goes on in a collection that has been crawled before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.crawl.job import Rules, normalised_seeds
from gossamer.core.crawl.scope import OUT_OF_SCOPE
from gossamer.core.crawl.url_state import PAGE_REASONS, State
from gossamer.core.urls import url_id
from gossamer.entrypoints.local.report import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.crawl.job import JobConfig
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord

BATCH = 1_000  # URLs that are given their units at once
SHOWN = 3  # seeds that are named to a person


def take_up(home: Home, job: str, config: JobConfig, now: float) -> bool:
    """Give a job its configuration; True if it had another one before.

    A limit counts for what this command asks. Other seeds than before begin a new round; if each
    of them was crawled before, in another round, what is there of its sites counts again, so that
    the same command always ends at the same number of pages.
    """
    before = home.jobs.get(job)
    revise = home.jobs.configure(job, config, now)
    if before is not None and has_other_seeds(before.config, config):
        home.jobs.begin_round(job, now)
        if not new_seeds(home, config):
            _count_again(home, job, config, now)
    return revise


def has_other_seeds(before: JobConfig, config: JobConfig) -> bool:
    """Whether a job is given other seeds than it had."""
    return set(normalised_seeds(before)) != set(normalised_seeds(config))


def new_seeds(home: Home, config: JobConfig) -> list[str]:
    """The seeds that were none before: unknown, or only known as links of other pages."""
    found = {seed: home.urls.get(url_id(seed)) for seed in normalised_seeds(config)}
    return [seed for seed, record in found.items() if record is None or record.via]


def _count_again(home: Home, job: str, config: JobConfig, now: float) -> None:
    if config.max_pages is None and config.max_documents is None:
        return
    reject, pages, copies = Rules(config).scope.reject, [], []
    for record in home.urls.all():
        if reject(record.url, 0) != OUT_OF_SCOPE:
            if record.state in (State.FETCHED, State.PARSED, State.UNCHANGED):
                pages.append(record.id)
            elif record.reason in PAGE_REASONS:
                copies.append(record.id)
    for start in range(0, len(pages) + len(copies), BATCH):
        home.jobs.reserve(job, [*pages, *copies][start : start + BATCH])
    for id in copies:
        home.jobs.release(job, id, now, pages=False)


def introduction(home: Home, job: str, config: JobConfig) -> str:
    """What a crawl is about to continue; empty if it is the first in its collection."""
    before = home.jobs.get(job)
    if before is None:
        return ""
    if has_other_seeds(before.config, config):
        return _beside(home, before, config)
    return (
        f"Continuing the crawl of {_named(config.seeds)} ({_stood(before)}):"
        f" {_counts(home)}. Limits count what it has done before."
    )


def _beside(home: Home, before: JobRecord, config: JobConfig) -> str:
    text = (
        f"Crawling {_named(config.seeds)} into a collection that has {_counts(home)}."
        " Limits count for this crawl alone."
    )
    if _stood(before) in ("finished", "stopped"):
        return text
    return (
        f"{text}\nThe crawl of {_named(before.config.seeds)} is not finished; what is left of it"
        " waits until it is crawled again."
    )


def _stood(before: JobRecord) -> str:
    """How the job stood before this process, which holds the lock by now."""
    return before.state if before.state in ("finished", "stopped") else "interrupted"


def _counts(home: Home) -> str:
    waiting, pages = home.states()[0][State.DISCOVERED], home.sums()["pages"]
    return f"{counted(pages, 'page')}, {counted(waiting, 'URL')} waiting"


def _named(seeds: Iterable[str]) -> str:
    first, more = list(seeds)[:SHOWN], len(list(seeds)) - SHOWN
    return ", ".join(first) + (f" and {more:,} more" if more > 0 else "")
