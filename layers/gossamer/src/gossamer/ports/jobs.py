"""Jobs and their budgets, as the bolts see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from gossamer.core.crawl.job import JobConfig, Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    used: tuple[int, int] = (0, 0)  # pages and documents that URLs hold, counted if limited

    @property
    def config(self) -> JobConfig:
        """What the person asked for."""
        return self.rules.config


class JobStore(Protocol):
    """Jobs and their budgets: a URL holds a unit of each, or none.

    Promises: never are more units out than a budget has, at any concurrency; what is asked for or
    given back twice, because a message came twice, counts once. A job without limits grants all.
    """

    def get(self, job: str) -> JobRecord | None:
        """A job by name."""

    def reserve(self, job: str, ids: Sequence[bytes]) -> set[bytes]:
        """Give known URLs a page and a document unit, in order; returns those that hold theirs."""

    def release(self, job: str, id: bytes, now: float, *, pages: bool = True) -> bool:
        """Take back what a URL holds, unless a request for it is under way at this moment.

        What became a page keeps its units (fetched and parsed): a fetcher that loses its slot
        may not know yet that another slot was faster. False if there was nothing to take back.
        """
