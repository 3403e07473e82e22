"""Search over the collection of a home, as the API answers it."""

from __future__ import annotations

import time
from contextlib import closing
from functools import cached_property, lru_cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Unpack

import msgspec

from gossamer import homes
from gossamer.entrypoints.api.admin import Administration, Gate, SecretKey
from gossamer.entrypoints.api.endpoints import Backend
from gossamer.entrypoints.api.linked_from import with_links
from gossamer.entrypoints.statistics import collection_stats

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from gossamer.core.ids import DocumentId
    from gossamer.core.search.result import CollectionStats, DocumentView, How, SearchResponse
    from gossamer.ports.home import Home
    from gossamer.search.searcher import Searcher
    from gossamer.settings import Settings

MAX_ANSWERS = 1000
# Seconds that a function uses a manifest: to read it is a round of its own.
MANIFEST_AGE = 1.0


class HomeSearch:
    """SearchService over a home.

    One home and one memory of posting lists serve all threads, one at a time: what takes time here
    holds the interpreter anyway.
    """

    def __init__(
        self,
        home: Home,
        count: Callable[[int], CollectionStats],
        answers: Answers | None = None,
        max_age: float = 0.0,
    ) -> None:
        self._home = home
        self._count = count
        self._answers = answers
        self._max_age = max_age
        self._lock = Lock()

    @cached_property
    def _searcher(self) -> Searcher:
        """Opened at the first query, so that a home without an index can say so itself."""
        return homes.searcher(self._home, self._max_age)

    def search(self, query: str, **how: Unpack[How]) -> SearchResponse:
        """A page of results."""
        with self._lock:
            ask = partial(self._searcher.search, query, **how)
            if self._answers is None:
                return ask()
            version = self._home.index.manifest().version
            return self._answers.get((version, query, *sorted(how.items())), ask)

    def document(self, id: DocumentId) -> DocumentView | None:
        """A document that can be found, by its id."""
        with self._lock:
            return with_links(self._searcher.document(id), self._home.edges)

    def stats(self) -> CollectionStats:
        """How large the collection is, and how its latest job stands."""
        with self._lock:
            return self._count(self._searcher.snapshot().size)


class Answers:
    """Answers given before. A key has the version of the index, so that no answer is stale."""

    def __init__(self) -> None:
        self._known: dict[Hashable, SearchResponse] = {}

    def get(self, key: Hashable, ask: Callable[[], SearchResponse]) -> SearchResponse:
        """The answer to a question, asked only if it was not asked before."""
        began = time.perf_counter()
        found = self._known.get(key)
        if found is not None:
            took = 1000 * (time.perf_counter() - began)
            return msgspec.structs.replace(found, took_ms=round(took, 3))
        if len(self._known) >= MAX_ANSWERS:
            self._known.clear()
        return self._known.setdefault(key, ask())


def local_search(settings: Settings) -> HomeSearch:
    """Search over an embedded collection, read-only: a crawl may run beside it."""

    def count(documents: int) -> CollectionStats:
        # A reader's counters are as old as its connection.
        with closing(homes.open_home(settings, read_only=True)) as fresh:
            return collection_stats(fresh, documents, fresh.index.manifest().size, time.time())

    return HomeSearch(homes.open_home(settings, read_only=True), count, Answers())


def stack_search(home: Home) -> HomeSearch:
    """Search over a stack, with no more reads than a query needs."""

    def count(documents: int) -> CollectionStats:
        return collection_stats(home, documents, home.index.manifest().size, time.time())

    return HomeSearch(home, count, max_age=MANIFEST_AGE)


def backend_of(settings: Settings) -> Backend:
    """What the API answers from, in the home that the settings name."""
    if settings.home == "local":
        return Backend(lru_cache(maxsize=1)(partial(local_search, settings)))
    from gossamer.entrypoints.lambdas import context

    home = context.stack()
    search = stack_search(home)
    gate = Gate(SecretKey(partial(home.read_secret, settings.admin_secret)))
    administration = Administration(home, settings.contact)
    return Backend(lambda: search, lambda: (gate, administration))
