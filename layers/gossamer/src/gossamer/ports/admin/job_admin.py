"""Jobs for those who create, steer and finish them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gossamer.ports.jobs import JobRecord, JobStore
from gossamer.ports.portable import Portable

if TYPE_CHECKING:
    from gossamer.core.crawl.job import JobConfig
    from gossamer.ports.jobs import JobState


class JobAdmin(JobStore, Portable[JobRecord], Protocol):
    """A job store that can also be changed, and leases for work that only one process may do."""

    def names(self) -> list[str]:
        """All jobs, the latest last."""

    def unfinished(self) -> list[str]:
        """Jobs that have begun and not ended."""

    def to_tend(self) -> list[str]:
        """Jobs that need housekeeping, found without reading the others.

        Those that run, and those that were stopped and whose end is not done (see `end_done`).
        """

    def asleep(self) -> list[str]:
        """Jobs that are paused."""

    def end_done(self, job: str) -> None:
        """Nothing is left to do for a stopped job: it needs no housekeeping any more."""

    def progress(self, job: str) -> bytes:
        """How far housekeeping of a job came that takes several calls; empty if there is none."""

    def set_progress(self, job: str, progress: bytes) -> None:
        """Keep how far it came; it is gone when the job changes its state."""

    def configure(self, job: str, config: JobConfig, now: float) -> bool:
        """Create a job or give it a new configuration; True if it had another one before.

        What the job has done stays done.
        """

    def begin_round(self, job: str, now: float) -> None:
        """Give a job its whole budgets once more, its time included."""

    def set_state(
        self, job: str, state: JobState, reason: str = "", *, before: JobRecord | None = None
    ) -> bool:
        """Record how a job stands; with `before`, only if its state and reason are still those.

        False if another process changed them first.
        """

    def spend_seconds(self, job: str, seconds: float) -> None:
        """Add to the time that a job has been running."""

    def lease(self, name: str, owner: str, until: float, now: float) -> int | None:
        """Take a lease; its epoch, which grows with each, or None while another owner has it."""

    def end_lease(self, name: str, epoch: int) -> None:
        """Give a lease back, unless it was lost to a later epoch."""
