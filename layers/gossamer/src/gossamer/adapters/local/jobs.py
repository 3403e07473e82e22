"""JobStore over SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.adapters.local.opening import COUNT_UNITS
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.ports.jobs import JobRecord, JobState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.adapters.local.database import Store

PAGE, DOCUMENT, BOTH = 1, 2, 3  # the units that a URL may hold

TABLES = """
CREATE TABLE IF NOT EXISTS jobs (
    job TEXT PRIMARY KEY, config BLOB NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL,
    pages INTEGER NOT NULL, documents INTEGER NOT NULL, seconds REAL NOT NULL,
    started_at REAL NOT NULL
) WITHOUT ROWID;
"""


class _Row(msgspec.Struct):
    rules: Rules  # what follows are the columns of the table, in order
    state: JobState
    reason: str
    pages: int  # units that URLs hold, counted while there is a limit
    documents: int
    seconds: float
    started_at: float

    @property
    def is_limited(self) -> bool:
        """Whether units are counted at all."""
        config = self.rules.config
        return config.max_pages is not None or config.max_documents is not None

    @property
    def has_room(self) -> bool:
        """Whether each budget has a unit left."""
        config = self.rules.config
        return 0 not in (
            _left(config.max_pages, self.pages),
            _left(config.max_documents, self.documents),
        )


class SqliteJobStore:
    """Jobs and their budgets."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: dict[str, _Row] = {}
        self._dirty: set[str] = set()
        self._leases: dict[str, tuple[str, float, int]] = {}  # owner, end and epoch by name
        # In memory: the process that stops a job on this machine ends what waits for it, too.
        self._stopped: set[str] = set()
        self._progress: dict[str, bytes] = {}
        store.before_commit.append(self._flush)
        for job, config, *rest in store.rows(
            "SELECT job, config, state, reason, pages, documents, seconds, started_at FROM jobs"
        ):
            rules = Rules(msgspec.json.decode(config, type=JobConfig))
            self._jobs[job] = _Row(rules, *rest)

    def get(self, job: str) -> JobRecord | None:
        row = self._jobs.get(job)
        if row is None:
            return None
        config = row.rules.config
        return JobRecord(
            job=job,
            rules=row.rules,
            state=row.state,
            reason=row.reason,
            pages_left=_left(config.max_pages, row.pages),
            documents_left=_left(config.max_documents, row.documents),
            seconds=row.seconds,
            started_at=row.started_at,
            used=(row.pages, row.documents),
        )

    def names(self) -> list[str]:
        return sorted(self._jobs, key=lambda job: self._jobs[job].started_at)

    def configure(self, job: str, config: JobConfig, now: float) -> bool:
        before = self._jobs.get(job)
        changed = before is not None and before.rules.config != config
        row = before or _Row(Rules(config), "running", "", 0, 0, 0.0, now)
        was_limited, row.rules = row.is_limited, Rules(config)
        self._jobs[job] = row
        if row.is_limited and not was_limited and before is not None:
            self._count_used(job, row)
        self._touch(job)
        return changed

    def _count_used(self, job: str, row: _Row) -> None:
        """Limits for a job that had none: what it has fetched counts."""
        self._store.write(f"{COUNT_UNITS} WHERE job = ?", (job,))
        query = "SELECT SUM(units & 1), SUM(units & 2) / 2 FROM urls WHERE job = ?"
        pages, documents = self._store.row(query, (job,)) or (0, 0)
        row.pages, row.documents = pages or 0, documents or 0

    def unfinished(self) -> list[str]:
        return [job for job, row in self._jobs.items() if row.state in ("running", "paused")]

    def to_tend(self) -> list[str]:
        running = [job for job, row in self._jobs.items() if row.state == "running"]
        return [*running, *sorted(self._stopped)]

    def asleep(self) -> list[str]:
        return [job for job, row in self._jobs.items() if row.state == "paused"]

    def end_done(self, job: str) -> None:
        self._stopped.discard(job)

    def progress(self, job: str) -> bytes:
        return self._progress.get(job, b"")

    def set_progress(self, job: str, progress: bytes) -> None:
        self._progress[job] = progress

    def begin_round(self, job: str, now: float) -> None:
        row = self._jobs[job]
        row.pages, row.documents, row.seconds, row.started_at = 0, 0, 0.0, now
        self._store.write("UPDATE urls SET units = 0 WHERE job = ?", (job,))
        self._touch(job)

    def entries(self, after: bytes = b"") -> Iterator[tuple[bytes, JobRecord]]:
        for job in sorted(self._jobs):
            record = self.get(job)
            if record is not None and job.encode() > after:
                yield job.encode(), record

    def load(self, entries: Sequence[JobRecord]) -> None:
        for record in entries:
            state = (record.state, record.reason)
            times = (record.seconds, record.started_at)
            self._jobs[record.job] = _Row(record.rules, *state, *record.used, *times)
            self._touch(record.job)

    def reserve(self, job: str, ids: Sequence[bytes]) -> set[bytes]:
        row = self._jobs[job]
        if not row.is_limited:
            return set(ids)
        return {id for id in ids if self._holds(job, row, id)}

    def _holds(self, job: str, row: _Row, id: bytes) -> bool:
        """Whether a URL holds both units, by now or before."""
        before = self._store.row("SELECT units FROM urls WHERE id = ?", (id,))
        if before is None or before[0] == BOTH:
            return before is not None
        if not row.has_room:
            return False
        self._store.write("UPDATE urls SET units = ? WHERE id = ?", (BOTH, id))
        row.pages += not before[0] & PAGE
        row.documents += not before[0] & DOCUMENT
        self._touch(job)
        return True

    def release(self, job: str, id: bytes, now: float, *, pages: bool = True) -> bool:
        row = self._jobs.get(job)
        if row is None or not row.is_limited:
            return False
        given = PAGE * pages + DOCUMENT
        found = self._store.row(
            "SELECT units FROM urls WHERE id = ? AND units & ? > 0"
            " AND state NOT IN ('fetched', 'parsed') AND NOT (state = 'fetching' AND lease >= ?)",
            (id, given, now),
        )
        if found is None:
            return False
        self._store.write("UPDATE urls SET units = ? WHERE id = ?", (found[0] & ~given, id))
        row.pages -= bool(found[0] & given & PAGE)
        row.documents -= bool(found[0] & given & DOCUMENT)
        self._touch(job)
        return True

    def set_state(
        self, job: str, state: JobState, reason: str = "", *, before: JobRecord | None = None
    ) -> bool:
        row = self._jobs[job]
        if before is not None and (row.state, row.reason) != (before.state, before.reason):
            return False
        row.state, row.reason = state, reason
        self._progress.pop(job, None)
        (self._stopped.add if state == "stopped" else self._stopped.discard)(job)
        self._touch(job)
        return True

    def spend_seconds(self, job: str, seconds: float) -> None:
        self._jobs[job].seconds += seconds
        self._touch(job)

    # In memory: one process at a time works in a collection on this machine.
    def lease(self, name: str, owner: str, until: float, now: float) -> int | None:
        holder, ends, epoch = self._leases.get(name, ("", 0.0, 0))
        if holder not in ("", owner) and ends >= now:
            return None
        self._leases[name] = owner, until, epoch + 1
        return epoch + 1

    def end_lease(self, name: str, epoch: int) -> None:
        if self._leases.get(name, ("", 0.0, 0))[2] == epoch:
            self._leases[name] = "", 0.0, epoch

    def _touch(self, job: str) -> None:
        self._dirty.add(job)
        self._store.touch()

    def _flush(self) -> None:
        for job in self._dirty:
            row = self._jobs[job]
            self._store.write(
                "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job) DO UPDATE"
                " SET config = excluded.config, state = excluded.state, reason = excluded.reason,"
                " pages = excluded.pages, documents = excluded.documents,"
                " seconds = excluded.seconds, started_at = excluded.started_at",
                (job, msgspec.json.encode(row.rules.config), *msgspec.structs.astuple(row)[1:]),
            )
        self._dirty.clear()


def _left(limit: int | None, taken: int) -> int | None:
    return None if limit is None else max(0, limit - taken)
