"""Bring the records of a collection back to how they were, step by step.

Every step can be done again, and the journal is written behind what was done: a restore that was
killed goes on with the lot of items that was under way. Nothing may crawl meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gossamer.batch.restore.waiting import make_again
from gossamer.batch.transfer.collection import Step, lots, resting
from gossamer.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.batch.restore.journal import Journal, Restoring
    from gossamer.ports.admin.backups import Backups, Lot
    from gossamer.ports.home import Home

PAUSE = 5.0  # seconds between two looks at tables that AWS is making
LEASE = 900.0  # seconds for which RANK and RECRAWL keep away; renewed with every lot
KEPT_AWAY = ("rank", "recrawl")
AT_ONCE = 5_000  # URLs in memory


@dataclass(frozen=True, slots=True)
class Restore:
    """A restore of one collection."""

    home: Home
    backups: Backups
    journal: Journal
    progress: Restoring
    clock: Callable[[], float]
    wait: Callable[[float], None]
    tell: Callable[[Step], None] = lambda _: None

    def run(self) -> None:
        """Do the steps that are not done."""
        for name, step in self._steps():
            if name not in self.progress.done:
                refuse_running(self.home)
                self._keep_others_away()
                step()
                self.progress.done.append(name)
                self._save("", b"", 0)
        self._let_others_in()

    def _steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        yield "tables", self._make_tables
        yield "objects", self._undelete
        for table, total in self.backups.sizes(self.progress.at).items():
            yield table, partial(self._put_back, table, total)
            yield f"{table}, newer", partial(self._drop, table, total)
        yield "jobs at rest", self._rest_jobs
        yield "frontier", self._empty_frontier
        yield "waiting", self._make_again
        yield "counts", self.home.recount
        yield "end", partial(self.backups.end, self.progress.at)

    def _make_tables(self) -> None:
        tables = self.backups.begin(self.progress.at)
        while unready := self.backups.unready(self.progress.at):
            done = len(tables) - len(unready)
            self.tell(Step("tables made by AWS, which takes about half an hour", done, len(tables)))
            self._keep_others_away()
            self.wait(PAUSE)

    def _undelete(self) -> None:
        if not self.backups.has_versions():
            return
        for lot in self.backups.deleted_objects(self.progress.at):
            self.backups.undelete(lot)
            self.progress.add("objects undeleted", len(lot))
            self.tell(Step("objects undeleted", self.progress.counts["objects undeleted"]))

    def _put_back(self, table: str, total: int) -> None:
        mark = self._mark(table)
        self._lots(table, total, self.backups.put_back(table, self.progress.at, mark))

    def _drop(self, table: str, total: int) -> None:
        part = f"{table}, newer"
        mark = self._mark(part)
        self._lots(part, total, self.backups.drop_newer(table, self.progress.at, mark))

    def _mark(self, part: str) -> bytes:
        return self.progress.mark if self.progress.part == part else b""

    def _lots(self, part: str, total: int, found: Iterator[Lot]) -> None:
        before = done = self.progress.read if self.progress.part == part else 0
        table = part.partition(",")[0]
        for lot in found:
            done += lot.read
            self.progress.add(f"{table} written", lot.written)
            self.progress.add(f"{table} deleted", lot.deleted)
            self._save(part, lot.mark, done)
            self.tell(Step(part, done, max(total, done) if total else 0, before=before))
            self._keep_others_away()

    def _rest_jobs(self) -> None:
        """What happened between then and now is no time in which a job was running."""
        records = [resting(record, self.clock()) for _, record in self.home.jobs.entries()]
        self.home.jobs.load(records)

    def _empty_frontier(self) -> None:
        for host, pack in self.home.frontier.all():
            self.home.frontier.forget(host, pack.key)

    def _make_again(self) -> None:
        linked = {bytes(page) for page, _ in self.home.edges.packed()}
        states, _ = self.home.states()
        done = 0
        for lot in lots(self.home.urls.entries(self._mark("waiting")), AT_ONCE):
            entries = [entry for _, entry in lot]
            made = make_again(self.home, entries, self.progress.at, linked, self.clock())
            self.progress.add("URLs parked", made.parked)
            self.progress.add("messages sent", made.sent)
            done += len(lot)
            self._save("waiting", lot[-1][0], done)
            self.tell(Step("waiting URLs", done, max(sum(states.values()), done)))
            self._keep_others_away()

    def _keep_others_away(self) -> None:
        now = self.clock()
        for name in KEPT_AWAY:
            if self.home.jobs.lease(name, self._owner, now + LEASE, now) is None:
                raise ConfigurationError(
                    f"{name.upper()} is at work in the stack; try again in some minutes"
                )

    def _let_others_in(self) -> None:
        now = self.clock()
        for name in KEPT_AWAY:
            epoch = self.home.jobs.lease(name, self._owner, now + LEASE, now)
            if epoch is not None:
                self.home.jobs.end_lease(name, epoch)

    @property
    def _owner(self) -> str:
        """The same for every run: one that goes on takes over the leases of one that was killed."""
        return f"restore {self.progress.at}"

    def _save(self, part: str, mark: bytes, read: int) -> None:
        self.progress.part, self.progress.mark, self.progress.read = part, mark, read
        self.journal.save(self.progress)


def refuse_running(home: Home) -> None:
    """Raise ConfigurationError if a job is running."""
    for name in home.jobs.unfinished():
        record = home.jobs.get(name)
        if record is not None and record.state == "running":
            raise ConfigurationError(
                f"job {name!r} is running: pause it, wait until `stats` shows no messages, and try"
                " again"
            )


def refuse_messages(home: Home) -> None:
    """Raise ConfigurationError if functions have something to do: they would write newer items."""
    waiting = {stream: count for stream, count in home.queues.depth().items() if count}
    if waiting:
        told = ", ".join(f"{count:,} in {stream}" for stream, count in waiting.items())
        raise ConfigurationError(
            f"messages are not dealt with ({told}): wait until `stats` shows none, a quarter of an"
            " hour at most after a pause, and try again"
        )
