"""What a schedule or a person calls, not a queue: RECRAWL, RANK, merges and queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.batch.compact import merge
from gossamer.batch.index import index_batch
from gossamer.core.errors import Throttled, TransientError
from gossamer.entrypoints.lambdas.rank import Weighing, rank_cloud
from gossamer.entrypoints.lambdas.recrawl import recrawl_handler
from gossamer.homes import analyzer_of
from gossamer.search.searcher import Searcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.entrypoints.lambdas.rank import Ranked
    from gossamer.entrypoints.lambdas.sqs import Worker
    from gossamer.ports.documents import Version
    from tests.simulation.account import Account
    from tests.simulation.index_book import IndexBook

ENOUGH = 1e9  # visits a day: everything that is due is asked for
HOUR_OR_SO = 70.0  # minutes between two calls: a page that is missing is looked for after an hour


@dataclass
class Asked:
    """What RECRAWL said; nothing, if it died."""

    pages: int | None = None


def recrawl(account: Account) -> Asked:
    """Ask again for whatever is due, in a process that may die."""
    asked = Asked()

    def work(opened: Worker) -> None:
        handler = recrawl_handler(lambda: opened)
        answer = handler({"minutes": HOUR_OR_SO, "budget": ENOUGH}, None)
        asked.pages = sum(answer.values())

    account.call("recrawl", work)
    return asked


def rank(account: Account, *, immune: bool = False) -> list[Ranked]:
    """Rank whatever can be found now; the result is in the list, unless a process died."""
    done: list[Ranked] = []

    def work(opened: Worker) -> None:
        found = rank_cloud(opened.home, Weighing(), account.kernel)
        if found is not None:
            done.append(found)

    account.call("rank", work, immune=immune)
    return done


def merge_some(account: Account) -> None:
    """Merge any segments, without a lease: what keeps them whole does not depend on it."""

    def work(opened: Worker) -> None:
        segments = opened.writer.store.manifest().segments
        if segments:
            count = account.kernel.chance.randint(1, len(segments))
            merge(opened.writer, account.kernel.chance.sample(segments, count))

    account.call("merge", work)


def index_late(account: Account, versions: Sequence[Version]) -> None:
    """Index documents as they were some time ago."""

    def work(opened: Worker) -> None:
        home = opened.home
        index_batch(versions, home, opened.writer, analyzer_of(home), home.settings.get().schema)

    account.call("index-late", work)


@dataclass
class Searchers:
    """Processes that search; each keeps what it knows of segments from one query to the next."""

    book: IndexBook
    idle: list[Searcher] = field(default_factory=list)


def search(account: Account, searchers: Searchers) -> None:
    """Ask for a word. The answer must be that of a manifest that was in force meanwhile."""
    book = searchers.book

    def work(opened: Worker) -> None:
        known, first = searchers.idle.pop() if searchers.idle else _searcher(opened), book.version
        try:
            found = known.search(book.probe, limit=100, similar="all")
        except Throttled:
            return
        except TransientError as error:
            book.observer.violate("answers", f"a query failed: {error}")
            return
        searchers.idle.append(known)
        answer = frozenset(hit.id for hit in found.hits)
        versions = range(first, book.version + 1)
        if len(found.hits) != found.total or answer not in [book.answers[v] for v in versions]:
            told = f"{found.total} results {sorted(answer)} of no version from {first} on"
            book.observer.violate("answers", told)

    account.call("search", work)


def _searcher(opened: Worker) -> Searcher:
    home = opened.home
    settings = home.settings.get()
    return Searcher(home.index, home.documents, analyzer_of(home), settings, opened.clock)
