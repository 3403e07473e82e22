"""One SQLite file for everything of a collection.

One connection writes. Writes gather in an open transaction and are committed together a few
milliseconds later, so a page costs a fraction of a commit. Because every write of a crawl goes
through this one file in order, what a kill leaves behind is a consistent prefix of what happened.
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import zstandard

from gossamer.adapters.local.opening import (
    Frozen,
    advice_on,
    connect,
    damage,
    is_damage,
    is_disk_full,
    unusable,
)
from gossamer.adapters.local.processes.lock import Lock
from gossamer.core.errors import StoreDamaged, StoreFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Row = tuple[Any, ...]  # what SQLite answers, by the columns of the query

BATCH = 500  # SQLite takes 999 variables in old builds
# Gathers the pages that finish together: 15 ms took a tenth less CPU than 3 ms, and 25 ms no less.
COMMIT_DELAY = 0.01
# What decoding raises where the bytes of a row are not those that were written.
UNREADABLE = (msgspec.DecodeError, zstandard.ZstdError, ValueError)

# The counters of the store itself, and the documents with their index.
TABLES = """
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
    id BLOB PRIMARY KEY, fetched_at REAL NOT NULL, body BLOB NOT NULL,
    anchors BLOB NOT NULL DEFAULT x''  -- what other pages call it
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS manifest (body BLOB NOT NULL);
"""


class Store:
    """The SQLite file of a collection and its group commit; `tables` are those of its stores."""

    def __init__(self, path: Path | None, tables: str = "", *, read_only: bool = False) -> None:
        self.path = path
        self.counters: dict[str, int] = {}
        self.before_commit: list[Callable[[], None]] = []
        self.read_only = read_only
        self._tables = TABLES + tables
        self._db = connect(path, self._tables, read_only)
        self._open = False
        self._broken: StoreFailed | None = None
        self._waiting: asyncio.Future[None] | None = None
        self._lock = Lock(path)
        self._dirty_counters: set[str] = set()
        self.counters.update(self.rows("SELECT name, value FROM counters"))
        self.before_commit.append(self._flush_counters)

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter that is committed with everything else."""
        self.counters[name] = self.counters.get(name, 0) + by
        self._dirty_counters.add(name)
        self._begin()

    def _flush_counters(self) -> None:
        dirty = [(name, self.counters[name]) for name in self._dirty_counters]
        self._dirty_counters.clear()
        self.write_all("INSERT OR REPLACE INTO counters VALUES (?, ?)", dirty)

    def clear(self) -> dict[str, int]:
        """Delete all rows; returns how many of which table. Stores must be made anew after it."""
        self.commit()  # what they have in memory
        self.before_commit = [self._flush_counters]
        self._dirty_counters.clear()
        self.counters.clear()
        tables = self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        items = {
            name: self.write(f"DELETE FROM {name}").rowcount  # noqa: S608 our own tables
            for (name,) in tables
            if not name.startswith("sqlite_")
        }
        self.commit()
        return items

    def _current(self) -> sqlite3.Connection:
        """Return the connection, opened anew if what could not be written has been written."""
        if isinstance(self._db, Frozen) and self.path and self._db.is_thawed(self.path):
            self._db = connect(self.path, self._tables, self.read_only)
        return self._db

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        try:
            return self._current().execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            self._notice_damage(error)
            raise

    def rows_of(self, query: str, ids: Sequence[object], *before: object) -> Iterator[Row]:
        """The rows of a query that ends with IN, for any number of ids after other values."""
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            marks = ",".join("?" * len(batch))
            yield from self.rows(f"{query} ({marks})", [*before, *batch])

    def iterate(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        try:
            yield from self._current().execute(sql, values)
        except sqlite3.DatabaseError as error:
            self._notice_damage(error)
            raise

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        try:
            found: Row | None = self._current().execute(sql, values).fetchone()
        except sqlite3.DatabaseError as error:
            self._notice_damage(error)
            raise
        return found

    def write(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """One statement inside the open transaction."""
        self._begin()
        return self._execute(sql, values)

    def _execute(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(sql, values)
        except sqlite3.DatabaseError as error:
            self._notice(error)
            raise

    def write_all(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        self._begin()
        try:
            self._db.executemany(sql, values)
        except sqlite3.DatabaseError as error:
            self._notice(error)
            raise

    def touch(self) -> None:
        """Something in memory waits for the next commit."""
        self._begin()

    def _begin(self) -> None:
        if not self._open:
            self._execute("BEGIN IMMEDIATE")
            self._open = True

    def _notice(self, error: sqlite3.DatabaseError) -> None:
        """Raise StoreFailed if the file cannot be written; a mistake in a statement is a bug.

        From now on memory and file differ: nothing may be committed any more.
        """
        self._notice_damage(error)
        advice = advice_on(error)
        if advice:
            what: object = error
            if self.path is not None and is_disk_full(self.path.parent):
                what, advice = "the disk is full", "make room"
            self._broken = self._broken or StoreFailed(
                f"cannot write {self.path}: {what}; {advice} and run the same command again"
            )
            raise self._broken from error

    def _notice_damage(self, error: sqlite3.DatabaseError) -> None:
        if self.path is not None and is_damage(error):
            self._broken = damage(self.path, error)
            raise self._broken from error

    def unreadable(self, error: Exception) -> Exception:
        """What to raise when a row cannot be decoded: its bytes are not those that were written."""
        return error if self.path is None else StoreDamaged(self.path, ascii(str(error))[1:-1])

    def commit(self) -> None:
        if self._broken is not None:
            raise self._broken
        if self._open:
            for flush in self.before_commit:
                flush()
            self._execute("COMMIT")
            self._open = False
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    async def committed(self) -> None:
        if not self._open:
            return
        if self._waiting is None:
            loop = asyncio.get_running_loop()
            self._waiting = loop.create_future()
            loop.call_later(COMMIT_DELAY, self._commit_for_waiting)
        await asyncio.shield(self._waiting)

    def _commit_for_waiting(self) -> None:
        try:
            self.commit()
        except StoreFailed as error:
            waiting, self._waiting = self._waiting, None
            if waiting is not None and not waiting.done():
                waiting.set_exception(error)

    def log_bytes(self) -> int:
        """How long the write-ahead log has become."""
        log = Path(f"{self.path}-wal")
        return log.stat().st_size if self.path is not None and log.exists() else 0

    def checkpoint_beside(self) -> None:
        """Fold most of the log into the file while writing goes on; any thread may call this."""
        if self.path is not None:
            with closing(sqlite3.connect(self.path, timeout=30)) as db:
                db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def checkpoint(self) -> None:
        """Fold the rest, so that the log can begin anew."""
        self.commit()
        self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def lock(self, doing: str) -> None:
        try:
            self._lock.take(doing)
        except OSError as error:
            raise unusable(self.path, error) from error

    def holder(self) -> str:
        return self._lock.holder()

    def close(self) -> None:
        try:
            self.commit()
        finally:
            self._db.close()
            self._lock.release()


_SIGN = 1 << 63  # SQLite's integers are signed


def to_signed(value: int) -> int:
    """A number below 2^64, as one that SQLite takes."""
    return value - 2 * _SIGN if value >= _SIGN else value


def from_signed(value: int) -> int:
    """The same number again."""
    return value % (2 * _SIGN)
