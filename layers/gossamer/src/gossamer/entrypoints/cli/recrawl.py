"""The command `gossamer recrawl` on this machine: plan, ask again, index what is new."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.batch.recrawl import Plan, begin
from gossamer.core.errors import ConfigurationError
from gossamer.core.index.impacts import WEIGHTS
from gossamer.entrypoints.cli import arguments
from gossamer.entrypoints.cli.command import DONE, print_result, settings_of
from gossamer.entrypoints.cli.index import index_pending
from gossamer.entrypoints.lambdas.recrawl import (
    Recrawled,
    needs_round,
    plan_of,
    summary,
    to_report,
    with_earned,
)
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.report import Report
from gossamer.entrypoints.local.report import summary as crawl_summary

if TYPE_CHECKING:
    import argparse

    from gossamer.adapters.local.home import LocalHome
    from gossamer.adapters.local.parser_pool import ParserPool
    from gossamer.ports.jobs import JobRecord


class Refreshed(msgspec.Struct, kw_only=True):
    """What a recrawl did: what it asked for, how the crawl stands, and what became of the index."""

    recrawl: Recrawled
    crawl: Report
    indexed: int
    removed: int


def recrawl_pages(args: argparse.Namespace) -> int:
    """Ask again for what has probably changed, and index it."""
    settings = settings_of(args)
    if args.dry_run:
        return _foretell(args, homes.open_local(settings, read_only=True))
    homes.open_local(settings, read_only=True).store.close()  # must exist
    with session.opened(settings) as (home, pool):
        done = _recrawl(args, home, pool)
    print_result(args, done, _tell(done))
    return DONE


def _tell(done: Refreshed) -> str:
    changes = f"{done.indexed:,} documents indexed, {done.removed:,} removed"
    return f"{summary(done.recrawl)}\n{crawl_summary(done.crawl)}\n{changes}"


def _foretell(args: argparse.Namespace, home: LocalHome) -> int:
    record = _job(home, args.job)
    config = arguments.recrawl_config(args, record.config.recrawl)
    plan = to_report(plan_of(home, record, time.time(), config), dry=True)
    print_result(args, plan, summary(plan))
    return DONE


def _job(home: LocalHome, job: str) -> JobRecord:
    record = home.jobs.get(job)
    if record is None:
        raise ConfigurationError(session.no_such_job(home, job))
    return record


def _recrawl(args: argparse.Namespace, home: LocalHome, pool: ParserPool) -> Refreshed:
    session.refuse_neighbours(home, args.job)
    record, now = _job(home, args.job), time.time()
    config = arguments.recrawl_config(args, record.config.recrawl)
    if record.state in ("running", "paused"):  # it was interrupted: first what still waits
        plan = Plan(job=args.job)
    else:
        plan = with_earned(home, record, plan_of(home, record, now, config))
        if plan.chosen and needs_round(record):
            home.jobs.begin_round(args.job, now)
    quiet, again = args.quiet or args.json, begin(plan, home.urls)
    crawled = asyncio.run(
        session.crawl(home, pool, args.job, record.config, quiet=quiet, again=again)
    )
    removed = len(home.index.vanished())
    indexed = index_pending(home, homes.analyzer_of(home.index), WEIGHTS)
    return Refreshed(recrawl=to_report(plan), crawl=crawled, indexed=indexed, removed=removed)
