"""Completions by what others have asked, where the owner of a collection logs queries.

Only what found something and was asked several times is suggested: one query of one person may say
more about that person than about the collection.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final

from gossamer.core.errors import GossamerError
from gossamer.core.index.suggestions.folding import fold
from gossamer.core.search.query_log import day_of, merged
from gossamer.core.search.result import Suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.ports.query_log import QueryLog

DAYS: Final = 7  # whose queries are suggested
AT_LEAST: Final = 3  # times that a query was asked
MOST: Final = 5_000  # queries that are known
AGE: Final = 600.0  # seconds after which the log is read again
KIND: Final = "query"


class AskedBefore:
    """The queries of the last days, the most asked first."""

    def __init__(self, store: QueryLog, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock
        self._known: list[tuple[str, str]] = []  # as it is compared, and as it is shown
        self._read_at = -math.inf

    def complete(self, typed: str, count: int) -> list[Suggestion]:
        """The most asked queries that begin so."""
        wanted = fold(typed)
        if not wanted:
            return []
        found = [text for key, text in self._queries() if key.startswith(wanted) and key != wanted]
        return [Suggestion(text, KIND) for text in found[:count]]

    def _queries(self) -> list[tuple[str, str]]:
        now = self._clock()
        if now - self._read_at > AGE:
            self._read_at = now
            try:
                self._known = self._read(day_of(now))
            except GossamerError:  # what was known must do; the search itself does not need it
                return self._known
        return self._known

    def _read(self, today: int) -> list[tuple[str, str]]:
        counts = merged(self._store.read(today - DAYS + 1, today))
        often = [each for each in counts if each.hits and each.asked >= AT_LEAST]
        often.sort(key=lambda each: (-each.asked, each.query))
        return [(fold(each.query), each.query) for each in often[:MOST]]


def with_queries(
    found: Sequence[Suggestion], queries: Sequence[Suggestion], count: int
) -> list[Suggestion]:
    """Both, at most half of them queries unless there is nothing else; each text once."""
    room = max(count // 2, count - len(found))
    chosen = {fold(each.text): each for each in queries[:room]}
    for each in found:
        chosen.setdefault(fold(each.text), each)
    return list(chosen.values())[:count]
