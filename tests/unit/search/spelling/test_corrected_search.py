"""Misspelt queries over an index of segments: whole, in groups, with old segments, out of reads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.core.collection import CollectionSettings
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.segments import writer
from gossamer.core.index.segments.vocabulary import Counted
from gossamer.core.page.document import Document
from gossamer.ports.documents import Version
from gossamer.search.budget import NOT_SPELLED, Budget
from gossamer.search.searcher import Searcher
from tests.groups import groups_of
from tests.indexing import index_all, writer_of

TEXTS = ["a spider weaves silk", "the spider and its web", "orb weavers", "a moth spins"]


class Collection:
    def __init__(self) -> None:
        self.store = Store(None)
        self.index = LocalSegmentStore(self.store, None)
        documents: Any = SimpleNamespace(reads=0.0)
        asked = self.index, documents, Analyzer(), CollectionSettings()
        self.one = Searcher(*asked, lambda: 0.0)
        self.groups = Searcher(*asked, lambda: 0.0, groups=groups_of(*asked))

    def add(self, numbers, gone=()) -> None:
        batch = [version(n, TEXTS[n]) for n in numbers]
        index_all(writer_of(self.index), batch, {UrlId(b"%016d" % n): 2.0 for n in gone})


def version(n: int, text: str) -> Version:
    document = Document(url=f"http://a.test/{n}", title="", text=text)
    return Version(document_id(UrlId(b"%016d" % n)), 1.0, document)


@pytest.fixture
def collection():
    made = Collection()
    made.add([0, 2])
    made.add([1, 3])
    yield made
    made.store.close()


@pytest.mark.parametrize("query", ["spdier", "spdier silk", "weavrs & orb", '"orb weavrs"'])
def test_groups_of_segments_correct_as_one_index_does(collection, query):
    one, groups = collection.one.search(query), collection.groups.search(query)

    assert one.correction is not None
    assert groups.correction == one.correction
    assert [hit.url for hit in groups.hits] == [hit.url for hit in one.hits]


def test_words_of_pages_that_are_gone_are_never_applied(collection):
    collection.add([], gone=[0, 1])

    found = collection.one.search("spdier")

    assert (found.total, found.correction) == (0, None)


def test_a_phrase_is_corrected_inside(collection):
    found = collection.one.search('"orb weavrs"')

    assert found.correction.corrected == '"orb weavers"'
    assert [hit.url[-1] for hit in found.hits] == ["2"]


def test_segments_without_a_vocabulary_still_answer(monkeypatch):
    made = Collection()
    monkeypatch.setattr(writer, "listed", lambda *_: Counted([], []))
    made.add([0, 2])
    assert made.one.search("spider").total == 1
    assert made.one.search("spdier").correction is None

    monkeypatch.undo()
    made.add([1, 3])

    assert [hit.url[-1] for hit in made.one.search("spdier").hits] == ["0", "1"]
    made.store.close()


def test_without_reads_the_answer_says_that_spellings_were_not_looked_for(collection):
    reads = iter(range(0, 10_000, 50))
    budget = Budget(most_reads=100, reads=lambda: next(reads))

    found = collection.one.search("spdier", budget)

    assert NOT_SPELLED in " ".join(found.notes) or found.partial


@pytest.mark.parametrize(
    "query", ["x" * 1000, "e\u0301" * 60, "蜘蛛" * 30, "spdier " * 60, "~" * 999 + "a"]
)
def test_hostile_queries_are_answered(collection, query):
    found = collection.one.search(query)

    assert len(found.correction.words if found.correction else []) <= 4
