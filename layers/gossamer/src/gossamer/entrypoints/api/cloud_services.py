"""How the API answers from a stack, and steers its jobs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.entrypoints.api.admin import Gate, JobView
from gossamer.entrypoints.api.linked_from import with_links
from gossamer.entrypoints.seeding import SeedReport, seed
from gossamer.entrypoints.statistics import collection_stats

if TYPE_CHECKING:
    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.search.result import CollectionStats, DocumentView, SearchResponse
    from gossamer.ports.jobs import JobRecord, JobState
    from gossamer.ports.stack import StackHome
    from gossamer.search.searcher import Searcher

KEY_KEPT = 300.0  # seconds until a changed key is noticed
STEERED: dict[str, JobState] = {"pause": "paused", "resume": "running", "stop": "stopped"}


class CloudSearch:
    """SearchService over a stack. Lambda gives a process one request at a time: no lock."""

    def __init__(self, home: StackHome) -> None:
        self._home = home
        self._opened: Searcher | None = None

    @property
    def _searcher(self) -> Searcher:
        """Opened at the first query, so that a stack without an index can say so itself."""
        if self._opened is None:
            self._opened = homes.searcher(self._home)
        return self._opened

    def search(
        self,
        query: str,
        *,
        page: int = 1,
        limit: int = 10,
        explain: bool = False,
        profile: str = "",
        similar: str = "one",
    ) -> SearchResponse:
        """A page of results."""
        return self._searcher.search(
            query, page=page, limit=limit, explain=explain, profile=profile, similar=similar
        )

    def document(self, id: int) -> DocumentView | None:
        """A live document by its ordinal."""
        return with_links(self._searcher.document(id), self._home.edges)

    def stats(self) -> CollectionStats:
        """How large the collection is, and how its latest job stands."""
        # Only those who may describe tables know an index's bytes: `gossamer --stack … stats`.
        documents = self._searcher.snapshot().size
        return collection_stats(self._home, documents, index_bytes=0, now=time.time())


class CloudAdministration:
    """Steers the jobs of a stack."""

    def __init__(self, home: StackHome, contact: str) -> None:
        self._home = home
        self._contact = contact

    def seed(self, job: str, urls: list[str], config: JobConfig | None) -> SeedReport:
        """Give a job more URLs."""
        return seed(job, urls, config, home=self._home, now=time.time(), contact=self._contact)

    def jobs(self) -> list[JobView]:
        """All jobs."""
        found = [self._home.jobs.get(name) for name in self._home.jobs.names()]
        return [_view(record) for record in found if record is not None]

    def steer(self, job: str, action: str) -> JobView | None:
        """Pause, resume or stop a job."""
        if self._home.jobs.get(job) is None:
            return None
        self._home.jobs.set_state(job, STEERED[action])
        record = self._home.jobs.get(job)
        return _view(record) if record is not None else None


def _view(record: JobRecord) -> JobView:
    return JobView(
        job=record.job,
        state=record.state,
        reason=record.reason,
        pages_left=record.pages_left,
        documents_left=record.documents_left,
        started_at=record.started_at,
    )


class SecretKey:
    """The admin key, read from its secret and kept for a while."""

    def __init__(self, home: StackHome, secret: str) -> None:
        self._home = home
        self._secret = secret
        self._read_at = float("-inf")
        self._key = ""

    def __call__(self) -> str:
        """The key as it was a few minutes ago at most."""
        if time.monotonic() - self._read_at > KEY_KEPT:
            self._key = self._home.read_secret(self._secret)
            self._read_at = time.monotonic()
        return self._key


def gate(home: StackHome, secret: str) -> Gate:
    """Lets those in who have the stack's key."""
    return Gate(SecretKey(home, secret))
