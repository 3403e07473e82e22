"""Texts of results come from the table of documents, if they are there as they were indexed."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import pytest

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.core.collection import CollectionSettings
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.ports.documents import Version
from gossamer.search import small_files
from gossamer.search.budget import NOT_LISTED, Budget
from gossamer.search.results import texts
from gossamer.search.searcher import Searcher
from tests.indexing import index_all, writer_of
from tests.unit.search.test_rounds import FarStore

COUNT = 12


class Table:
    """Documents of which some may be peeked at."""

    def __init__(self, versions: list[Version]) -> None:
        self.known = {version.id: version for version in versions}
        self.peeked: list[list[bytes]] = []

    def peek(self, ids):
        self.peeked.append(list(ids))
        return [self.known[id] for id in ids if id in self.known]


def version(n: int, part: int = 0) -> Version:
    id = document_id(UrlId(b"%016d" % n), part)
    document = Document(
        url=f"http://a.test/{n}",
        title=f"Page {n}",
        text=f"silk thread {n} " + "filler " * n,
        headings=[(1, "One"), (2, f"Two {n}")],
        language="en",
        published_at="2024-01-02",
        values={"price": 12.5},
    )
    return Version(id, 1.0 + n, document)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(small_files, "SMALL", 0)
    opened = Store(None)
    far = FarStore(LocalSegmentStore(opened, None))
    index_all(writer_of(far), [version(n) for n in range(COUNT)])
    yield far
    opened.close()


def search(store: FarStore, documents: Any, budget: Budget | None = None) -> Any:
    searcher = Searcher(store, documents, Analyzer(), CollectionSettings(), lambda: 0.0)
    searcher.search("nothing")
    store.rounds.clear()
    how: Any = {"similar": "all", "limit": COUNT, "fields": "*"}
    return searcher.search("silk", budget or Budget(), **how)


def shown(response: Any) -> list[Any]:
    return [msgspec.structs.replace(hit, explain=None) for hit in response.hits]


def test_what_the_table_has_is_shown_as_segments_show_it_and_none_is_read(store):
    table = Table([version(n) for n in range(COUNT)])
    of_segments = search(store, None)
    rounds = len(store.rounds)

    found = search(store, table)

    assert shown(found) == shown(of_segments)
    assert len(found.hits) == COUNT
    assert [sorted(ids) for ids in table.peeked] == [sorted(table.known)]
    assert len(store.rounds) == rounds - 1


def test_a_page_that_was_fetched_again_is_shown_as_it_was_indexed(store):
    newer = [version(n) for n in range(COUNT)]
    again = msgspec.structs.replace(newer[3].document, text="silk that nobody has indexed yet")
    newer[3] = msgspec.structs.replace(newer[3], fetched_at=99.0, document=again)

    found = search(store, Table(newer))

    assert shown(found) == shown(search(store, None))


def test_what_is_not_in_the_table_comes_from_segments(store):
    found = search(store, Table([version(2), version(5)]))

    assert shown(found) == shown(search(store, None))


def test_long_texts_are_not_asked_of_the_table(store, monkeypatch):
    monkeypatch.setattr(texts, "MOST_BYTES", 10)
    table = Table([version(n) for n in range(COUNT)])

    assert len(search(store, table).hits) == COUNT
    assert table.peeked == []


def test_items_of_a_page_are_not_asked_of_the_table(store):
    index_all(writer_of(store), [version(77, part=5)])
    table = Table([version(n) for n in range(COUNT)])

    found = search(store, table)

    assert document_id(UrlId(b"%016d" % 77), 5) not in table.peeked[0]
    assert len(found.hits) == COUNT


def test_what_is_in_memory_is_not_asked_of_the_table(store, monkeypatch):
    monkeypatch.setattr(small_files, "SMALL", 1 << 20)
    table = Table([version(n) for n in range(COUNT)])

    assert len(search(store, table).hits) == COUNT
    assert table.peeked == []


@dataclasses.dataclass
class Spent:
    """Reads of a query whose table has nothing: each document costs half a read, and a read."""

    store: Any
    table: Table

    def __call__(self) -> float:
        peeked = sum(len(ids) for ids in self.table.peeked)
        return peeked / 2 + float(self.store.ranges)


class BilledStore(FarStore):
    """Counts ranges."""

    ranges = 0

    def read(self, ranges):
        self.ranges += len(ranges)
        return super().read(ranges)


def test_results_that_the_table_does_not_have_are_listed_as_far_as_reads_go(monkeypatch):
    monkeypatch.setattr(small_files, "SMALL", 0)
    opened = Store(None)
    far = BilledStore(LocalSegmentStore(opened, None))
    index_all(writer_of(far), [version(n) for n in range(COUNT)])
    table = Table([])
    searcher = Searcher(far, table, Analyzer(), CollectionSettings(), lambda: 0.0)  # type: ignore[arg-type]
    searcher.search("silk nothing", limit=1)  # its list is known
    spent = Spent(far, table)
    before = spent()
    budget = Budget(most_reads=14.0, reads=spent)

    found = searcher.search("silk", budget, similar="all", limit=COUNT)

    assert 0 < len(found.hits) < COUNT
    assert NOT_LISTED in budget.left_out
    assert spent() - before <= 14.0
    opened.close()
