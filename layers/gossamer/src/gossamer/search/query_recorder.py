"""Notes queries and clicks while a search is answered, and never stands in its way.

On one machine a thread writes what was noted every few seconds; a kill loses what came since. In a
function of the cloud, which stands still between two events, each note is written at once.
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
MOST_WAITING = 1_000  # notes; more are dropped


class Recorder:
    """Counts queries for a log that may fail."""

    def __init__(
        self,
        store: QueryLog,
        days: int,
        every: float = EVERY,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`days` that counts are kept; `every` 0 writes at once."""
        self._store, self._days, self._every, self._clock = store, days, every, clock
        self._waiting: list[Noted] = []
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
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
            if len(self._waiting) < MOST_WAITING:
                self._waiting.append(noted)
            if self._every and self._timer is None:
                self._timer = threading.Timer(self._every, self.flush)
                self._timer.daemon = True
                self._timer.start()
        if not self._every:
            self.flush()

    def flush(self) -> None:
        """Write what was noted; what cannot be written is lost, and the search goes on."""
        with self._lock:
            waiting, self._waiting, self._timer = self._waiting, [], None
        try:
            if waiting:
                self._store.add(waiting, day_of(self._clock()), self._days)
        except GossamerError as error:
            if not self._has_failed:  # once: it would fill the log of the server
                log.warning("queries are not logged: %s", error)
            self._has_failed = True
