"""Notes queries and clicks while a search is answered, and never stands in its way.

On one machine a thread writes what was noted every few seconds; a kill loses what came since. A
function of the cloud stands still between two events, so a thread would write nothing: there a note
is written at once, but only some of them. In a burst the others wait for a later event, and equal
queries become one write.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from gossamer.core.errors import GossamerError
from gossamer.core.search.query_log import Noted, day_of, tidy

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.ports.query_log import QueryLog

log = logging.getLogger(__name__)

EVERY = 2.0  # seconds between two writes
MOST_WAITING = 1_000  # different queries; more are dropped
BURST = 5  # writes at once, which a function may make; then one in EVERY seconds


class Recorder:
    """Counts queries for a log that may fail."""

    def __init__(
        self,
        store: QueryLog,
        days: int,
        clock: Callable[[], float] = time.time,
        *,
        has_thread: bool = True,
    ) -> None:
        """`days` that counts are kept; without a thread notes are written while they come."""
        self._store, self._days, self._clock = store, days, clock
        self._has_thread = has_thread
        self._waiting: dict[tuple[int, str], Noted] = {}  # by day and query
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._writes, self._counted_at = float(BURST), clock()
        self._has_failed = False

    def asked(self, query: str, hits: int) -> None:
        """A query was answered."""
        self._note(Noted(tidy(query), asked=1, hits=hits))

    def clicked(self, query: str) -> None:
        """A result of a query was opened."""
        self._note(Noted(tidy(query), clicks=1))

    def _note(self, noted: Noted) -> None:
        if not noted.query:
            return
        with self._lock:
            self._keep(day_of(self._clock()), noted)
            if self._has_thread and self._timer is None:
                self._timer = threading.Timer(EVERY, self.flush)
                self._timer.daemon = True
                self._timer.start()
            may_write = not self._has_thread and self._may_write()
        if may_write:
            self.flush()

    def _keep(self, day: int, noted: Noted) -> None:
        """Add to what waits; the day is that of the query, not that of the write."""
        known = self._waiting.get((day, noted.query))
        if known is None and len(self._waiting) >= MOST_WAITING:
            return
        self._waiting[day, noted.query] = noted if known is None else known.plus(noted)

    def _may_write(self) -> bool:
        """Whether a write is left of those that come back with time."""
        now = self._clock()
        self._writes = min(BURST, self._writes + (now - self._counted_at) / EVERY)
        self._counted_at = now
        if self._writes < 1:
            return False
        self._writes -= 1
        return True

    def flush(self) -> None:
        """Write what was noted; what cannot be written is lost, and the search goes on.

        It is not tried again: what was written in part would be counted twice.
        """
        with self._lock:
            waiting, self._waiting, self._timer = self._waiting, {}, None
        try:
            for day in sorted({day for day, _ in waiting}):
                notes = [noted for (when, _), noted in waiting.items() if when == day]
                self._store.add(notes, day, self._days)
        except GossamerError as error:
            if not self._has_failed:  # once: it would fill the log of the server
                log.warning("queries are not logged: %s", error)
            self._has_failed = True
