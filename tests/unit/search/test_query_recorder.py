"""Does counting queries never stand in the way of a search?"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

from gossamer.core.errors import TransientError
from gossamer.core.search.query_log import QueryCount, report, tidy
from gossamer.search import query_recorder
from gossamer.search.query_recorder import BURST, EVERY, MOST_WAITING, Recorder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.search.query_log import Noted


class Store:
    """Keeps what is added, or fails."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.added: list[tuple[Noted, int]] = []
        self.was_written = threading.Event()

    def add(self, noted: Iterable[Noted], day: int, days: int) -> None:
        if self.fails:
            raise TransientError("the disk is full")
        self.added += [(each, day) for each in noted]
        self.was_written.set()


DAY = 86_400.0


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = DAY * 3 + 5

    def __call__(self) -> float:
        return self.now


def recorder(store: Store, clock: Clock | None = None, *, has_thread: bool = False) -> Recorder:
    return Recorder(store, 30, clock or Clock(), has_thread=has_thread)  # type: ignore[arg-type]


def counted(store: Store) -> Counter[tuple[int, str]]:
    """How often each query of a day was asked and clicked."""
    found: Counter[tuple[int, str]] = Counter()
    for noted, day in store.added:
        found[day, noted.query] += noted.asked + noted.clicks
    return found


def test_queries_are_written_later_by_a_thread_of_their_own(monkeypatch: Any):
    monkeypatch.setattr(query_recorder, "EVERY", 0.05)
    store = Store()
    slow = recorder(store, has_thread=True)

    slow.asked("Silk", 3)
    slow.clicked("silk")

    assert store.was_written.wait(30)
    slow.flush()
    assert counted(store) == {(3, "silk"): 2}


def test_a_function_that_is_seldom_asked_writes_every_query_at_once():
    """No query may follow, and the process would end with what waits."""
    store, clock = Store(), Clock()
    quiet = recorder(store, clock)

    for number in range(20):
        quiet.asked(f"query {number}", 1)
        assert len(store.added) == number + 1
        clock.now += EVERY


def test_a_burst_is_written_together_and_equal_queries_once():
    store, clock = Store(), Clock()
    busy = recorder(store, clock)

    for number in range(100):
        busy.asked(f"query {number % 3}", number)
        busy.clicked(f"query {number % 3}")
    assert len(store.added) == BURST

    clock.now += EVERY
    busy.asked("last", 1)

    assert len(store.added) == BURST + 4
    assert sum(counted(store).values()) == 201
    assert {each.query: each.hits for each, _ in store.added[BURST:]} == {
        "query 0": 99, "query 1": 97, "query 2": 98, "last": 1,
    }  # fmt: skip


def test_a_query_counts_for_the_day_on_which_it_was_asked():
    store, clock = Store(), Clock()
    busy = recorder(store, clock)
    clock.now = DAY * 4 - 1
    for _ in range(BURST + 7):
        busy.asked("late", 1)

    clock.now = DAY * 4 + 1
    busy.asked("early", 1)

    assert counted(store) == {(3, "late"): BURST + 7, (4, "early"): 1}


def test_what_could_not_be_written_is_not_written_again():
    store = Store(fails=True)
    failing = recorder(store)
    failing.asked("silk", 1)
    store.fails = False

    failing.asked("moth", 1)

    assert counted(store) == {(3, "moth"): 1}


def test_a_log_that_fails_is_said_once_and_a_search_goes_on(caplog: Any):
    failing = recorder(Store(fails=True))

    with caplog.at_level(logging.WARNING):
        failing.asked("silk", 1)
        failing.asked("silk", 1)

    assert caplog.text.count("queries are not logged: the disk is full") == 1


def test_what_waits_is_bounded():
    store = Store()
    waiting = recorder(store, has_thread=True)
    for number in range(MOST_WAITING + 50):
        waiting.asked(f"query {number}", 1)
    waiting.flush()

    assert len(store.added) == MOST_WAITING


def test_queries_are_counted_in_small_letters_and_not_without_letters():
    store = Store()
    recorder(store).asked("   ", 0)

    assert store.added == []
    assert tidy("  Spider   SILK ") == "spider silk"
    assert len(tidy("x" * 10_000)) == 200


def test_a_report_has_the_most_asked_the_unanswered_and_the_unopened():
    def one(query: str, asked: int, hits: int, clicks: int) -> QueryCount:
        return QueryCount(query=query, asked=asked, hits=hits, clicks=clicks)

    counts = [one("silk", 1, 9, 0), one("moth", 5, 0, 0), one("silk", 2, 7, 1), one("web", 2, 3, 0)]

    found = report(counts, 7, 2)

    assert found.asked == 10
    assert found.most == [one("moth", 5, 0, 0), one("silk", 3, 7, 1)]
    assert found.no_result == [one("moth", 5, 0, 0)]
    assert found.no_click == [one("web", 2, 3, 0)]
