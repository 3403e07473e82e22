"""Are queries suggested that others ask often, and none that tells of one person?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.errors import TransientError
from gossamer.core.search.query_log import DAY, QueryCount
from gossamer.core.search.result import Suggestion
from gossamer.search.suggest.asked_before import AGE, DAYS, AskedBefore, with_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.search.query_log import Noted

NOW = 100.0 * DAY


class Store:
    """A log of some queries, each asked so often."""

    def __init__(self, **asked: int) -> None:
        self.asked = asked
        self.days: list[tuple[int, int]] = []
        self.fails = False

    def read(self, first: int, last: int) -> list[QueryCount]:
        self.days.append((first, last))
        if self.fails:
            raise TransientError("busy")
        return [
            QueryCount(query=name.replace("_", " "), asked=times, hits=name != "silence", clicks=0)
            for name, times in self.asked.items()
        ]

    def add(self, noted: Iterable[Noted], day: int, days: int) -> None:
        raise NotImplementedError

    def forget(self) -> None:
        raise NotImplementedError


def texts(known: AskedBefore, typed: str, count: int = 10) -> list[str]:
    return [each.text for each in known.complete(typed, count)]


def test_the_most_asked_come_first():
    known = AskedBefore(Store(silk_road=3, silk_moth=7, spider=9), lambda: NOW)

    assert texts(known, "  SÍLK") == ["silk moth", "silk road"]
    assert texts(known, "silk", 1) == ["silk moth"]
    assert known.complete("spi", 5) == [Suggestion("spider", "query")]


def test_what_few_asked_or_found_nothing_is_not_suggested():
    known = AskedBefore(Store(silk_of_my_neighbour=2, silence=50, silk=9), lambda: NOW)

    assert texts(known, "sil") == ["silk"]
    assert texts(known, "silk") == []  # it is typed already
    assert texts(known, "") == []


def test_the_log_is_read_for_some_days_and_again_after_a_while():
    store, now = Store(spider=3), [NOW]
    known = AskedBefore(store, lambda: now[0])
    texts(known, "s")
    store.asked = {"spiders": 4}

    assert texts(known, "spi") == ["spider"]
    now[0] += AGE + 1
    assert texts(known, "spi") == ["spiders"]
    assert store.days == [(100 - DAYS + 1, 100)] * 2


def test_a_log_that_cannot_be_read_leaves_what_was_known():
    store, now = Store(spider=3), [NOW]
    known = AskedBefore(store, lambda: now[0])
    texts(known, "s")
    store.fails = True
    now[0] += AGE + 1

    assert texts(known, "spi") == ["spider"]


def test_queries_take_half_of_the_room_and_repeat_nothing():
    found = [Suggestion(f"title {n}", "title") for n in range(4)]
    queries = [Suggestion("Title 1", "query"), *(Suggestion(f"q{n}", "query") for n in range(4))]

    together = with_queries(found, queries, 4)

    assert [each.text for each in together] == ["Title 1", "q0", "title 0", "title 2"]
    assert with_queries([], queries, 4) == queries[:4]
    assert with_queries(found, [], 4) == found
