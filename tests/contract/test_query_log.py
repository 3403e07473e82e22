"""Do all logs of queries count what is asked, for as long as wanted, and no more than they hold?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from gossamer.adapters.aws.counting import query_log as aws_log
from gossamer.adapters.local import query_log as local_log
from gossamer.core.collection import CollectionSettings, QueryLogSettings
from gossamer.core.ids import document_id
from gossamer.core.page.document import Document
from gossamer.core.search.query_log import Noted, QueryCount, day_of
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.services import HomeSearch
from gossamer.ports.documents import Version
from tests.indexing import index_all, writer_of

if TYPE_CHECKING:
    from gossamer.ports.home import Home

TODAY = day_of(time.time())


@pytest.fixture
def queries(any_home: Home) -> Any:
    return any_home.queries


def count(query: str, asked: int, hits: int, clicks: int) -> QueryCount:
    return QueryCount(query=query, asked=asked, hits=hits, clicks=clicks)


def test_counts_of_a_day_add_up_and_the_last_number_of_results_stands(queries: Any):
    queries.add([Noted("silk", asked=1, hits=3), Noted("moth", asked=1, hits=0)], TODAY, 30)
    queries.add([Noted("silk", asked=1, hits=5), Noted("silk", clicks=1)], TODAY, 30)

    assert queries.read(TODAY, TODAY) == [count("moth", 1, 0, 0), count("silk", 2, 5, 1)]


def test_days_are_apart_and_read_in_order(queries: Any):
    queries.add([Noted("silk", asked=2, hits=1)], TODAY - 1, 30)
    queries.add([Noted("silk", asked=1, hits=2)], TODAY, 30)

    assert queries.read(TODAY - 1, TODAY) == [count("silk", 2, 1, 0), count("silk", 1, 2, 0)]
    assert queries.read(TODAY - 1, TODAY - 1) == [count("silk", 2, 1, 0)]
    assert queries.read(TODAY - 9, TODAY - 2) == []


def test_what_is_forgotten_is_gone(queries: Any):
    assert queries.read(TODAY, TODAY) == []
    queries.add([Noted("silk", asked=1, hits=1)], TODAY, 30)

    queries.forget()

    assert queries.read(TODAY, TODAY) == []


def test_a_day_holds_so_many_queries_and_drops_others(queries: Any, monkeypatch: Any):
    monkeypatch.setattr(local_log, "MOST", 3)
    monkeypatch.setattr(aws_log, "PLACES", 3)

    queries.add([Noted(f"query {n}", asked=1, hits=1) for n in range(40)], TODAY, 30)
    [first, *_] = found = queries.read(TODAY, TODAY)
    queries.add([Noted(first.query, asked=1, hits=1)], TODAY, 30)

    assert len(found) <= 3
    assert queries.read(TODAY, TODAY)[0].asked == 2


@pytest.mark.only("sqlite-memory", "sqlite-disk")  # in a stack items expire by themselves
def test_days_that_are_over_are_deleted(queries: Any):
    queries.add([Noted("old", asked=1, hits=1)], TODAY - 7, 7)
    queries.add([Noted("new", asked=1, hits=1)], TODAY, 7)

    assert [each.query for each in queries.read(TODAY - 99, TODAY)] == ["new"]


@pytest.fixture
def home(any_home: Home) -> Home:
    document = Document(url="http://a.test/", text="silk road")
    any_home.documents.put(url_id(document.url), [document], 1.0)
    version = Version(document_id(url_id(document.url)), 1.0, document)
    index_all(writer_of(any_home.index), [version])
    return any_home


def searching(home: Home, **given: Any) -> HomeSearch:
    settings = CollectionSettings(version=1, query_log=QueryLogSettings(**given))
    home.settings.put(settings)
    return HomeSearch(home, lambda _: None, in_function=True)  # type: ignore[arg-type, return-value]


def test_a_search_is_counted_once_with_its_clicks_where_the_log_is_on(home: Home):
    search = searching(home, on=True)

    assert search.search("  SILK ").logged
    search.search("silk", page=2)
    search.search("silk", explain=True)
    assert not search.search("silk", facets=("*",), limit=1).logged  # beside what the page shows
    search.search("nothing")
    assert search.clicked("silk")

    found = home.queries.read(TODAY, day_of(time.time()))
    assert found == [count("nothing", 1, 0, 0), count("silk", 1, 1, 1)]


def test_nothing_is_counted_where_the_log_is_off(home: Home):
    search = searching(home)

    assert not search.search("silk").logged
    assert not search.clicked("silk")
    assert home.queries.read(TODAY, TODAY + 1) == []


def test_the_log_has_neither_addresses_nor_times(home: Home):
    assert set(msgspec.structs.asdict(count("silk", 1, 1, 1))) == {
        "query",
        "asked",
        "hits",
        "clicks",
    }


def test_what_is_asked_on_three_days_is_suggested_where_that_is_wanted(home: Home):
    for day in range(3):
        home.queries.add([Noted("silk road", asked=1, hits=2)], TODAY - day, 30)
    home.queries.add([Noted("silk roads of today", asked=99, hits=2)], TODAY, 30)

    wanted = searching(home, on=True, completions=True).suggest("silk r", 5).suggestions
    home.settings.put(CollectionSettings(version=2, query_log=QueryLogSettings(on=True)))
    logged = HomeSearch(home, lambda _: None)  # type: ignore[arg-type, return-value]

    assert [(each.text, each.kind) for each in wanted] == [("silk road", "query")]
    assert not logged.suggest("silk r", 5).suggestions


def test_a_word_that_no_page_has_is_never_suggested(home: Home):
    for day in range(3):
        home.queries.add([Noted("silk attackword", asked=9, hits=2)], TODAY - day, 30)

    assert not searching(home, on=True, completions=True).suggest("silk a", 5).suggestions


def test_a_log_that_is_turned_off_counts_no_more(home: Home):
    search = searching(home, on=True)
    assert search.search("silk").logged

    assert home.settings.put(CollectionSettings(version=2))

    assert not search.search("silk").logged
    assert not search.clicked("silk")


def test_what_waits_when_settings_change_is_written(home: Home):
    search = searching(home, on=True)
    for number in range(40):
        search.search(f"silk {number % 4}")
    written = sum(each.asked for each in home.queries.read(TODAY, TODAY + 1))

    assert home.settings.put(CollectionSettings(version=2))
    search.search("silk")

    assert written < 40
    assert sum(each.asked for each in home.queries.read(TODAY, TODAY + 1)) == 40
