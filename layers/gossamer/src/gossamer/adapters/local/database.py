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

from gossamer.adapters.local.lock import Lock
from gossamer.core.crawl.url_state import PAGE_REASONS
from gossamer.core.errors import ConfigurationError, StoreFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Row = tuple[Any, ...]  # what SQLite answers, by the columns of the query

SCHEMA_VERSION = 8
BATCH = 500  # SQLite takes 999 variables in old builds
# Gathers the pages that finish together: 15 ms took a tenth less CPU than 3 ms, and 25 ms no less.
COMMIT_DELAY = 0.01
# The log is folded into the file when it has grown by so much, and at least now and then.
MAX_LOG_BYTES = 48_000_000

PRIMARY_CODE = 0xFF  # the rest of an SQLite error code says more of the same
# What a person can do when the file cannot be written, by SQLite's error code.
ADVICE = {
    sqlite3.SQLITE_FULL: "make room",
    sqlite3.SQLITE_IOERR: "check the disk",
    sqlite3.SQLITE_READONLY: "make the file and its folder writable",
    sqlite3.SQLITE_PERM: "make the file and its folder writable",
    sqlite3.SQLITE_CANTOPEN: "make the file and its folder accessible",
    sqlite3.SQLITE_BUSY: "end the other program that writes it",
    sqlite3.SQLITE_LOCKED: "end the other program that writes it",
    sqlite3.SQLITE_NOMEM: "free some memory",
    sqlite3.SQLITE_CORRUPT: "restore the file from a copy",
    sqlite3.SQLITE_NOTADB: "restore the file from a copy",
}

# The counters of the store itself, and the documents with their index.
TABLES = """
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
    id BLOB PRIMARY KEY, fetched_at REAL NOT NULL, body BLOB NOT NULL,
    anchors BLOB NOT NULL DEFAULT x''  -- what other pages call it
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS manifest (body BLOB NOT NULL);
"""

# What each URL has used of its job's budgets, by how it stands.
COUNT_UNITS = f"""
    UPDATE urls SET units = CASE
        WHEN state IN ('fetched', 'parsed') THEN 3
        WHEN reason IN ('{"', '".join(sorted(PAGE_REASONS))}') THEN 1
        ELSE 0 END
"""  # noqa: S608 constant

# What an older file lacks, by the version that brought it; a table that is new needs no version.
UPGRADES = {
    2: f"""
    ALTER TABLE urls ADD COLUMN units INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE frontier ADD COLUMN lease REAL NOT NULL DEFAULT 0;
    {COUNT_UNITS};
    UPDATE jobs SET (pages, documents) = (
        SELECT COALESCE(SUM(units & 1), 0), COALESCE(SUM(units & 2) / 2, 0)
        FROM urls WHERE urls.job = jobs.job
    );
    """,  # noqa: S608 constant
    3: """
    ALTER TABLE frontier ADD COLUMN digest BLOB;
    ALTER TABLE frontier ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
    CREATE INDEX frontier_by_digest ON frontier (digest);
    """,
    4: """
    ALTER TABLE urls ADD COLUMN history BLOB NOT NULL DEFAULT x'';
    ALTER TABLE urls ADD COLUMN hinted_at REAL NOT NULL DEFAULT 0;
    ALTER TABLE documents ADD COLUMN anchors BLOB NOT NULL DEFAULT x'';
    ALTER TABLE ordinals ADD COLUMN anchors BLOB NOT NULL DEFAULT x'';
    ALTER TABLE ordinals ADD COLUMN cluster INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE founders (key BLOB NOT NULL, id BLOB NOT NULL, value INTEGER NOT NULL,
        PRIMARY KEY (key, id)) WITHOUT ROWID;
    CREATE TABLE inlinks (target BLOB PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
    UPDATE hosts SET body = with_pages(body, kept.pages) FROM (
        SELECT host, COUNT(*) AS pages FROM urls
        WHERE state IN ('fetched', 'parsed', 'unchanged') GROUP BY host
    ) AS kept WHERE kept.host = hosts.host;
    """,
    # Titles and anchors are indexed as whole names too, and words of near-duplicates are read
    # differently: everything is indexed once more.
    5: """
    ALTER TABLE jobs DROP COLUMN wish;
    UPDATE ordinals SET anchors = x'00';
    DELETE FROM founders;
    """,
    6: "CREATE TABLE settings (body BLOB NOT NULL);",
    # The index lies in files beside the database: everything is indexed once more.
    7: """
    ALTER TABLE urls ADD COLUMN nearer_via BLOB;
    DROP TABLE index_items;
    DROP TABLE ordinals;
    DELETE FROM manifest;
    DELETE FROM founders;
    """,
    8: "",  # rows of documents that older programs cannot read: pages with several of them
}


class Store:
    """The SQLite file of a collection and its group commit; `tables` are those of its stores."""

    def __init__(self, path: Path | None, tables: str = "", *, read_only: bool = False) -> None:
        self.path = path
        self.counters: dict[str, int] = {}
        self.before_commit: list[Callable[[], None]] = []
        self.read_only = read_only
        self._db = _connect(path, TABLES + tables, read_only)
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

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._db.execute(sql, values).fetchall()

    def rows_of(self, query: str, ids: Sequence[object], *before: object) -> Iterator[Row]:
        """The rows of a query that ends with IN, for any number of ids after other values."""
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            marks = ",".join("?" * len(batch))
            yield from self.rows(f"{query} ({marks})", [*before, *batch])

    def iterate(self, sql: str, values: Sequence[object] = ()) -> Iterable[Row]:
        return self._db.execute(sql, values)

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        found: Row | None = self._db.execute(sql, values).fetchone()
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
        advice = ADVICE.get(getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE)
        if advice is not None:
            self._broken = self._broken or StoreFailed(
                f"cannot write {self.path}: {error}; {advice} and run the same command again"
            )
            raise self._broken from error

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
        self._lock.take(doing)

    def holder(self) -> str:
        return self._lock.holder()

    def close(self) -> None:
        try:
            self.commit()
        finally:
            self._db.close()
            self._lock.release()


def _connect(path: Path | None, tables: str, read_only: bool) -> sqlite3.Connection:
    try:
        return _open(path, tables, read_only)
    except (sqlite3.Error, OSError) as error:
        raise ConfigurationError(f"cannot open {path}: {error}") from error


def _open(path: Path | None, tables: str, read_only: bool) -> sqlite3.Connection:
    if path is None:
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    elif read_only:
        if not path.exists():
            raise FileNotFoundError("there is no such collection; crawl something first")
        db = sqlite3.connect(
            f"file:{path}?mode=ro",
            uri=True,
            isolation_level=None,
            timeout=30,
            check_same_thread=False,
        )
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(path, isolation_level=None, timeout=30, cached_statements=256)
        db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=NORMAL")
    db.execute("PRAGMA cache_size=-65536")
    db.execute("PRAGMA temp_store=MEMORY")
    db.execute("PRAGMA wal_autocheckpoint=0")
    db.execute(f"PRAGMA journal_size_limit={MAX_LOG_BYTES}")
    _migrate(db, path, tables, read_only)
    return db


def _migrate(db: sqlite3.Connection, path: Path | None, tables: str, read_only: bool) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise ConfigurationError(
            f"{path} has format {version}, this gossamer reads {SCHEMA_VERSION}; "
            "use the version that wrote it, or crawl into a new folder"
        )
    if version == 0:
        db.executescript(f"BEGIN IMMEDIATE; {tables} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;")
    elif not read_only:
        if version < SCHEMA_VERSION:
            _upgrade(db, path, version)
        db.executescript(tables)  # waits for no other writer, unless one of them is new


def _upgrade(db: sqlite3.Connection, path: Path | None, version: int) -> None:
    lock = Lock(path)
    lock.take("upgrade")  # not under the feet of an older program that is still at work
    try:
        db.create_function("with_pages", 2, _with_pages, deterministic=True)
        for number in range(version + 1, SCHEMA_VERSION + 1):
            db.executescript(
                f"BEGIN IMMEDIATE; {UPGRADES[number]} PRAGMA user_version={number}; COMMIT;"
            )
    finally:
        lock.release()


def _with_pages(body: bytes, pages: int) -> bytes:
    """The record of a host, which once did not count what was kept of it."""
    facts = msgspec.msgpack.decode(body, type=dict[str, object])
    return msgspec.msgpack.encode(facts | {"pages": pages})


_SIGN = 1 << 63  # SQLite's integers are signed


def to_signed(value: int) -> int:
    """A number below 2^64, as one that SQLite takes."""
    return value - 2 * _SIGN if value >= _SIGN else value


def from_signed(value: int) -> int:
    """The same number again."""
    return value % (2 * _SIGN)
