"""Which jobs are there, how far may each still go, and is it running?"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from gossamer.core.job import JobConfig, Rules

JobState = Literal["running", "paused", "stopped", "finished"]


class JobRecord(msgspec.Struct, kw_only=True, frozen=True):
    """A job, its configuration and what is left of its budgets (None = no limit)."""

    job: str
    rules: Rules
    state: JobState = "running"
    reason: str = ""  # why it is in that state
    pages_left: int | None = None
    documents_left: int | None = None
    seconds: float = 0.0  # how long it has been running, over all its runs
    started_at: float = 0.0

    @property
    def config(self) -> JobConfig:
        """What the person asked for."""
        return self.rules.config


class JobStore(Protocol):
    """Jobs and their budgets. Budgets never go below zero, whoever takes from them at once."""

    def get(self, job: str) -> JobRecord | None:
        """A job by name."""
        ...

    def reserve(self, job: str, wanted: int) -> int:
        """Take up to `wanted` page (and document) units from the budgets."""
        ...

    def refund(self, job: str, pages: int, documents: int) -> None:
        """Give back units that brought no page, or no document."""
        ...
