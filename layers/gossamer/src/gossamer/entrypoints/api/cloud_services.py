"""How the API answers from a stack, and steers its jobs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.crawl.url_state import State
from gossamer.core.search.result import CollectionStats
from gossamer.entrypoints.api.admin import Gate, JobView
from gossamer.entrypoints.api.linked_from import with_links
from gossamer.entrypoints.seeding import SeedReport, seed

if TYPE_CHECKING:
    from gossamer.adapters.aws.home import AwsHome
    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.search.result import DocumentView, SearchResponse
    from gossamer.ports.jobs import JobRecord, JobState
    from gossamer.search.searcher import Searcher

KEY_KEPT = 300.0  # seconds until a changed key is noticed
STEERED: dict[str, JobState] = {"pause": "paused", "resume": "running", "stop": "stopped"}


class CloudSearch:
    """SearchService over a stack. Lambda gives a process one request at a time: no lock."""

    def __init__(self, home: AwsHome) -> None:
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
        home = self._home
        states, _ = home.counters.states()
        sums = home.sums()
        names = home.jobs.names()
        job = home.jobs.get(names[-1]) if names else None
        return CollectionStats(
            collection=home.collection,
            documents=self._searcher.snapshot().size,
            urls=sum(states.values()),
            by_state={state: count for state, count in states.items() if count},
            hosts=home.hosts.count(),
            bytes=int(sums["bytes"]),
            index_bytes=0,  # only who may describe tables can tell: `gossamer --stack … stats`
            crawl_state=job.state if job else "none",
            crawl_seconds=_seconds(job),
            crawl_pages=int(sums["pages"]),
            crawl_waiting=states[State.DISCOVERED],
        )


def _seconds(job: JobRecord | None) -> float:
    return round(job.seconds or time.time() - job.started_at, 1) if job else 0.0


class CloudAdministration:
    """Steers the jobs of a stack."""

    def __init__(self, home: AwsHome, contact: str) -> None:
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

    def __init__(self, home: AwsHome, secret: str) -> None:
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


def gate(home: AwsHome, secret: str) -> Gate:
    """Lets those in who have the stack's key."""
    return Gate(SecretKey(home, secret))
