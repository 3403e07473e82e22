"""The collection that the API answers from."""

from __future__ import annotations

import time
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.core.crawl.url_state import State
from gossamer.core.search.result import CollectionStats
from gossamer.entrypoints.api.endpoints import Backend
from gossamer.entrypoints.api.linked_from import with_links

if TYPE_CHECKING:
    from gossamer.adapters.local.home import LocalHome
    from gossamer.core.search.result import DocumentView, SearchResponse
    from gossamer.settings import Settings


MAX_ANSWERS = 1000


class LocalSearch:
    """SearchService over an embedded collection, read-only: a crawl may run beside it.

    One connection and one memory of posting lists serve all threads, one at a time: what takes time
    here holds the interpreter anyway.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._home: LocalHome = homes.open_local(settings, read_only=True)
        self._searcher = homes.searcher(self._home)
        self._lock = Lock()
        # What was asked before, of the index as it is: its version is part of the key.
        self._answers: dict[tuple[int, str, int, int, bool, str, str], SearchResponse] = {}

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
        with self._lock:
            began = time.perf_counter()
            version = self._home.index.manifest().version
            asked = (version, query, page, limit, explain, profile, similar)
            found = self._answers.get(asked)
            if found is not None:
                took = 1000 * (time.perf_counter() - began)
                return msgspec.structs.replace(found, took_ms=round(took, 3))
            found = self._searcher.search(
                query, page=page, limit=limit, explain=explain, profile=profile, similar=similar
            )
            if len(self._answers) >= MAX_ANSWERS:
                self._answers.clear()
            self._answers[asked] = found
            return found

    def document(self, id: int) -> DocumentView | None:
        """A live document by its ordinal."""
        with self._lock:
            return with_links(self._searcher.document(id), self._home.edges)

    def stats(self) -> CollectionStats:
        """How large the collection is, and how its latest crawl stands."""
        with self._lock:
            fresh = homes.open_local(self._settings, read_only=True)
            try:
                return self._count(fresh)
            finally:
                fresh.close()

    def _count(self, home: LocalHome) -> CollectionStats:
        names = home.jobs.names()
        job = home.jobs.get(names[-1]) if names else None
        states = home.urls.by_state
        return CollectionStats(
            collection=self._settings.collection,
            documents=self._searcher.snapshot().size,
            urls=sum(states.values()),
            by_state={str(state): count for state, count in states.items() if count},
            hosts=len(home.urls.hosts()),
            bytes=home.store.counters.get("bytes", 0),
            index_bytes=home.index.size(),
            crawl_state=job.state if job else "none",
            crawl_seconds=round(job.seconds, 1) if job else 0.0,
            crawl_pages=home.store.counters.get("pages", 0),
            crawl_waiting=states[State.DISCOVERED],
        )


def backend_of(settings: Settings) -> Backend:
    """What the API answers from, in the home that the settings name."""
    if settings.home == "local":
        return Backend(lru_cache(maxsize=1)(lambda: LocalSearch(settings)))
    from gossamer.entrypoints.api import cloud_services
    from gossamer.entrypoints.lambdas import context

    gate = cloud_services.gate(context.aws(), settings.admin_secret)
    administration = cloud_services.CloudAdministration(context.aws(), settings.contact)
    search = cloud_services.CloudSearch(context.aws())
    return Backend(lambda: search, lambda: (gate, administration))
