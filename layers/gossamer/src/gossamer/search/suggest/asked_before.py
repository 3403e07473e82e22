"""Completions by what others have asked, where the owner of a collection wants them.

Anyone may ask anything, so a completion is a plain query that found something, whose words are all
in the index, and that was asked on several days: one query of one person may say more about that
person than about the collection, and a burst of requests is no demand.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from gossamer.core.errors import GossamerError
from gossamer.core.index.suggestions.folding import fold
from gossamer.core.search.query_log import day_of, merged
from gossamer.core.search.result import Suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.ports.query_log import QueryLog

DAYS: Final = 7  # whose queries are suggested
MIN_DAYS: Final = 3  # of these on which a query was asked
MOST: Final = 5_000  # queries that are known
MAX_LOOKED_UP: Final = 20  # queries whose words are looked up for one completion
AGE: Final = 600.0  # seconds after which the log is read again
KIND: Final = "query"
_find_operator = re.compile(r"""["()|&!*~:<>=]|(?<!\S)[-+]""").search


class AskedBefore:
    """The queries of the last days, the most asked first."""

    def __init__(
        self,
        store: QueryLog,
        has_words: Callable[[str], bool],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`has_words`: whether the index has all words of a query."""
        self._store, self._has_words, self._clock = store, has_words, clock
        self._checked: dict[str, bool] = {}  # by query: whether the index has its words
        self._known: list[tuple[str, str]] = []  # as it is compared, and as it is shown
        self._read_at = -math.inf

    def complete(self, typed: str, count: int) -> list[Suggestion]:
        """The most asked queries that begin so."""
        wanted = fold(typed)
        if not wanted:
            return []
        found = [text for key, text in self._queries() if key.startswith(wanted) and key != wanted]
        usable = [text for text in found[:MAX_LOOKED_UP] if self._is_in_index(text)]
        return [Suggestion(text, KIND) for text in usable[:count]]

    def _is_in_index(self, query: str) -> bool:
        """Return whether the index has all words of a query, looked up once."""
        if query not in self._checked:
            self._checked[query] = self._has_words(query)
        return self._checked[query]

    def _queries(self) -> list[tuple[str, str]]:
        now = self._clock()
        if now - self._read_at > AGE:
            self._read_at = now
            try:
                self._known, self._checked = self._read(day_of(now)), {}
            except GossamerError:  # what was known must do; the search itself does not need it
                return self._known
        return self._known

    def _read(self, today: int) -> list[tuple[str, str]]:
        counts = self._store.read(today - DAYS + 1, today)
        days = Counter(each.query for each in counts if each.asked)
        often = [
            each
            for each in merged(counts)
            if each.hits and days[each.query] >= MIN_DAYS and not _find_operator(each.query)
        ]
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
