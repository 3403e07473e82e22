"""How is a collection opened for search? Apart from runtime, because a crawl needs no numpy."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.impacts import Weights
from gossamer.search.searcher import Searcher

if TYPE_CHECKING:
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.index import IndexStore

WEIGHTS = Weights()


class Indexed(Protocol):
    """A home with an index and documents: either of the two."""

    @property
    def index(self) -> IndexStore:
        """The index."""
        ...

    @property
    def documents(self) -> DocumentStore:
        """The documents."""
        ...


def analyzer_of(index: IndexStore) -> Analyzer:
    """The analyzer that the collection was indexed with, or the default for a new one."""
    described = index.manifest().analyzer
    return Analyzer.from_description(described) if described else Analyzer()


def searcher(home: Indexed) -> Searcher:
    """Search over a collection."""
    analyzer = analyzer_of(home.index)
    return Searcher(home.index, home.documents, analyzer, WEIGHTS, timer=time.perf_counter)
