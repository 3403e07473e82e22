"""How is a collection opened for search? Apart from runtime, because a crawl needs no numpy."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gossamer.bolts.search import Searcher
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.weights import Weights

if TYPE_CHECKING:
    from gossamer.adapters.local.home import LocalHome

WEIGHTS = Weights()


def analyzer_of(home: LocalHome) -> Analyzer:
    """The analyzer that the collection was indexed with, or the default for a new one."""
    described = home.index.manifest().analyzer
    return Analyzer.from_description(described) if described else Analyzer()


def searcher(home: LocalHome) -> Searcher:
    """Search over an embedded collection."""
    return Searcher(home.index, home.documents, analyzer_of(home), WEIGHTS, timer=time.perf_counter)
