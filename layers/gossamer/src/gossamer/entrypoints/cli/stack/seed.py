"""Seed a stack: send URLs to one of its jobs, which begins, changes or goes on with them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.crawl.job import JobConfig, seed_url
from gossamer.core.crawl.url_state import explain
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli import job_flags
from gossamer.entrypoints.seeding import Refusal, reopen, seed, with_contact
from gossamer.entrypoints.steering import ENDED

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home
    from gossamer.ports.jobs import JobRecord

    MoreUrls = Callable[[JobConfig], Iterable[str]]

SHOWN = 20  # refused URLs in the text; --json has them all


class Seeded(msgspec.Struct, kw_only=True):
    """What happened to the URLs, and the state of the job."""

    stack: str
    job: str
    state: str
    new: list[str]
    known: list[str]
    refused: list[Refusal]
    reason: str = ""  # why the job is in that state
    expectation: str = ""  # what it will cost, if it has a limit
    reopened: int = 0  # excluded by the old limits, waiting again under the new ones


def seed_stack(
    stack: Stack, args: argparse.Namespace, urls: Iterable[str], more: MoreUrls = lambda _: ()
) -> Seeded:
    """Send URLs, and what `more` reads with the job's identity, to the job of the arguments."""
    home, job = stack.home, job_flags.job_name(args)
    before = home.jobs.get(job)
    config = _changed_config(args, before, stack.deployment.contact)
    base = config or (before.config if before else JobConfig())
    given = [seed_url(url, allow_private=base.allow_private) for url in urls]
    given += more(base)  # after the seeds were checked: it reads many
    if not given and not (config and (config.seeds or before)):
        raise ConfigurationError("nothing to crawl: give a URL, or seeds in a --config file")
    report = seed(job, given, config, home=home, now=time.time())
    reopened = _reopen(home, before)
    record = home.jobs.get(job)
    return Seeded(
        stack=stack.deployment.stack,
        job=job,
        state=record.state if record else "unknown",
        new=report.new,
        known=report.known,
        refused=report.refused,
        reason=record.reason if record else "",
        expectation=report.expectation,
        reopened=reopened,
    )


def _changed_config(
    args: argparse.Namespace, before: JobRecord | None, contact: str
) -> JobConfig | None:
    """The job's configuration after the flags; None if they change nothing."""
    if before is not None and not job_flags.describes_job(args):
        return None
    return with_contact(job_flags.described(args, before.config if before else None), contact)


def _reopen(home: Home, before: JobRecord | None) -> int:
    """Restart an ended job; requeue URLs that the new rules admit."""
    record = home.jobs.get(before.job) if before else None
    if before is None or record is None:
        return 0
    if before.state not in ENDED and record.config == before.config:
        return 0
    if record.state in ENDED:  # first: SCHEDULE drops messages of ended jobs
        home.jobs.set_state(record.job, "running")
    return reopen(home, record, time.time())


def to_text(done: Seeded) -> str:
    """The report as text."""
    lines = [
        f"{len(done.new):,} new, {len(done.known):,} already known, {len(done.refused):,} refused;"
        f" job {done.job!r} of {done.stack} is {done.state}"
    ]
    if done.state == "paused" and done.reason:
        lines.append(explain(done.reason))
    if done.expectation:
        lines.append(done.expectation)
    if done.reopened:
        lines.append(f"{done.reopened:,} URLs that were excluded before wait again")
    lines += [f"  refused: {one.url}: {one.reason}" for one in done.refused[:SHOWN]]
    if len(done.refused) > SHOWN:
        lines.append(f"  and {len(done.refused) - SHOWN:,} more, all with --json")
    return "\n".join(lines)
