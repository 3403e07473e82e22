"""What can be found now, as a world looks at it: undisturbed and all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gossamer.core.ids import page_of
from gossamer.core.index import schema
from gossamer.core.index.segments.columns import NumberColumn
from gossamer.homes import analyzer_of
from gossamer.search.snapshot import Snapshot, Snapshots

if TYPE_CHECKING:
    from gossamer.core.ids import UrlId
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.search.snapshot import Part


class LivePage(NamedTuple):
    """A page that can be found."""

    id: UrlId
    url: str
    level: int
    cluster: int


@dataclass(frozen=True)
class Indexed:
    """The index at one version of its manifest."""

    snapshot: Snapshot
    analyzer: Analyzer
    pages: dict[str, LivePage]  # by URL

    def having(self, word: str) -> set[str]:
        """The URLs of the live pages that have a word."""
        term = self.analyzer.term(word)
        return {
            part.url(number)
            for part in self.snapshot.parts
            for layer in part.view.term(term).layers()
            for number in layer.documents[part.live[layer.documents]].tolist()
        }


def indexed(home: Any) -> Indexed:
    """What can be found in a home."""
    snapshot = Snapshots(home.index).latest()
    pages = [page for part in snapshot.parts for page in _pages(part)]
    return Indexed(snapshot, analyzer_of(home), {page.url: page for page in pages})


def _pages(part: Part) -> list[LivePage]:
    column = part.view.column(schema.CLUSTER)
    clusters = column.values if isinstance(column, NumberColumn) else np.zeros(len(part.live))
    return [
        LivePage(page_of(part.id(n)), part.url(n), int(part.levels[n]), int(clusters[n]))
        for n in np.flatnonzero(part.live).tolist()
    ]
