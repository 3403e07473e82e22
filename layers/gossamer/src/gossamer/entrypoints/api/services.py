"""Search over the collection of a home, as the API answers it."""

from __future__ import annotations

import logging
import math
import time
from contextlib import closing, nullcontext
from datetime import UTC, datetime
from functools import cached_property, lru_cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Unpack

import msgspec

from gossamer import homes
from gossamer.core.errors import CorruptRecord, OverBudget
from gossamer.core.ids import page_of
from gossamer.core.search.fields import fields_of
from gossamer.entrypoints.allowance import SearchAllowance
from gossamer.entrypoints.api.admin import Administration, Gate, SecretKey
from gossamer.entrypoints.api.backend import Backend
from gossamer.entrypoints.api.linked_from import with_links
from gossamer.entrypoints.api.owner import Owner
from gossamer.entrypoints.api.reply import BatchCost, batch_cost, budget_clock, is_admin, patience
from gossamer.entrypoints.api.views.earlier_copies import EarlierCopies
from gossamer.entrypoints.api.views.stored_copy import PageCopy, Versions
from gossamer.entrypoints.api.views.stored_pictures import mark_pictures, stored_picture
from gossamer.entrypoints.statistics import collection_stats, latest_job
from gossamer.entrypoints.template_health import RememberedStats
from gossamer.search.asking import SECONDS_A_DAY
from gossamer.search.budget import Budget
from gossamer.search.query_recorder import Recorder
from gossamer.search.suggest.asked_before import AskedBefore, with_queries
from gossamer.settings import SEARCH_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from gossamer.core.collection import IndexSchema
    from gossamer.core.crawl.url_record import PageRef, UrlRecord
    from gossamer.core.ids import DocumentId
    from gossamer.core.search.result import (
        CollectionStats,
        DocumentView,
        How,
        SearchResponse,
        SuggestResponse,
    )
    from gossamer.entrypoints.api.views.stored_pictures import Picture
    from gossamer.entrypoints.cli.explain_url import Biography
    from gossamer.ports.admin.stack import StackHome
    from gossamer.ports.home import Home
    from gossamer.search.searcher import Searcher
    from gossamer.settings import Settings

log = logging.getLogger(__name__)

MAX_ANSWERS = 1000
# Seconds that a function uses a manifest: to read it is a round of its own.
MANIFEST_AGE = 1.0
SETTINGS_AGE = 30.0  # seconds that a function uses settings
# Seconds for which /stats says the same of templates; the search page asks every two.
TEMPLATES_AGE, TEMPLATES_AGE_IN_STACK = 10.0, 300.0
# Read units that a query of a stack may take, a GET counting as one: about $0.00004 at most. With
# the admin key it may take more.
MOST_READS, FOR_ADMINS = 100.0, 20.0
BATCH_IS_OVER = (
    "the calls before this one have taken all that the searches of one batch may; send it by itself"
)


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
        ask: Callable[[Sequence[bytes]], list[bytes]] | None = None,
        names: Callable[[], list[str]] | None = None,
        seconds: float = math.inf,
        reads: float = math.inf,
        in_function: bool = False,
    ) -> None:
        """`seconds` and `reads` that a query may take; then it is answered in part.

        `in_function`: this process stands still between two requests, and its threads with it.
        """
        self._home = home
        self._ask = ask
        self._count = count
        self._answers = answers
        self._max_age = max_age
        self._names = names
        self._seconds, self._reads = seconds, reads
        self._in_function = in_function
        self._lock = Lock()
        self._opened: Searcher | None = None
        self._settings_read = -math.inf
        # What counts queries and completes by them, if the collection wants that.
        self._recorder: Recorder | None = None
        self._asked_before: AskedBefore | None = None

    @property
    def _searcher(self) -> Searcher:
        """Opened at the first query, so that a home without an index can say so itself.

        Opened anew when the settings of the collection have changed.
        """
        if self._opened is None or self._have_settings_changed(self._opened):
            self._opened = homes.searcher(self._home, self._max_age, self._ask)
            self._settings_read = time.monotonic()
            if self._recorder is not None:
                self._recorder.flush()  # what waits there
            self._recorder = self._asked_before = None
            if (given := self._opened.settings.query_log).on:
                self._recorder = Recorder(
                    self._home.queries, given.days, has_thread=not self._in_function
                )
            if given.on and given.completions:
                self._asked_before = AskedBefore(self._home.queries, self._has_words)
        return self._opened

    def _have_settings_changed(self, searcher: Searcher) -> bool:
        age = SETTINGS_AGE if self._max_age else 0.0  # where a read is billed
        if time.monotonic() - self._settings_read < age:
            return False
        self._settings_read = time.monotonic()
        return self._home.settings.get().version != searcher.settings_version

    @cached_property
    def _earlier(self) -> EarlierCopies:
        return EarlierCopies(self._home.pages)

    def search(self, query: str, **how: Unpack[How]) -> SearchResponse:
        """A page of results; that it was asked for is counted where it is wanted."""
        found = self._answer(query, **how)
        if how.get("fields") and not self._in_function:
            with self._lock:
                mark_pictures(found, self._home)
        recorder = self._recorder
        if recorder is None or _only_counts_facets(how):
            return found
        if found.page == 1 and not (how.get("like") or how.get("explain")):
            recorder.asked(query, found.total - found.filled)
        return msgspec.structs.replace(found, logged=True)

    def clicked(self, query: str) -> bool:
        """A result of a query was opened; False if that is not counted here."""
        with self._lock:
            _ = self._searcher  # which opens the log, too
            recorder = self._recorder
        if recorder is not None:
            recorder.clicked(query)
        return recorder is not None

    def _answer(self, query: str, **how: Unpack[How]) -> SearchResponse:
        with self._lock:
            ask = partial(self._search, query, **how)
            if self._answers is None:
                return ask()
            # A formula may ask for the age of a document.
            day = int(time.time() // SECONDS_A_DAY)
            versions = self._home.index.manifest().state, self._searcher.settings_version, day
            return self._answers.get((*versions, query, *sorted(how.items())), ask)

    def _search(self, query: str, **how: Unpack[How]) -> SearchResponse:
        searcher = self._searcher  # opened before its time begins
        if patience.get() >= self._seconds:
            cost, clock = batch_cost.get() or BatchCost(), budget_clock.get()
            began, budget = clock(), self._budget_left(cost, clock)
            try:
                return searcher.search(query, budget, **how)
            finally:
                cost.seconds += clock() - began
                cost.reads += budget.taken
        # Of its own time: what waits for a core on a busy machine is not slow.
        budget = Budget(patience.get(), time.thread_time)
        found = searcher.search(query, budget, **how)
        if budget.left_out:
            raise OverBudget(*found.notes)  # it is asked again, with more patience
        return found

    def _budget_left(self, cost: BatchCost, clock: Callable[[], float]) -> Budget:
        """Return what a search may take after others of the same batch."""
        most = self._reads * (FOR_ADMINS if is_admin.get() else 1)
        if clock() == math.inf:
            raise OverBudget("the client has hung up")
        if cost.seconds >= self._seconds or cost.reads >= most:
            raise OverBudget(BATCH_IS_OVER)
        return Budget(self._seconds - cost.seconds, clock, most - cost.reads, self._reads_so_far)

    def _reads_so_far(self) -> float:
        return self._home.index.reads + self._home.documents.reads

    def suggest(self, typed: str, limit: int) -> SuggestResponse:
        """Completions of what was typed."""
        with self._lock:
            searcher = self._searcher  # opened before its time begins
            budget = Budget(self._seconds, time.monotonic, self._reads, self._reads_so_far)
            found = searcher.suggest(typed, limit, budget)
            if self._asked_before is None:
                return found
            queries = self._asked_before.complete(typed, limit)
            together = with_queries(found.suggestions, queries, limit)
            return msgspec.structs.replace(found, suggestions=together)

    def _has_words(self, query: str) -> bool:
        """Return whether the index has all words of a query; False if that takes too long."""
        budget = Budget(self._seconds, time.monotonic, self._reads, self._reads_so_far)
        try:
            return self._searcher.has_words(query, budget)
        except OverBudget:
            return False

    def document(self, id: DocumentId) -> DocumentView | None:
        """A document that can be found, by its id."""
        with self._lock:
            return with_links(self._searcher.document(id), self._home.edges)

    def copy(self, id: DocumentId, at: int = 0) -> PageCopy | None:
        """The page of a document that can be found, as it was fetched last, or then."""
        record = self._page_record(id)
        if record is None or record.page is None:
            return None
        # Not under the lock: others need not wait while an archive is searched.
        ref = self._earlier.of(record).refs.get(at) if at else record.page
        with self._lock:
            return stored_copy(self._home, ref, float(at) or record.fetched_at) if ref else None

    def picture(self, id: DocumentId) -> Picture | None:
        """The picture that a document names, if it was fetched and can be shown."""
        if self._in_function:  # whose answers are text
            return None
        with self._lock:
            found = self._searcher.document(id)
            return stored_picture(found.values, self._home) if found is not None else None

    def versions(self, id: DocumentId) -> Versions:
        """The earlier versions of the page of a document that can be found."""
        record = self._page_record(id)
        found = self._earlier.of(record) if record is not None else None
        return Versions(tuple(found.refs), found.is_complete) if found else Versions()

    def _page_record(self, id: DocumentId) -> UrlRecord | None:
        with self._lock:
            if self._searcher.document(id) is None:
                return None
            return self._home.urls.get(page_of(id))

    def stats(self) -> CollectionStats:
        """How large the collection is, and how its latest job stands."""
        with self._lock:
            searcher = self._searcher
            stats = self._count(searcher.size)
            return _naming(stats, searcher.settings.schema, searcher.columns())

    def explain(self, url: str) -> Biography:
        """What became of a URL, by the rules of the latest job."""
        from gossamer.entrypoints.cli.explain_url import biography

        with self._lock:
            return biography(self._home, latest_job(self._home), url, time.time())

    def collections(self) -> list[str]:
        """The names of all collections where this one is."""
        return self._names() if self._names else [self._home.collection]


def _only_counts_facets(how: How) -> bool:
    """Return whether a request only asks for what filters a page of results can offer."""
    return bool(how.get("facets")) and how.get("limit") == 1


def _naming(stats: CollectionStats, schema: IndexSchema, there: frozenset[str]) -> CollectionStats:
    """Statistics that name what can be counted and sorted by: declared, or with values."""
    fields = fields_of(schema)
    hidden = {name for name in fields.automatic if fields.columns.get(name) not in there}
    return msgspec.structs.replace(
        stats,
        facets=[name for name in fields.shown_facets if name not in hidden],
        sorts=[name for name in fields.sorts if name not in hidden],
    )


def stored_copy(home: Home, ref: PageRef, fetched_at: float) -> PageCopy | None:
    """A page as it was fetched; none if the response brought no page."""
    try:
        kept = home.pages.read(ref)
    except CorruptRecord as error:
        log.warning("no copy at %s: %s", ref, error)
        return None
    at = datetime.fromtimestamp(fetched_at, UTC).isoformat(timespec="seconds")
    return PageCopy(kept, at) if kept.code // 100 == 2 else None


class Answers:
    """Answers given before. A key has the versions of index and settings: no answer is stale."""

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
        answer = ask()
        if not answer.partial:  # what was read for it is in memory: the next one may be whole
            self._known[key] = answer
        return answer


def local_search(settings: Settings) -> HomeSearch:
    """Search over an embedded collection, read-only: a crawl may run beside it."""

    remembered = RememberedStats(TEMPLATES_AGE)

    def count(documents: int) -> CollectionStats:
        # A reader's counters are as old as its connection.
        with closing(homes.open_home(settings, read_only=True)) as fresh:
            return _counted(fresh, documents, remembered)

    def names() -> list[str]:
        return sorted(file.stem for file in settings.database.parent.glob("*.db"))

    home = homes.open_home(settings, read_only=True)
    return HomeSearch(home, count, Answers(), names=names, seconds=settings.search_seconds)


def _counted(home: Home, documents: int, remembered: RememberedStats) -> CollectionStats:
    now = time.time()
    size, templates = home.index.manifest().size, remembered.of(home, now)
    return collection_stats(home, documents, size, now, templates)


def stack_search(
    home: StackHome, function: str = "", seconds: float = SEARCH_SECONDS
) -> HomeSearch:
    """Search over a stack, with no more reads than a query needs.

    `function` answers for groups of segments, when there are too many for this process.
    """

    remembered = RememberedStats(TEMPLATES_AGE_IN_STACK)

    def count(documents: int) -> CollectionStats:
        return _counted(home, documents, remembered)

    ask = partial(home.ask, function) if function else None
    reads = MOST_READS
    return HomeSearch(
        home, count, max_age=MANIFEST_AGE, ask=ask, seconds=seconds, reads=reads, in_function=True
    )


def backend_of(settings: Settings) -> Backend:
    """What the API answers from, in the home that the settings name."""
    if settings.home == "local":
        return _local_backend(settings)
    from gossamer.entrypoints.lambdas import context

    home = context.stack()
    search = stack_search(home, settings.search_function, settings.search_seconds)
    gate = Gate(SecretKey(partial(home.read_secret, settings.admin_secret)))
    administration = Administration(home, settings.contact, settings.daily_usd)
    owner = Owner(lambda: nullcontext(home), lambda: nullcontext(home))
    return Backend(
        lambda: search,
        lambda: (gate, administration),
        lambda: (gate, owner),
        context.signer,
        SearchAllowance(home, settings.search_usd, time.time).closed_for,
    )


def _local_backend(settings: Settings) -> Backend:
    from gossamer.entrypoints.local import session  # the crawler, which a query never needs

    opened = lru_cache(maxsize=1)(partial(local_search, settings))
    signer = lru_cache(maxsize=1)(partial(homes.signer, settings))
    if not settings.admin_secret:
        return Backend(opened, signer=signer)
    gate = Gate(SecretKey(partial(homes.admin_key, settings)))
    # Each time anew: a reader's settings are as old as its connection, and a writer must be alone.
    owner = Owner(
        lambda: closing(homes.open_home(settings, read_only=True)),
        lambda: session.locked(settings, "settings"),
    )
    return Backend(opened, changing=lambda: (gate, owner), signer=signer)
