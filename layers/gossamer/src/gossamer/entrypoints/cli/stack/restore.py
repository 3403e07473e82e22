"""The command `gossamer --stack NAME restore`: bring a collection back to how it was."""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.batch.restore.collection import Restore, refuse_messages, refuse_running
from gossamer.batch.restore.journal import Restoring
from gossamer.batch.transfer.collection import Step
from gossamer.bolts.manifest import replace_all
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli.command import DONE, iso_time, print_result, progress, settings_of
from gossamer.entrypoints.cli.indexing.reindex import send_all
from gossamer.entrypoints.cli.stack.transfer_journal import FileJournal
from gossamer.entrypoints.cli.stack.transfer_rate import Rate
from gossamer.entrypoints.lambdas.rank import Weighing, rank_cloud
from gossamer.entrypoints.local.report import size
from gossamer.ports.admin.backups import Backup

if TYPE_CHECKING:
    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.admin.stack import StackHome

LOOK_EVERY = 2.0  # seconds, at queues that are being emptied
RANKED = 3  # attempts, while RANK itself is at work
DESCRIPTION = """\
Bring a collection of a stack back to how it was at a time of the last 35 days.

  gossamer --stack gossamer-dev pause                          and wait until `stats` shows no messages
  gossamer --stack gossamer-dev restore --at 2026-11-18T08:00 --dry-run
  gossamer --stack gossamer-dev restore --at 2026-11-18T08:00
  gossamer --stack gossamer-dev resume

AWS makes the tables urls, domains, documents and jobs as they were, under other names; that takes
about half an hour. What differs is copied back, and what is newer is deleted. Pages and documents
that were deleted in the bucket come back if it keeps versions. Everything else is made from these:
what waited is parked, pages whose links are not known are read again, all documents are indexed if
any has changed, and links are ranked. Until then a search finds only a part.

Jobs that had not ended are paused then. Nothing is requested again that was fetched before that
time. A restore that was interrupted goes on: run the same command again. To undo one, restore to
the minute before it began.
"""  # noqa: E501 a command in one line


class Plan(msgspec.Struct, kw_only=True, frozen=True):
    """What a restore would begin with."""

    stack: str
    collection: str
    at: str
    tables: list[Backup]
    versions: bool  # whether the bucket keeps deleted objects
    deleted_objects: int  # that would come back


class Restored(msgspec.Struct, kw_only=True, frozen=True):
    """What was done."""

    stack: str
    collection: str
    at: str
    resumed: bool  # whether it went on with one that was interrupted
    counts: dict[str, int]
    reindexed: int  # documents that were sent to INDEX
    ranked: int  # pages; 0 if that is left to do
    waits: bool  # whether functions still have something to do
    paused: list[str]  # jobs that can be resumed
    seconds: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """To when, and how much of it."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "--at", metavar="TIME", type=_time,
        help="ISO 8601, of UTC unless it names a zone: 2026-11-18T08:00, 2026-11-18T09:00+01:00",
    )  # fmt: skip
    parser.add_argument(
        "--dry-run", action="store_true", help="say what can be restored, and change nothing"
    )
    parser.add_argument(
        "--no-wait", action="store_true",
        help="do not wait for functions to read and index, and do not rank: the next run does",
    )  # fmt: skip


def _time(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no time like 2026-11-18T08:00") from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return float(int(moment.timestamp()))


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Restore, or say what would be done."""
    if args.at is None:
        raise ConfigurationError("say to when: `restore --at 2026-11-18T08:00`, in UTC")
    if args.dry_run:
        plan = _plan(args, stack)
        print_result(args, plan, _plan_text(plan))
        return DONE
    done = _Session(args, stack).run()
    print_result(args, done, to_text(done))
    return DONE


def _plan(args: argparse.Namespace, stack: Stack) -> Plan:
    backups = stack.home.backups
    has_versions = backups.has_versions()
    lots = backups.deleted_objects(args.at) if has_versions else ()
    return Plan(
        stack=stack.deployment.stack,
        collection=stack.home.collection,
        at=iso_time(args.at),
        tables=backups.tables(),
        versions=has_versions,
        deleted_objects=sum(map(len, lots)),
    )


def _plan_text(plan: Plan) -> str:
    lines = [f"{plan.collection!r} of {plan.stack} as it was at {plan.at}; nothing is changed yet:"]
    lines += [
        f"{table.items:>12,}  items of {table.table} ({size(table.size)}), restorable from"
        f" {iso_time(table.earliest)} to {iso_time(table.latest)}"
        for table in plan.tables
    ]
    kept = f"{plan.deleted_objects:>12,}  deleted objects come back"
    lines.append(kept if plan.versions else "the bucket keeps no versions: what is deleted is gone")
    return "\n".join(lines)


class _Session:
    """One run of the command."""

    def __init__(self, args: argparse.Namespace, stack: Stack) -> None:
        self._args, self._stack, self._home = args, stack, stack.home
        self._show = progress(args)
        settings = settings_of(args)
        file = (
            Path(settings.data) / f"{stack.deployment.stack}.{stack.home.collection}.restore.json"
        )
        self._journal = FileJournal(file, Restoring)

    def run(self) -> Restored:
        began = time.perf_counter()
        state, resumed = self._begin()
        home = self._home
        if "waiting" not in state.done and state.part != "waiting":
            refuse_running(home)
            refuse_messages(home)
        tell = Rate(self._show)
        Restore(home, home.backups, self._journal, state, time.time, time.sleep, tell).run()
        self._reindex(state)
        waits, ranked = self._finish(state)
        self._show("")
        return Restored(
            stack=self._stack.deployment.stack,
            collection=home.collection,
            at=iso_time(state.at),
            resumed=resumed,
            counts={name: count for name, count in state.counts.items() if count},
            reindexed=state.counts.get("documents sent", 0),
            ranked=ranked,
            waits=waits,
            paused=home.jobs.unfinished(),
            seconds=round(time.perf_counter() - began, 3),
        )

    def _begin(self) -> tuple[Restoring, bool]:
        """Go on with a restore that was interrupted, or begin one."""
        plan = Restoring(
            stack=self._stack.deployment.stack, collection=self._home.collection, at=self._args.at
        )
        before = self._journal.load()
        if before is None or before.finished:
            return plan, False
        if not before.is_like(plan):
            raise ConfigurationError(
                f"a restore to {iso_time(before.at)} was not finished: finish it with --at"
                f" {iso_time(before.at)}; then restore to another time"
            )
        return before, True

    def _reindex(self, state: Restoring) -> None:
        """Index all documents anew, if any is not as it was: an older one would come too late."""
        if "index" in state.done:
            return
        changed = state.counts.get("documents written", 0) + state.counts.get(
            "documents deleted", 0
        )
        if changed or not _is_whole(self._home):
            manifest = self._home.index.manifest()
            replace_all(homes.index_writer(self._home), [], manifest.analyzer)
            sent = send_all(self._home, lambda n: self._show(f"{n:,} documents sent to INDEX"))
            state.counts["documents sent"] = sent
        state.done.append("index")
        self._journal.save(state)

    def _finish(self, state: Restoring) -> tuple[bool, int]:
        """Wait for the functions, and rank; returns whether that is left to do, or of how many."""
        if self._args.no_wait:
            return True, 0
        self._wait_until_drained()
        ranked = self._rank()
        self._wait_until_drained()
        state.finished = True
        self._journal.save(state)
        return False, ranked

    def _wait_until_drained(self) -> None:
        rate, first, quiet = Rate(self._show), 0, 0
        while quiet < 2:  # counts are approximate: a message may be passing between two queues
            left = sum(self._home.queues.depth().values())
            first = max(first, left)
            quiet = 0 if left else quiet + 1
            rate(Step("messages dealt with", first - left, first))
            time.sleep(LOOK_EVERY)

    def _rank(self) -> int:
        for _ in range(RANKED):
            done = rank_cloud(self._home, Weighing(), time.time, tell=self._show)
            if done is not None:
                return done.nodes
            time.sleep(LOOK_EVERY)
        raise ConfigurationError(
            "RANK is at work in the stack; run the same command again in some minutes"
        )


def _is_whole(home: StackHome) -> bool:
    """Whether the index has all of its files; one without documents is whole, too."""
    manifest = home.index.manifest()
    if not manifest.segments:
        return next(iter(home.documents.all()), None) is None
    return manifest.names() <= set(home.index.names())


def to_text(done: Restored) -> str:
    """The report as text."""
    again = "; it went on with one that was interrupted" if done.resumed else ""
    lines = [
        f"{done.collection!r} of {done.stack} is as it was at {done.at}, in {done.seconds:.1f} s"
        f"{again}"
    ]
    lines += [f"{count:>12,}  {name}" for name, count in done.counts.items()]
    if done.ranked:
        lines.append(f"{done.ranked:>12,}  pages ranked")
    if done.waits:
        lines.append("functions still read and index; run the same command without --no-wait")
    lines += [
        f"job {job!r} waits: `gossamer --stack {done.stack} resume --job {job}`"
        for job in done.paused
    ]
    return "\n".join(lines)
