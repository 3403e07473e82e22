"""Does compaction leave alone what others are still busy with?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.documents import SqliteDocumentStore
from gossamer.adapters.local.index import SqliteIndexStore
from gossamer.batch.compact import compact
from gossamer.bolts.index import due, index
from gossamer.core.collection import CollectionSettings, Weights
from gossamer.core.ids import document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.manifest import Manifest, times_of
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.messages import DocumentParsed
from gossamer.ports.documents import Version
from gossamer.search.searcher import Searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gossamer.ports.live_documents import Ordinal

ANALYZER = Analyzer()


class Shelf:
    """An index and its documents."""

    def __init__(self) -> None:
        self.store = Store(None)
        self.index = SqliteIndexStore(self.store)
        self.documents = SqliteDocumentStore(self.store)

    def add(self, *names: str, now: float = 0.0, through: Any = None) -> int:
        versions = [self.version(name) for name in names]
        for version in versions:
            self.documents.put(version.id, version.document, version.fetched_at)
        return index(versions, through or self.index, ANALYZER, Weights(), now)

    def version(self, name: str) -> Version:
        url = f"http://a.test/{name}"
        return Version(document_id(url_id(url)), 1.0, Document(url=url, text=f"silk {name}"))

    def found(self, query: str = "silk") -> set[str]:
        searcher = Searcher(self.index, self.documents, ANALYZER, CollectionSettings(), lambda: 0.0)
        return {hit.url.rpartition("/")[2] for hit in searcher.search(query, limit=100).hits}

    def shape(self) -> tuple[int, int]:
        """How many deltas and generations there are."""
        manifest = self.index.manifest()
        return len(manifest.deltas), len(manifest.generations)


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    made = Shelf()
    yield made
    made.store.close()


class Interrupted:
    """An index store where something else happens at the first call of a method."""

    def __init__(self, store: SqliteIndexStore, name: str, meanwhile: Callable[[], None]) -> None:
        self._store = store
        self._name = name
        self._meanwhile: Callable[[], None] | None = meanwhile

    def __getattr__(self, name: str) -> Any:
        if name == self._name and self._meanwhile is not None:
            meanwhile, self._meanwhile = self._meanwhile, None
            meanwhile()
        return getattr(self._store, name)


def test_young_deltas_are_left_alone(shelf):
    shelf.add("old", now=100.0)
    shelf.add("young", now=200.0)

    assert compact(shelf.index, settled=150.0)

    manifest = shelf.index.manifest()
    assert (shelf.shape(), times_of(manifest)) == ((1, 1), [200.0])
    assert manifest.generations[0].documents == 1
    assert shelf.found() == {"old", "young"}


def test_only_young_deltas_are_nothing_to_do(shelf):
    shelf.add("young", now=200.0)
    before = shelf.index.manifest()

    assert not compact(shelf.index, settled=200.0)
    assert shelf.index.manifest() == before


def test_young_deltas_are_merged_when_they_are_old_enough(shelf):
    shelf.add("old", now=100.0)
    shelf.add("young", now=200.0)
    compact(shelf.index, settled=150.0)

    assert compact(shelf.index, settled=250.0)
    assert shelf.shape()[0] == 0
    assert shelf.found() == {"old", "young"}
    assert shelf.found("young") == {"young"}


def test_a_delta_whose_documents_are_not_live_yet_is_not_lost(shelf):
    """INDEX publishes its segment first and makes its documents live afterwards."""
    shelf.add("old", now=100.0)
    busy = Interrupted(shelf.index, "set_live", lambda: assert_compacted(shelf, settled=150.0))

    shelf.add("young", now=200.0, through=busy)

    assert shelf.shape() == (1, 1)
    assert shelf.found() == {"old", "young"}


def test_a_compaction_at_any_moment_of_indexing_loses_nothing(shelf):
    """It merges what is not live yet, and drops it: INDEX notices, and does it again."""
    shelf.add("old", now=100.0)
    busy = Interrupted(shelf.index, "set_live", lambda: assert_compacted(shelf, settled=math.inf))

    shelf.add("young", now=200.0, through=busy)

    assert shelf.found() == {"old", "young"}
    assert shelf.found("young") == {"young"}


def test_a_merge_is_in_vain_when_a_document_comes_alive_that_it_left_out(shelf):
    shelf.add("old", now=100.0)

    class Slow(Interrupted):
        """Its documents come alive just before a compaction would publish."""

        def set_live(self, ordinals: Sequence[Ordinal]) -> None:
            merging = Interrupted(shelf.index, "publish", lambda: shelf.index.set_live(ordinals))
            assert compact(merging)

    shelf.add("young", now=200.0, through=Slow(shelf.index, "", lambda: None))

    assert shelf.found() == {"old", "young"}
    assert shelf.found("young") == {"young"}


def assert_compacted(shelf: Shelf, settled: float) -> None:
    assert compact(shelf.index, settled=settled)


@pytest.mark.parametrize("moment", ["live", "lease_ordinals", "put", "publish"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_delta_that_is_published_meanwhile_survives(shelf, moment, whole):
    shelf.add("old", now=100.0)
    busy = Interrupted(shelf.index, moment, lambda: add(shelf, "new"))

    assert compact(busy, whole=whole)

    assert shelf.shape() == (1, 1)
    assert times_of(shelf.index.manifest()) == [200.0]
    assert shelf.found() == {"old", "new"}
    assert compact(shelf.index, whole=True)
    assert shelf.found() == {"old", "new"}


def add(shelf: Shelf, name: str) -> None:
    shelf.add(name, now=200.0)


def test_of_two_compactions_at_once_one_wins_and_nothing_is_lost(shelf):
    shelf.add("one", now=100.0)
    shelf.add("two", now=100.0)
    busy = Interrupted(shelf.index, "publish", lambda: assert_compacted(shelf, settled=150.0))

    compact(busy)

    assert shelf.shape() == (0, 1)
    assert shelf.found() == {"one", "two"}


def test_a_manifest_of_before_knows_no_times_and_its_deltas_are_old(shelf):
    assert times_of(Manifest(deltas=[1, 2])) == [0.0, 0.0]
    assert times_of(Manifest(deltas=[1, 2], delta_times=[5.0])) == [0.0, 5.0]


def test_indexing_says_how_many_postings_there_are(shelf):
    assert shelf.add() == 0
    assert shelf.add("one", "two") > 2


def test_documents_that_are_announced_twice_are_read_once(shelf):
    shelf.add("one", "two")
    names = ["two", "one", "two", "missing"]
    messages = [
        DocumentParsed(job="web", url=f"http://a.test/{name}", fetched_at=1.0) for name in names
    ]

    assert due(messages, shelf.documents) == [shelf.version("two"), shelf.version("one")]
