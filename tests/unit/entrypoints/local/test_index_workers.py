"""Indexing and merging in several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from typing import TYPE_CHECKING

import pytest

from gossamer import homes
from gossamer.batch.compact import compact
from gossamer.batch.index import unindexed
from gossamer.bolts.merge import Sources
from gossamer.core.collection import AnalyzerSettings, CollectionSettings
from gossamer.core.errors import StoreFailed
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.local import index_workers, merge_workers
from gossamer.entrypoints.local.index_workers import IndexWorkers, index_all
from gossamer.entrypoints.local.merge_workers import write_terms
from gossamer.settings import Settings
from tests.indexing import live_ids

if TYPE_CHECKING:
    from gossamer.ports.home import Home

PAGES = 60
QUERIES = ("silk", "thread silk", '"silk thread"', "number7*", "silk !thread", "title:number3")


def page(number: int) -> Document:
    words = f"silk {'thread ' * (number % 5)} number{number} word{number % 7}"
    return Document(url=f"http://a.test/{number}", title=f"number{number}", text=words)


@pytest.fixture(autouse=True)
def _many_small_lots(monkeypatch):
    monkeypatch.setattr(index_workers, "WORTHWHILE", 1)
    monkeypatch.setattr(merge_workers, "WORTHWHILE", 1)
    monkeypatch.setattr("gossamer.batch.index.FIRST_LOT", 5)
    monkeypatch.setattr("gossamer.batch.index.MOST_IN_LOT", 7)


@pytest.fixture
def made(tmp_path):
    """Opens a new collection with documents, and its settings."""
    opened: list[Home] = []

    def make(workers: int):
        settings = Settings(data=str(tmp_path / f"data{len(opened)}"), workers=workers)
        home = homes.open_home(settings)
        for number in range(PAGES):
            document = page(number)
            home.documents.put(url_id(document.url), [document], 1.0)
        opened.append(home)
        return home, settings

    yield make
    for home in opened:
        home.close()


def answers(home) -> list[list[tuple[str, float]]]:
    searcher = homes.searcher(home)
    found = [searcher.search(query, limit=100).hits for query in QUERIES]
    return [[(hit.url, hit.score) for hit in hits] for hits in found]


def test_many_processes_index_what_one_does(made):
    (one, alone), (other, beside) = made(1), made(3)

    assert index_all(one, alone) == index_all(other, beside) == PAGES

    assert live_ids(one.index) == live_ids(other.index)
    assert answers(one) == answers(other)
    assert unindexed(other, homes.index_writer(other)) == []


@pytest.mark.parametrize("workers", [2, 5])
def test_terms_that_were_merged_in_ranges_are_all_there(made, workers):
    home, settings = made(1)
    index_all(home, settings)
    home.documents.put(url_id(page(0).url), [page(0)], 2.0)
    index_all(home, settings)
    before = answers(home)
    assert len(home.index.manifest().segments) == 2

    assert compact(homes.index_writer(home), whole=True, write_terms=write_terms(workers))

    assert len(home.index.manifest().segments) == 1
    assert answers(home) == before


def test_a_merge_that_fails_ends_the_processes_that_merge_terms(made, monkeypatch, tmp_path):
    home, settings = made(1)
    index_all(home, settings)
    home.documents.put(url_id(page(0).url), [page(0)], 2.0)
    index_all(home, settings)
    before = answers(home)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    def fail(sources):
        raise StoreFailed("no room")

    monkeypatch.setattr(Sources, "documents", fail)
    with pytest.raises(StoreFailed, match="no room"):
        compact(homes.index_writer(home), whole=True, write_terms=write_terms(2))

    assert multiprocessing.active_children() == []
    assert list((tmp_path / "temporary").iterdir()) == []
    assert answers(home) == before


def test_a_process_that_is_killed_loses_nothing(made, monkeypatch):
    home, settings = made(2)
    begin = IndexWorkers.begin

    def kill(workers, ids):
        begin(workers, ids)
        if workers._begun == 4:
            os.kill(workers._workers[0][0].pid, signal.SIGKILL)

    monkeypatch.setattr(IndexWorkers, "begin", kill)
    with pytest.raises(StoreFailed, match="nothing is lost"):
        index_all(home, settings)
    monkeypatch.undo()

    left = len(unindexed(home, homes.index_writer(home)))
    assert index_all(home, settings) == left > 0
    assert len(live_ids(home.index)) == len(set(live_ids(home.index))) == PAGES


def test_everything_is_indexed_anew_by_other_settings_at_once(made):
    home, settings = made(2)
    index_all(home, settings)
    old = {info.name for info in home.index.manifest().segments}
    analyzer = AnalyzerSettings(language="", stem=False, stop_words=False)
    assert home.settings.put(CollectionSettings(version=1, analyzer=analyzer))
    assert homes.searcher(home).search("threads").total

    assert index_all(home, settings, again=True) == PAGES

    assert homes.searcher(home).search("thread").total
    # Words keep their endings now.
    assert not homes.searcher(home).search("threads", correct=False).total
    assert len(live_ids(home.index)) == PAGES
    assert not old & set(home.index.names())
