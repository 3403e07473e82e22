"""The collection that the API answers from."""

from __future__ import annotations

import time
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.entrypoints.api.endpoints import Backend
from gossamer.entrypoints.api.linked_from import with_links
from gossamer.entrypoints.statistics import collection_stats

if TYPE_CHECKING:
    from gossamer.core.search.result import CollectionStats, DocumentView, SearchResponse
    from gossamer.settings import Settings


MAX_ANSWERS = 1000


class LocalSearch:
    """SearchService over an embedded collection, read-only: a crawl may run beside it.

    One connection and one memory of posting lists serve all threads, one at a time: what takes time
    here holds the interpreter anyway.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._home = homes.open_home(settings, read_only=True)
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
            fresh = homes.open_home(self._settings, read_only=True)
            try:
                documents = self._searcher.snapshot().size
                return collection_stats(fresh, documents, fresh.index.size(), time.time())
            finally:
                fresh.close()


def backend_of(settings: Settings) -> Backend:
    """What the API answers from, in the home that the settings name."""
    if settings.home == "local":
        return Backend(lru_cache(maxsize=1)(lambda: LocalSearch(settings)))
    from gossamer.entrypoints.api import cloud_services
    from gossamer.entrypoints.lambdas import context

    gate = cloud_services.gate(context.stack(), settings.admin_secret)
    administration = cloud_services.CloudAdministration(context.stack(), settings.contact)
    search = cloud_services.CloudSearch(context.stack())
    return Backend(lambda: search, lambda: (gate, administration))
