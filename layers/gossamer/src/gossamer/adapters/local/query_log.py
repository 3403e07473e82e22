"""QueryLog over SQLite, in a file of its own: a search must not wait for a crawl that writes."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from gossamer.core.errors import TransientError
from gossamer.core.search.query_log import QueryCount

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from gossamer.core.search.query_log import Noted

MOST = 10_000  # different queries of a day
WAIT = 1.0  # seconds for another process that writes
TABLE = """
CREATE TABLE IF NOT EXISTS queries (
    day INTEGER, query TEXT, asked INTEGER, clicks INTEGER, hits INTEGER, PRIMARY KEY (day, query)
) WITHOUT ROWID
"""
ADD = """
INSERT INTO queries SELECT :day, :query, :asked, :clicks, coalesce(:hits, 0)
WHERE EXISTS (SELECT 1 FROM queries WHERE day = :day AND query = :query)
   OR (SELECT count(*) FROM queries WHERE day = :day) < :most
ON CONFLICT (day, query) DO UPDATE SET
    asked = asked + :asked, clicks = clicks + :clicks, hits = coalesce(:hits, hits)
"""


class SqliteQueryLog:
    """Counts of queries in a file beside the collection; None keeps them in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._memory = None if path else _connected(":memory:")

    def add(self, noted: Iterable[Noted], day: int, days: int) -> None:
        rows = [{**each._asdict(), "day": day, "most": MOST} for each in noted]
        with self._opened() as db:
            db.executemany(ADD, rows)
            db.execute("DELETE FROM queries WHERE day <= ?", (day - days,))

    def read(self, first: int, last: int) -> list[QueryCount]:
        if self._path and not self._path.exists():
            return []
        with self._opened() as db:
            rows = db.execute(
                "SELECT query, asked, clicks, hits FROM queries WHERE day BETWEEN ? AND ?"
                " ORDER BY day, query",
                (first, last),
            ).fetchall()
        return [QueryCount(query=q, asked=a, clicks=c, hits=h) for q, a, c, h in rows]

    def forget(self) -> None:
        if self._path is None or self._path.exists():
            with self._opened() as db:
                db.execute("DELETE FROM queries")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are kept at the end; of a file it is opened each time."""
        try:
            if self._memory is not None:
                with self._lock, self._memory:
                    yield self._memory
                return
            with closing(_connected(str(self._path))) as db, db:
                yield db
        except sqlite3.Error as error:
            raise TransientError(f"the log of queries cannot be used: {error}") from error


def _connected(name: str) -> sqlite3.Connection:
    db = sqlite3.connect(name, timeout=WAIT, check_same_thread=False)
    db.execute("PRAGMA synchronous = OFF")  # a power cut may lose seconds; a kill loses nothing
    db.execute(TABLE)
    return db
