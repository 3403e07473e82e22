"""Ranks and names of pages while a crawl goes on, by the process that indexes beside it.

A ranking is due when the documents have doubled: all together then cost about two of the last one.
Pages that are parsed meanwhile wait for it, so none is made that would take long; the crawl is
ranked when it has ended anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.batch.index_parsed import index_parsed
from gossamer.batch.rank import rank
from gossamer.messages import DocumentParsed
from gossamer.ports.edges import InLinks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.batch.indexed_pages import IndexedPage
    from gossamer.bolts.manifest import IndexWriter
    from gossamer.core.ids import UrlId
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.edges import EdgeStore
    from gossamer.ports.home import Home

JOB = "rank"
FIRST = 50  # documents; of fewer a rank says little
PATIENCE = 3.0  # seconds that a ranking may take: a page shall be found five after its fetch
GUESS = 0.003  # seconds for a document, names included, before one was measured
AT_ONCE = 500  # pages: the crawl must not be held up


class PutAnchors(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Keep what pages are called."""

    called: dict[bytes, list[str]]


class PutInLinks(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Keep who links to pages."""

    found: dict[bytes, InLinks]


class Rankings:
    """Decides when the next ranking is due."""

    def __init__(self) -> None:
        self._ranked = 0  # documents, when they were ranked last
        self._pace = GUESS

    def is_due(self, live: int) -> bool:
        """Whether so many documents are to be ranked now."""
        return live >= max(FIRST, 2 * self._ranked) and live * self._pace <= PATIENCE

    def done(self, live: int, seconds: float) -> None:
        """Note how long it took to rank so many documents."""
        self._ranked, self._pace = live, seconds / max(1, live)


class DocumentsBeside:
    """The documents of a collection; what they are called is written by the crawl."""

    def __init__(self, store: DocumentStore, ask: Callable[[PutAnchors], bool]) -> None:
        self._store, self._ask = store, ask

    def __getattr__(self, name: str) -> Any:
        """What only reads."""
        return getattr(self._store, name)

    def put_anchors(self, called: Mapping[UrlId, Sequence[str]]) -> None:
        """Keep what other pages call some pages."""
        pairs = [(id, list(names)) for id, names in called.items()]
        for begin in range(0, len(pairs), AT_ONCE):
            self._ask(PutAnchors(dict(pairs[begin : begin + AT_ONCE])))


class EdgesBeside:
    """The links of a collection; who links to a page is written by the crawl."""

    def __init__(self, store: EdgeStore, ask: Callable[[PutInLinks], bool]) -> None:
        self._store, self._ask = store, ask

    def __getattr__(self, name: str) -> Any:
        """What only reads."""
        return getattr(self._store, name)

    def put_inlinks(self, found: Mapping[UrlId, InLinks]) -> None:
        """Keep who links to these pages."""
        pairs = list(found.items())
        for begin in range(0, len(pairs), AT_ONCE):
            self._ask(PutInLinks(dict(pairs[begin : begin + AT_ONCE])))


class NoReputation:
    """Quotas of hosts follow from the last ranking of a crawl, not from those on the way."""

    def set_worth(self, worths: Mapping[str, int]) -> None:
        """Nothing is noted."""


def rank_now(home: Home, writer: IndexWriter) -> None:
    """Rank the pages that can be found, and index those anew that others call otherwise now."""
    renamed: list[IndexedPage] = []
    rank(home, writer, home.edges.packed(), home.urls.all(), changed=renamed.extend)
    messages = [DocumentParsed(job=JOB, url=p.url, fetched_at=p.fetched_at) for p in renamed]
    for begin in range(0, len(messages), AT_ONCE):
        index_parsed(messages[begin : begin + AT_ONCE], home, writer)
