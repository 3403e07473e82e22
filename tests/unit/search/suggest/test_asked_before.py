"""Are queries suggested that others ask often, and none that tells of one person?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.errors import TransientError
from gossamer.core.search.query_log import DAY, QueryCount
from gossamer.core.search.result import Suggestion
from gossamer.search.suggest.asked_before import (
    AGE,
    DAYS,
    MAX_LOOKED_UP,
    AskedBefore,
    with_queries,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.search.query_log import Noted

NOW = 100.0 * DAY


class Store:
    """A log of some queries, each asked so often on each of some days."""

    def __init__(self, on_days: int = 3, **asked: int) -> None:
        self.asked, self.on_days = asked, on_days
        self.days: list[tuple[int, int]] = []
        self.fails = False

    def read(self, first: int, last: int) -> list[QueryCount]:
        self.days.append((first, last))
        if self.fails:
            raise TransientError("busy")
        return [
            QueryCount(query=name.replace("_", " "), asked=times, hits=name != "silence", clicks=0)
            for _ in range(self.on_days)
            for name, times in self.asked.items()
        ]

    def add(self, noted: Iterable[Noted], day: int, days: int) -> None:
        raise NotImplementedError

    def forget(self) -> None:
        raise NotImplementedError


WORDS = {"silk", "road", "moth", "spider", "spiders", "silence", "state-of-the-art"}


def has_words(query: str) -> bool:
    return WORDS.issuperset(query.split())


def known_of(store: Store, now: list[float] | None = None) -> AskedBefore:
    return AskedBefore(store, has_words, lambda: now[0] if now else NOW)


def texts(known: AskedBefore, typed: str, count: int = 10) -> list[str]:
    return [each.text for each in known.complete(typed, count)]


def test_the_most_asked_come_first():
    known = known_of(Store(silk_road=3, silk_moth=7, spider=9))

    assert texts(known, "  SÍLK") == ["silk moth", "silk road"]
    assert texts(known, "silk", 1) == ["silk moth"]
    assert known.complete("spi", 5) == [Suggestion("spider", "query")]


def test_what_was_asked_on_two_days_is_not_suggested_however_often():
    assert texts(known_of(Store(on_days=2, silk_road=1_000)), "silk") == []
    assert texts(known_of(Store(on_days=3, silk_road=1)), "silk") == ["silk road"]


def test_a_day_with_clicks_alone_is_none_on_which_it_was_asked():
    assert texts(known_of(Store(silk_road=0)), "silk") == []


def test_words_that_the_index_has_not_are_not_suggested():
    known = known_of(Store(silk_pills_attackword=90, silk_road=3))

    assert texts(known, "silk") == ["silk road"]


def test_words_are_looked_up_once_and_for_some_queries():
    looked_up: list[str] = []

    def note(query: str) -> bool:
        looked_up.append(query)
        return False

    store = Store(**{f"silk_{n:03d}": 3 for n in range(100)})
    known = AskedBefore(store, note, lambda: NOW)

    assert [known.complete("silk", 5) for _ in range(2)] == [[], []]
    assert len(looked_up) == MAX_LOOKED_UP


def test_operators_are_not_suggested():
    queries = [
        "silk | moth",
        '"silk road"',
        "silk -moth",
        "silk !moth",
        "title:silk",
        "(silk",
        "silk~",
    ]
    queries += ["-silk", "+silk", "silk*", "<img src=x> silk", "silk & moth"]
    known = AskedBefore(Store(**dict.fromkeys(queries, 9)), lambda _: True, lambda: NOW)

    assert not [query for query in queries if known.complete(query[:2], 99)]
    assert texts(known_of(Store(**{"state-of-the-art silk": 3})), "state") == [
        "state-of-the-art silk"
    ]


def test_what_few_asked_or_found_nothing_is_not_suggested():
    known = known_of(Store(silk_of_my_neighbour=2, silence=50, silk=9))

    assert texts(known, "sil") == ["silk"]
    assert texts(known, "silk") == []  # it is typed already
    assert texts(known, "") == []


def test_the_log_is_read_for_some_days_and_again_after_a_while():
    store, now = Store(spider=3), [NOW]
    known = known_of(store, now)
    texts(known, "s")
    store.asked = {"spiders": 4}

    assert texts(known, "spi") == ["spider"]
    now[0] += AGE + 1
    assert texts(known, "spi") == ["spiders"]
    assert store.days == [(100 - DAYS + 1, 100)] * 2


def test_a_log_that_cannot_be_read_leaves_what_was_known():
    store, now = Store(spider=3), [NOW]
    known = known_of(store, now)
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
