"""Does a file of pages become the collection that storing first and indexing later makes?"""

from __future__ import annotations

import os
import signal
import time
from collections import defaultdict
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.batch import index_pages as module
from gossamer.batch.index import LotInverter, unindexed
from gossamer.batch.index_pages import (
    FoundPage,
    PageHands,
    PageLot,
    PageLotInverter,
    PagesRead,
    Place,
    index_pages,
)
from gossamer.batch.inverters import InlineInverter
from gossamer.core.errors import StoreFailed
from gossamer.core.ids import document_id
from gossamer.core.index import schema
from gossamer.core.index.segments.columns import NumberColumn
from gossamer.core.urls import url_id
from gossamer.entrypoints.local import index_workers
from gossamer.entrypoints.local.index_workers import IndexWorkers, index_warc
from gossamer.entrypoints.local.warc_pages import find_pages, read_page
from gossamer.homes import decode_body, index_writer
from gossamer.settings import Settings
from tests.indexing import index_home, live_ids, live_versions
from tests.warc_bytes import page, response

if TYPE_CHECKING:
    from gossamer.ports.home import Home

LONG = " ".join(f"word{number} thread" for number in range(60))
QUERIES = (
    "silk",
    "thread silk",
    '"silk is"',
    "word1*",
    "silk !thread",
    "title:page3",
    "site:b.test",
)
EARLY, LATE = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"


def records() -> list[bytes]:
    """Pages of two hosts: equal, nearly equal, closed, gone, twice in either order of time."""
    made = []
    for number in range(30):
        host = "ab"[number % 2]
        text = f"Silk is number{number} {'thread ' * (number % 5)}"
        made.append(response(f"http://{host}.test/{number}", page(f"Page{number % 6}", text)))
    made += [response(f"http://a.test/long{n}", page("Long", f"{LONG} end{n}")) for n in range(4)]
    made += [response(f"http://b.test/same{n}", page("Same", "Silk is the same")) for n in range(3)]
    for name, first, then in (("up", EARLY, LATE), ("down", LATE, EARLY)):
        for at in (first, then):  # far from each other: in different lots
            body = page(name, f"Silk is of {at[5:7]} only{at[5:7]}{name}")
            made.insert(5 if at == first else -3, response(f"http://a.test/{name}", body, at=at))
    closed = page("Closed", "Silk is closed", '<meta name="robots" content="noindex">')
    made.append(response("http://a.test/closed", closed))
    made.append(response("http://a.test/gone", page("Gone", "Silk is gone"), status="404 No"))
    return made


@pytest.fixture
def warc(tmp_path):
    file = tmp_path / "pages.warc.gz"
    file.write_bytes(b"".join(records()))
    return file


@pytest.fixture(autouse=True)
def _many_small_lots(monkeypatch):
    monkeypatch.setattr(module, "FIRST_LOT", 3)
    monkeypatch.setattr(module, "MOST_IN_LOT", 7)


@pytest.fixture
def made(tmp_path):
    """Opens new collections."""
    opened: list[Home] = []

    def make(workers: int = 1) -> tuple[Home, Settings]:
        settings = Settings(data=str(tmp_path / f"data{len(opened)}"), workers=workers)
        opened.append(homes.open_home(settings))
        return opened[-1], settings

    yield make
    for home in opened:
        home.close()


def store_then_index(file, home):
    """As it was done before."""
    for found in find_pages(file):
        read = read_page(file, found.place)
        if read and home.contents.own(read.md5, read.url) == read.url:
            home.documents.put(read.id, read.documents, read.fetched_at)
    home.commit()
    return index_home(home)


def answers(home):
    searcher = homes.searcher(home)
    found = [searcher.search(query, limit=100, similar="all") for query in QUERIES]
    return [[(hit.url, hit.score, hit.snippet) for hit in each.hits] for each in found]


def shown(home):
    """What is shown of similar pages, and how many there are."""
    hits = homes.searcher(home).search("silk | thread", limit=100).hits
    return {(hit.url if hit.similar == 0 else hit.title, hit.similar) for hit in hits}


def clusters(home):
    """Which pages are similar, whatever their clusters are called."""
    by_value = defaultdict(set)
    for part in homes.searcher(home).snapshot().parts:
        column = part.view.column(schema.CLUSTER)
        assert isinstance(column, NumberColumn)
        for number in range(len(part.live)):
            if part.live[number]:
                by_value[int(column.values[number])].add(part.id(number))
    return set(map(frozenset, by_value.values()))


def assert_same(one, other):
    assert sorted(one.documents.stamps()) == sorted(other.documents.stamps())
    assert sorted(map(repr, one.documents.all())) == sorted(map(repr, other.documents.all()))
    assert live_versions(one.index) == live_versions(other.index)
    assert answers(one) == answers(other)
    assert clusters(one) == clusters(other)
    assert shown(one) == shown(other)
    assert unindexed(other, homes.index_writer(other)) == []


@pytest.mark.parametrize("workers", [1, 3])
def test_the_collection_is_the_one_that_was_made_in_two_steps(made, warc, monkeypatch, workers):
    monkeypatch.setattr(index_workers, "WORTHWHILE_BYTES", 0)
    (one, _), (other, settings) = made(), made(workers)
    store_then_index(warc, one)

    done = index_warc(warc, other, settings)

    assert done.kept == len(records()) - 4  # one closed, one gone, two the same
    assert_same(one, other)


def test_the_newest_version_counts_in_either_order(made, warc):
    home, settings = made()
    index_warc(warc, home, settings)

    found = homes.searcher(home)
    assert found.search('"of 02"').total == 2
    assert found.search('"of 01"').total == 0
    assert found.search("only01*").total == 0


def test_a_second_time_nothing_is_indexed(made, warc):
    home, settings = made()
    index_warc(warc, home, settings)
    before = home.index.manifest().version

    done = index_warc(warc, home, settings)

    assert done.indexed == 0
    assert home.index.manifest().version == before


def test_a_page_that_a_crawl_found_closed_is_kept_and_not_indexed(made, warc, monkeypatch):
    home, settings = made()
    closed = document_id(url_id("http://a.test/2"))
    record = type("Record", (), {"id": url_id("http://a.test/2")})()
    monkeypatch.setattr(home.urls, "closed", lambda: iter([record]))

    index_warc(warc, home, settings)

    assert len(home.documents.read([closed])) == 1
    assert closed not in live_ids(home.index)


def test_names_of_a_page_stay_with_its_new_version(made, tmp_path):
    home, settings = made()
    file = tmp_path / "new.warc.gz"
    file.write_bytes(response("http://a.test/", page("Home", "Silk"), at=EARLY))
    index_warc(file, home, settings)
    home.documents.put_anchors({url_id("http://a.test/"): ["weaving"]})
    file.write_bytes(response("http://a.test/", page("Home", "Thread"), at=LATE))

    index_warc(file, home, settings)

    assert [hit.url for hit in homes.searcher(home).search("weaving").hits] == ["http://a.test/"]
    assert unindexed(home, homes.index_writer(home)) == []


def test_an_older_version_changes_nothing(made, tmp_path):
    home, settings = made()
    file = tmp_path / "old.warc.gz"
    for at, text in ((LATE, "thread"), (EARLY, "silk")):
        file.write_bytes(response("http://a.test/", page("Home", text), at=at))
        index_warc(file, home, settings)

    assert homes.searcher(home).search("thread").total == 1
    assert homes.searcher(home).search("silk").total == 0


def test_a_damaged_record_costs_that_record(made, tmp_path):
    home, settings = made()
    whole = [response(f"http://a.test/{n}", page("Silk", f"page{n}")) for n in range(3)]
    file = tmp_path / "damaged.warc.gz"
    file.write_bytes(whole[0] + whole[1][:40] + b"\0\0\0" + whole[1][43:] + whole[2][:-30])

    done = index_warc(file, home, settings)

    assert (done.kept, done.damaged) == (1, 1)  # one stretch of the file
    assert [homes.searcher(home).search(f"page{n}").total for n in range(3)] == [1, 0, 0]
    assert unindexed(home, homes.index_writer(home)) == []


def test_of_pages_with_the_same_bytes_the_first_is_a_document(made, tmp_path):
    home, settings = made()
    file = tmp_path / "twins.warc.gz"
    body = page("Silk", "silk thread")
    file.write_bytes(b"".join(response(f"http://a.test/{n}", body) for n in (2, 1, 3)))

    done = index_warc(file, home, settings)
    found = homes.searcher(home).search("silk", similar="all")
    again = index_warc(file, home, settings)

    assert (done.kept, done.indexed) == (1, 1)
    assert [hit.url for hit in found.hits] == ["http://a.test/2"]
    assert again.indexed == 0
    assert len(home.index.names()) == len(home.index.manifest().names())


def languages_in(home):
    documents = [d for each in home.documents.all() for d in each.documents.values()]
    return {document.url: document.language for document in documents}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_page_that_tells_no_language_has_that_of_its_host(made, tmp_path, monkeypatch, workers):
    monkeypatch.setattr(index_workers, "WORTHWHILE_BYTES", 0)
    monkeypatch.setattr(module, "FIRST_LOT", 7)
    home, settings = made(workers)
    english = page("Silk", "silk thread").replace("<html>", "<html lang='en'>")
    told = [response(f"http://a.test/{n}", english + str(n)) for n in range(6)]
    file, later = tmp_path / "first.warc.gz", tmp_path / "later.warc.gz"
    file.write_bytes(b"".join([response("http://a.test/table", page("Table", "a | b")), *told]))
    others = [response(f"http://{host}.test/more", page("More", f"{host} | c")) for host in "ab"]
    later.write_bytes(b"".join(others))

    index_warc(file, home, settings)
    index_warc(later, home, settings)

    languages = languages_in(home)
    assert languages["http://a.test/table"] == "en"
    assert languages["http://a.test/more"] == "en"  # by the pages of the file before
    assert languages["http://b.test/more"] == ""
    assert home.host_languages.pages("a.test") == {"en": 6}
    assert len(homes.searcher(home).search("lang:en", limit=20, similar="all").hits) == 8


def test_a_process_that_is_killed_loses_nothing(made, warc, monkeypatch):
    monkeypatch.setattr(index_workers, "WORTHWHILE_BYTES", 0)
    (one, _), (other, settings) = made(), made(2)
    store_then_index(warc, one)
    begin = IndexWorkers.begin

    def kill(workers, lot):
        begin(workers, lot)
        if workers._begun == 4:
            os.kill(workers._workers[0][0].pid, signal.SIGKILL)

    monkeypatch.setattr(IndexWorkers, "begin", kill)
    with pytest.raises(StoreFailed, match="nothing is lost"):
        index_warc(warc, other, settings)
    monkeypatch.setattr(IndexWorkers, "begin", begin)

    index_warc(warc, other, settings)
    index_home(other)
    assert_same(one, other)


class Crash(Exception):
    """The process ends here."""


class Mortal(InlineInverter[PageLot, PagesRead]):
    """Ends the process at its n-th step."""

    def __init__(self, worker, life):
        super().__init__(worker)
        self.life = life

    def _age(self):
        self.life -= 1
        if self.life < 0:
            raise Crash

    def read(self):
        self._age()
        return super().read()

    def decide(self, decided):
        self._age()
        super().decide(decided)
        self._age()


@pytest.mark.parametrize("life", range(20))
def test_a_crash_at_any_step_and_another_run_make_the_same_collection(made, warc, life):
    (one, _), (other, settings) = made(), made()
    store_then_index(warc, one)

    def mortal(analyzer, weights):
        inverter = LotInverter(other.documents, other.index.put, analyzer, weights)
        return Mortal(PageLotInverter(partial(read_page, warc), inverter), life)

    with pytest.raises(Crash):
        index_pages(find_pages(warc), other, homes.index_writer(other), PageHands(mortal))
    other.store._db.rollback()
    other.store._open = False

    index_warc(warc, other, settings)
    index_home(other)

    assert_same(one, other)


def found_page(number: int, size: int) -> FoundPage:
    return FoundPage(url_id(f"http://a.test/{number}"), 1.0, Place(number, 9), size)


SIZES = st.lists(st.integers(1, 5_000_000), max_size=40)


@given(sizes=SIZES, text_share=st.sampled_from([0.0, 0.1, 1.0, 10.0]))
def test_a_lot_has_no_more_bytes_of_files_than_its_text_may_have(sizes, text_share):
    found = [found_page(number, size) for number, size in enumerate(sizes)]
    with closing(LocalHome(None, Path("warc"), decode_body)) as home:
        lots, taken = module._Lots(iter(found), home, index_writer(home, time.time)), []
        limit = module.FIRST_LOT_FILE_BYTES
        while (lot := lots.next()) is not None:
            numbers = [place.offset for place in lot.places]
            size = sum(sizes[number] for number in numbers)
            assert size <= limit or len(numbers) == 1
            taken += numbers
            text: Any = SimpleNamespace(lot=SimpleNamespace(text_bytes=int(size * text_share)))
            lots.learn(text)
            limit = module.MAX_LOT_FILE_BYTES
            if text_share:
                limit = min(limit, 2 * int(module.LOT_BYTES / text_share))

    assert taken == list(range(len(sizes)))


def test_two_large_files_are_read_by_two_processes():
    found = [found_page(number, 2_000_000) for number in range(2)]
    with closing(LocalHome(None, Path("warc"), decode_body)) as home:
        lots = module._Lots(iter(found), home, index_writer(home, time.time))
        first, second = lots.next(), lots.next()

    assert first is not None
    assert second is not None
    assert len(first.places) == len(second.places) == 1
