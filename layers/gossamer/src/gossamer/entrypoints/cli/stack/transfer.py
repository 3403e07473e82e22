"""The commands `gossamer push` and `gossamer pull`: copy a collection to a stack, or from one."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.batch.index import unindexed
from gossamer.batch.transfer.collection import (
    Copied,
    Transfer,
    is_empty,
    refuse_running,
    refuse_unread,
    stamp_of,
)
from gossamer.batch.transfer.journal import Progress
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli.command import DONE, print_result, progress, settings_of
from gossamer.entrypoints.cli.stack.purge import purge
from gossamer.entrypoints.cli.stack.transfer_journal import FileJournal
from gossamer.entrypoints.cli.stack.transfer_rate import Rate
from gossamer.entrypoints.local import session
from gossamer.entrypoints.local.report import size

if TYPE_CHECKING:
    import argparse

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.home import Home
    from gossamer.settings import Settings

PUSH = "push"
DESCRIPTION = """\
Copy a collection between this machine and a stack. Answers, exports and crawls are the same there.

  gossamer push --stack gossamer-dev             what is in data/ goes to the stack
  gossamer pull --stack gossamer-dev --data copy what is in the stack comes to copy/
  gossamer push --stack gossamer-dev --what index   only what a search needs

A copy that was interrupted goes on where it was: run the same command again. A collection that is
not empty is left alone unless you say --replace. A job that has not ended arrives paused.
"""


class Transferred(msgspec.Struct, kw_only=True, frozen=True):
    """What was copied."""

    direction: str
    stack: str
    collection: str
    what: str
    resumed: bool  # whether it went on with a copy that was interrupted
    parts: list[Copied]  # of this run
    unindexed: int  # documents that cannot be found yet
    paused: list[str]  # jobs that can be resumed there
    seconds: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is copied, and whether something is in its place."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "--what", choices=("all", "records", "index"), default="all",
        help="all (default); records: all but the fetched pages (WARC), which are most of it;"
        " index: only what a search needs",
    )  # fmt: skip
    parser.add_argument(
        "--replace", action="store_true",
        help="delete the collection that is in its place first; a stack's queues are emptied, too",
    )  # fmt: skip


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Copy, and report what was copied."""
    settings = dataclasses.replace(settings_of(args), home="local")
    pushing = args.command.name == PUSH
    with session.locked(settings, args.command.name, create=not pushing) as home:
        done = _transfer(args, home, stack, settings, pushing=pushing)
    print_result(args, done, to_text(done))
    return DONE


def _transfer(
    args: argparse.Namespace, home: Home, stack: Stack, settings: Settings, *, pushing: bool
) -> Transferred:
    began = time.perf_counter()
    source, target = (home, stack.home) if pushing else (stack.home, home)
    _check(source, args.what, pushing=pushing)
    file = Path(settings.data) / f"{settings.collection}.transfer.json"
    journal = FileJournal(file, Progress)
    plan = _plan(args.what, settings, stack, pushing=pushing)
    plan.stamp = stamp_of(source)
    copying = _begin(journal, plan, target, args)
    resumed = bool(copying.done or copying.part)
    show = progress(args)
    writer = homes.index_writer(target)
    copy = Transfer(source, target, writer, journal, copying, time.time, Rate(show))
    parts = copy.run()
    show("")
    return Transferred(
        direction=args.command.name,
        stack=stack.deployment.stack,
        collection=target.collection,
        what=args.what,
        resumed=resumed,
        parts=parts,
        unindexed=_unindexed(home, args.what),
        paused=target.jobs.unfinished() if args.what != "index" else [],
        seconds=round(time.perf_counter() - began, 3),
    )


def _check(source: Home, what: str, *, pushing: bool) -> None:
    """Refuse what cannot be copied whole."""
    if what == "index":
        return
    if pushing:
        source.recover()  # we hold its lock: what a killed process held is free
    else:
        refuse_running(source)
    refuse_unread(source)


def _plan(what: str, settings: Settings, stack: Stack, *, pushing: bool) -> Progress:
    here = str(settings.database.resolve())
    there = f"{stack.deployment.stack}/{stack.home.collection}"
    source, target = (here, there) if pushing else (there, here)
    return Progress(source=source, target=target, what=what)


def _begin(
    journal: FileJournal[Progress], plan: Progress, target: Home, args: argparse.Namespace
) -> Progress:
    """Go on with a copy that was interrupted, or begin one."""
    before = journal.load()
    if before is not None and not before.finished and before.is_like(plan):
        if before.stamp != plan.stamp:
            before.begin_again(plan.stamp)
        plan = before
    else:
        plan.emptied = is_empty(target)
        if not plan.emptied and not args.replace:
            raise ConfigurationError(_occupied(target, before, plan))
        journal.save(plan)
    if not plan.emptied:
        purge(target)
        plan.emptied = True
        journal.save(plan)
    return plan


def _occupied(target: Home, before: Progress | None, plan: Progress) -> str:
    copied = before is not None and before.is_like(plan)
    return (
        f"collection {target.collection!r} of {plan.target} is not empty:"
        f" {target.index.manifest().live:,} documents can be found there"
        f"{', as they were copied before' if copied else ''}."
        " --replace deletes it and copies anew; --collection chooses another one"
    )


def _unindexed(home: Home, what: str) -> int:
    """Documents that the index lacks; asked here, where it costs nothing. Both sides are equal."""
    return len(unindexed(home, homes.index_writer(home))) if what != "index" else 0


def to_text(done: Transferred) -> str:
    """The report as text."""
    way = "pushed to" if done.direction == PUSH else "pulled from"
    again = "; it went on with a copy that was interrupted" if done.resumed else ""
    lines = [f"{done.collection!r} {way} {done.stack} in {done.seconds:.1f} s{again}"]
    for part in done.parts:
        count = size(part.count) if part.unit else f"{part.count:,}"
        lines.append(f"{count:>12}  {part.part}")
    there = f"gossamer --stack {done.stack}" if done.direction == PUSH else "gossamer"
    if done.unindexed:
        how = "reindex" if done.direction == PUSH else "index"
        lines.append(f"{done.unindexed:,} documents are not indexed: `{there} {how}`")
    for job in done.paused:
        how = "resume" if done.direction == PUSH else "crawl"
        lines.append(f"job {job!r} waits there: `{there} {how} --job {job}`")
    return "\n".join(lines)
