"""The command `gossamer recrawl`: ask again for pages that have probably changed."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.batch.index import vanished
from gossamer.batch.recrawl import Plan, begin, recrawl
from gossamer.core.crawl.job import RecrawlConfig, checked
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli import job_flags
from gossamer.entrypoints.cli.command import DONE, INTERRUPTED, print_result, settings_of
from gossamer.entrypoints.lambdas.recrawl import (
    Recrawled,
    needs_round,
    start,
    summary,
    to_report,
    with_earned,
)
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.index_workers import index_all
from gossamer.entrypoints.local.report import Report, counted
from gossamer.entrypoints.local.report import summary as crawl_summary

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home
    from gossamer.ports.parser import ParserPool


DESCRIPTION = """\
Once a crawl has ended: fetch those of its pages again that have probably changed, judged by what
earlier visits found. A page that has not changed costs one request; one that is missing twice
leaves the index. What is new is indexed at the end.
"""

EXAMPLES = """\
examples:
  gossamer recrawl --dry-run
  gossamer recrawl --budget 5000                 every hour, from cron
  gossamer recrawl --target 0.9 --min-interval 600

A job file says the same in its table [recrawl]; docs/jobs.md explains each.
"""
# flag, key of the job's table [recrawl], help, metavar
FLAGS = (
    ("--target", "target", "how likely a page shall be as we know it (0.7)", "P"),
    ("--min-interval", "min_interval", "leave a page alone for S seconds at least", "S"),
    ("--max-interval", "max_interval", "ask again after S seconds at the latest", "S"),
    ("--budget", "budget", "at most N visits a day", "N"),
)


class Refreshed(msgspec.Struct, kw_only=True):
    """What a recrawl did: what it asked for, how the crawl stands, and what became of the index."""

    recrawl: Recrawled
    crawl: Report
    indexed: int
    removed: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which job, and how fresh its pages shall be."""
    parser.description, parser.epilog = DESCRIPTION, EXAMPLES
    job_flags.add_job(parser)
    for flag, key, text, metavar in FLAGS:
        parser.add_argument(flag, dest=key, type=float, metavar=metavar, help=text)
    parser.add_argument("--dry-run", action="store_true", help="only say what would be asked for")
    parser.add_argument("--workers", type=int, metavar="N", help="parser processes")
    parser.add_argument("--quiet", action="store_true", help="no progress, only the result")


def recrawl_config(args: argparse.Namespace, config: RecrawlConfig) -> RecrawlConfig:
    """How a job is crawled again, changed by flags."""
    given = {key: value for _, key, *_ in FLAGS if (value := getattr(args, key)) is not None}
    return checked({"recrawl": msgspec.to_builtins(config) | given}, "command line").recrawl


def run(args: argparse.Namespace) -> int:
    """Ask again for what has probably changed, and index it."""
    settings = settings_of(args)
    if args.dry_run:
        return _print_plan(args, homes.open_home(settings, read_only=True))
    homes.open_home(settings, read_only=True).close()  # must exist
    with session.opened(settings) as (home, pool):
        done = _recrawl(args, home, pool)
    print_result(args, done, _to_text(done))
    return INTERRUPTED if done.crawl.state == "interrupted" else DONE


def _to_text(done: Refreshed) -> str:
    changes = f"{counted(done.indexed, 'document')} indexed, {done.removed:,} removed"
    return f"{summary(done.recrawl)}\n{crawl_summary(done.crawl)}\n{changes}"


def _print_plan(args: argparse.Namespace, home: Home) -> int:
    record = session.job_of(home, job_flags.job_name(args))
    config = recrawl_config(args, record.config.recrawl)
    plan = to_report(recrawl(home, record.job, time.time(), config), dry=True)
    print_result(args, plan, summary(plan))
    return DONE


def _recrawl(args: argparse.Namespace, home: Home, pool: ParserPool) -> Refreshed:
    job, now = job_flags.job_name(args), time.time()
    session.refuse_neighbours(home, job)
    record = session.job_of(home, job)
    config = recrawl_config(args, record.config.recrawl)
    if record.state in ("running", "paused"):  # it was interrupted: first what still waits
        plan = Plan(job=job)
    else:
        plan = with_earned(home, record, recrawl(home, job, now, config))
        if plan.chosen and needs_round(record):
            home.jobs.begin_round(job, now)
    quiet, again = args.quiet or args.json, begin(plan, home.urls)
    signer = homes.signer(settings_of(args))
    crawled = asyncio.run(
        session.crawl(home, pool, job, record.config, quiet=quiet, signer=signer, again=again)
    )
    removed = len(vanished(home, homes.index_writer(home)))
    indexed = index_all(home, settings_of(args))
    return Refreshed(recrawl=to_report(plan), crawl=crawled, indexed=indexed, removed=removed)


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Let a job of a stack that has ended ask again for what has probably changed."""
    from gossamer.entrypoints.cli.stack.home import job_of
    from gossamer.entrypoints.steering import ENDED

    record, now = job_of(stack.home, args.job), time.time()
    if record.state not in ENDED:
        raise ConfigurationError(f"job {record.job!r} is {record.state}: it has not ended yet")
    config = recrawl_config(args, record.config.recrawl)
    plan = recrawl(stack.home, record.job, now, config)
    if not args.dry_run:
        start(stack.home, record, plan, now)
    done = to_report(plan, dry=args.dry_run)
    print_result(args, done, summary(done))
    return DONE
