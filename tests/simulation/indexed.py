"""What can be found now, as a world looks at it: undisturbed and all at once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gossamer.core.index import schema
from gossamer.core.index.segments.columns import NumberColumn
from gossamer.homes import analyzer_of
from gossamer.search.snapshot import Snapshot, Snapshots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.ids import DocumentId
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.search.snapshot import Part


class LiveDocument(NamedTuple):
    """A document that can be found."""

    id: DocumentId
    url: str
    level: int
    cluster: int


@dataclass(frozen=True)
class Indexed:
    """The index at one version of its manifest."""

    snapshot: Snapshot
    analyzer: Analyzer
    documents: list[LiveDocument]

    @property
    def pages(self) -> dict[str, list[LiveDocument]]:
        """The documents by the URLs of their pages."""
        found: dict[str, list[LiveDocument]] = defaultdict(list)
        for document in self.documents:
            found[document.url].append(document)
        return dict(found)

    def having(self, word: str) -> set[str]:
        """The URLs of the live pages that have a word."""
        return {part.url(number) for part, number in self._places(word)}

    def holders(self, word: str) -> list[DocumentId]:
        """The live documents that have a word."""
        return [part.id(number) for part, number in self._places(word)]

    def _places(self, word: str) -> Iterator[tuple[Part, int]]:
        term = self.analyzer.term(word)
        for part in self.snapshot.parts:
            for layer in part.view.term(term).layers():
                for number in layer.documents[part.live[layer.documents]].tolist():
                    yield part, number


def indexed(home: Any) -> Indexed:
    """What can be found in a home."""
    snapshot = Snapshots(home.index).latest()
    documents = [document for part in snapshot.parts for document in _documents(part)]
    return Indexed(snapshot, analyzer_of(home), documents)


def _documents(part: Part) -> list[LiveDocument]:
    column = part.view.column(schema.CLUSTER)
    clusters = column.values if isinstance(column, NumberColumn) else np.zeros(len(part.live))
    return [
        LiveDocument(part.id(n), part.url(n), int(part.levels[n]), int(clusters[n]))
        for n in np.flatnonzero(part.live).tolist()
    ]
