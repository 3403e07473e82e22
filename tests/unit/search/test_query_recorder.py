"""Does counting queries never stand in the way of a search?"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from gossamer.core.errors import TransientError
from gossamer.core.search.query_log import QueryCount, report, tidy
from gossamer.search.query_recorder import MOST_WAITING, Recorder

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


def recorder(store: Store, every: float = 0.0) -> Recorder:
    return Recorder(store, 30, every, clock=lambda: 86_400.0 * 3 + 5)  # type: ignore[arg-type]


def test_queries_are_written_later_by_a_thread_of_their_own():
    store = Store()
    slow = recorder(store, every=0.05)

    slow.asked("Silk", 3)
    slow.clicked("silk")

    assert store.was_written.wait(30)
    slow.flush()
    assert [(each.query, each.asked, each.clicks, day) for each, day in store.added] == [
        ("silk", 1, 0, 3),
        ("silk", 0, 1, 3),
    ]


def test_a_log_that_fails_is_said_once_and_a_search_goes_on(caplog: Any):
    failing = recorder(Store(fails=True))

    with caplog.at_level(logging.WARNING):
        failing.asked("silk", 1)
        failing.asked("silk", 1)

    assert caplog.text.count("queries are not logged: the disk is full") == 1


def test_what_waits_is_bounded():
    store = Store()
    waiting = recorder(store, every=1000.0)
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
