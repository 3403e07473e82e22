"""The contract of a home: every store of a collection, and the operations on it as a whole.

A home is where a collection lives: a folder on this machine or a stack in AWS. The entry points
know this contract alone; `homes.py` opens the home that the settings name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping

    from gossamer.core.crawl.politeness import GracePolicy
    from gossamer.ports.admin.frontier_ledger import FrontierLedger
    from gossamer.ports.admin.host_ledger import HostLedger
    from gossamer.ports.admin.job_admin import JobAdmin
    from gossamer.ports.admin.url_ledger import UrlLedger
    from gossamer.ports.collection_settings import CollectionSettingsStore
    from gossamer.ports.content_owners import ContentStore
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.edges import EdgeStore
    from gossamer.ports.host_languages import HostLanguages
    from gossamer.ports.pages import PageArchive
    from gossamer.ports.parser import Parser
    from gossamer.ports.query_log import QueryLog
    from gossamer.ports.queues import Queues
    from gossamer.ports.quotas import QuotaStore
    from gossamer.ports.reputation import ReputationStore
    from gossamer.ports.segments import SegmentStore
    from gossamer.ports.template_health import TemplateHealth

CRAWL = "crawl"  # what the holder of a home's lock is doing


class Purged(msgspec.Struct, kw_only=True):
    """What was deleted with a collection."""

    collection: str
    queues: list[str]  # that were emptied
    items: dict[str, int]  # by table
    objects: int  # files


class Part(msgspec.Struct, frozen=True):
    """How far work came that may need several calls."""

    count: int  # of URLs that it changed
    mark: bytes  # where the next call goes on; empty if all is done


class Home(Protocol):
    """All stores of one collection, its unit of work, its monitors and its administration."""

    @property
    def collection(self) -> str:
        """The name of the collection."""

    @property
    def urls(self) -> UrlLedger:
        """The URLs, each with its state."""

    @property
    def hosts(self) -> HostLedger:
        """The hosts and their slots."""

    @property
    def frontier(self) -> FrontierLedger:
        """URLs whose host is busy."""

    @property
    def pages(self) -> PageArchive:
        """The pages as they were fetched."""

    @property
    def contents(self) -> ContentStore:
        """Which content was seen before."""

    @property
    def documents(self) -> DocumentStore:
        """What was read in the pages."""

    @property
    def edges(self) -> EdgeStore:
        """The links between pages."""

    @property
    def jobs(self) -> JobAdmin:
        """The jobs and their budgets."""

    @property
    def quotas(self) -> QuotaStore:
        """How many URLs of a kind were admitted."""

    @property
    def reputation(self) -> ReputationStore:
        """What hosts have earned."""

    @property
    def queues(self) -> Queues:
        """The streams between the bolts."""

    @property
    def index(self) -> SegmentStore:
        """The files of the index."""

    @property
    def settings(self) -> CollectionSettingsStore:
        """The settings of the collection."""

    @property
    def queries(self) -> QueryLog:
        """What people ask, if the settings let it be logged."""

    @property
    def template_health(self) -> TemplateHealth:
        """What templates find, hour by hour."""

    @property
    def host_languages(self) -> HostLanguages:
        """The languages that pages of a host have."""

    @property
    def parser(self) -> Parser:
        """A parser in this process."""

    @property
    def grace(self) -> GracePolicy:
        """How late a request may start."""

    @property
    def window(self) -> float:
        """How many seconds ahead slots are booked."""

    def commit(self) -> None:
        """Make everything written so far durable, at once."""

    async def committed(self) -> None:
        """Wait until everything written so far is durable; writers may share a commit."""

    def wake_later_than(self, latest: float, now: float) -> None:
        """Let go on what waits for a time later than `latest`, which no clock that is right set."""

    def needs_checkpoint(self) -> bool:
        """Whether so much was written that a checkpoint should not wait for its turn."""

    async def checkpoint(self) -> None:
        """Make everything durable against a power cut, and fold logs into their files."""

    def recover(self) -> None:
        """Take over from a process that was killed: what it held is free again."""

    def close(self) -> None:
        """Make everything durable and release all resources."""

    def lock(self, doing: str) -> None:
        """Become the only writer; raises ConfigurationError that names another one.

        A home that many processes write at once has nothing to lock.
        """

    def holder(self) -> str:
        """What the process that holds the lock is doing; empty if none does."""

    def is_crawling(self) -> bool:
        """Whether the crawl is at work now; in a stack it always is.

        On one machine a job whose process was killed stays `running` in the store for ever.
        """

    def leave_command(self, job: str, command: str) -> None:
        """Leave 'pause', 'resume' or 'stop' for the process that holds the lock."""

    def take_command(self, job: str) -> str:
        """Return and clear the pending command, or ''."""

    def free_waiting(self, job: str, now: float) -> int:
        """Take back the budget units of parked URLs; returns of how many URLs."""

    def close_waiting(self, job: str, reason: str) -> int:
        """Exclude what still waits for a job, with this reason; returns how many URLs."""

    def free_part(self, job: str, now: float, after: bytes, goes_on: Callable[[], bool]) -> Part:
        """The same, from a mark on, for as long as `goes_on` says so."""

    def close_part(
        self, reasons: Mapping[str, str], after: bytes, goes_on: Callable[[], bool]
    ) -> Part:
        """Exclude what waits for some jobs, each with its reason, in the same way."""

    def states(self) -> tuple[Counter[str], Counter[str]]:
        """How many URLs are in each state, and how many have each reason; never less than none."""

    def recount(self) -> None:
        """Count states and reasons again from the URLs themselves."""

    def distrust_counts(self) -> None:
        """Counts may miss what a killed process did: they are checked when nothing moves."""

    def recount_part(
        self, now: float, is_quiet: Callable[[], bool], goes_on: Callable[[], bool]
    ) -> bool:
        """Go on checking the counts, if that is due; False if there is nothing to do.

        `is_quiet`: whether no process is at work on URLs. A check that is never disturbed is exact.
        """

    def sums(self) -> Counter[str]:
        """What was done since the beginning: requests, pages, bytes, `code:200`, in AWS units."""

    def purge(self) -> Purged:
        """Delete the collection for ever. The home can be filled again."""
