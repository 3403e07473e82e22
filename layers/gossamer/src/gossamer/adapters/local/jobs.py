"""JobStore over SQLite. Another process may leave a wish (pause, resume, stop) in the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec

from gossamer.core.job import JobConfig, Rules
from gossamer.ports.jobs import JobRecord, JobState

if TYPE_CHECKING:
    from gossamer.adapters.local.store import Store


class _Row(msgspec.Struct):
    rules: Rules
    state: JobState
    reason: str
    pages: int  # units taken from the budgets, whether or not there is a limit
    documents: int
    seconds: float
    started_at: float


class SqliteJobStore:
    """Jobs and their budgets."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: dict[str, _Row] = {}
        self._dirty: set[str] = set()
        store.before_commit.append(self._flush)
        for job, config, *rest in store.rows(
            "SELECT job, config, state, reason, pages, documents, seconds, started_at FROM jobs"
        ):
            rules = Rules(msgspec.json.decode(config, type=JobConfig))
            self._jobs[job] = _Row(rules, *rest)

    def get(self, job: str) -> JobRecord | None:
        """A job by name."""
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
        )

    def names(self) -> list[str]:
        """All jobs, the latest last."""
        return sorted(self._jobs, key=lambda job: self._jobs[job].started_at)

    def configure(self, job: str, config: JobConfig, now: float) -> bool:
        """Create a job or give it a new configuration; True if it had another one before.

        What the job has done stays done.
        """
        before = self._jobs.get(job)
        changed = before is not None and before.rules.config != config
        row = before or _Row(Rules(config), "running", "", 0, 0, 0.0, now)
        row.rules = Rules(config)
        self._jobs[job] = row
        self._touch(job)
        return changed

    def unfinished(self) -> list[str]:
        """Jobs that have begun and not ended."""
        return [job for job, row in self._jobs.items() if row.state in ("running", "paused")]

    def begin_round(self, job: str) -> None:
        """Give a job its whole budgets once more."""
        row = self._jobs[job]
        row.pages, row.documents, row.seconds = 0, 0, 0.0
        self._touch(job)

    def reserve(self, job: str, wanted: int) -> int:
        """Take up to `wanted` units from the budgets."""
        row, record = self._jobs[job], self.get(job)
        limits = [record.pages_left, record.documents_left] if record else []
        granted = min([wanted, *(left for left in limits if left is not None)])
        self._take(job, row, granted, granted)
        return granted

    def refund(self, job: str, pages: int, documents: int) -> None:
        """Give units back."""
        if job in self._jobs:
            self._take(job, self._jobs[job], -pages, -documents)

    def _take(self, job: str, row: _Row, pages: int, documents: int) -> None:
        row.pages += pages
        row.documents += documents
        self._touch(job)

    def set_state(self, job: str, state: JobState, reason: str = "") -> None:
        """Say how a job stands."""
        row = self._jobs[job]
        row.state, row.reason = state, reason
        self._touch(job)

    def spend_seconds(self, job: str, seconds: float) -> None:
        """Add to the time that a job has been running."""
        self._jobs[job].seconds += seconds
        self._touch(job)

    def wish(self, job: str, wish: str) -> None:
        """Leave word for the process that runs the job."""
        self._store.write("UPDATE jobs SET wish = ? WHERE job = ?", (wish, job))
        self._store.commit()

    def read_wish(self, job: str) -> str:
        """What somebody wishes of the job; read once."""
        row = self._store.row("SELECT wish FROM jobs WHERE job = ?", (job,))
        wish = cast("str", row[0]) if row else ""
        if wish:
            self._store.write("UPDATE jobs SET wish = '' WHERE job = ?", (job,))
        return wish

    def _touch(self, job: str) -> None:
        self._dirty.add(job)
        self._store.touch()

    def _flush(self) -> None:
        for job in self._dirty:
            row = self._jobs[job]
            self._store.write(
                "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, '') ON CONFLICT (job) DO UPDATE"
                " SET config = excluded.config, state = excluded.state, reason = excluded.reason,"
                " pages = excluded.pages, documents = excluded.documents,"
                " seconds = excluded.seconds, started_at = excluded.started_at",
                (
                    job,
                    msgspec.json.encode(row.rules.config),
                    row.state,
                    row.reason,
                    row.pages,
                    row.documents,
                    row.seconds,
                    row.started_at,
                ),
            )
        self._dirty.clear()


def _left(limit: int | None, taken: int) -> int | None:
    return None if limit is None else max(0, limit - taken)
