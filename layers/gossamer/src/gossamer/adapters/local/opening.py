"""How the SQLite file of a collection is opened: made, brought up to date, or only read."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from gossamer.adapters.local.processes.lock import Lock
from gossamer.core.crawl.url_state import PAGE_REASONS
from gossamer.core.errors import ConfigurationError, StoreDamaged

Reader = TypeVar("Reader", bound=sqlite3.Connection)

SCHEMA_VERSION = 9
# The log is folded into the file when it has grown by so much, and at least now and then.
MAX_LOG_BYTES = 48_000_000

PROBE_BYTES = 64 * 1024  # that a disk must take not to be full: what SQLite shares has 32 kB
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)

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
}
DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
NO_TEXT = "Could not decode to UTF-8"  # what Python says, without a code, of bytes that are no text

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
    9: "ALTER TABLE urls ADD COLUMN cookies TEXT NOT NULL DEFAULT '';",
}


def connect(path: Path | None, tables: str, read_only: bool) -> sqlite3.Connection:
    """The file at a path, with these tables; in memory without one."""
    try:
        return _open(path, tables, read_only)
    except (sqlite3.Error, OSError) as error:
        if path is not None and is_damage(error):
            raise damage(path, error) from error
        raise unusable(path, error) from error


def unusable(path: Path | None, error: Exception) -> ConfigurationError:
    """What to say of a file that cannot be opened: why, and what a person can do."""
    what, advice = getattr(error, "strerror", None) or error, advice_on(error)
    if path is not None and is_disk_full(path.parent):
        what, advice = "the disk is full", "make room"
    hint = f"; {advice}, or choose another folder with --data" if advice else ""
    return ConfigurationError(f"cannot open {path}: {what}{hint}")


def is_damage(error: Exception) -> bool:
    """Whether the file cannot be read for what is in it."""
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE
    return code in DAMAGE or str(error).startswith(NO_TEXT)


def damage(path: Path, error: Exception) -> StoreDamaged:
    """What to raise then; without the bytes of a row, which a terminal might obey."""
    is_no_text = str(error).startswith(NO_TEXT)
    return StoreDamaged(path, "a row has bytes that are no text" if is_no_text else error)


def advice_on(error: Exception) -> str:
    """What a person can do about a file that cannot be written; empty for a mistake of ours."""
    if isinstance(error, OSError):
        return "make its folder one that can be written"
    return ADVICE.get(getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE, "")


def is_disk_full(folder: Path) -> bool:
    """Return whether nothing more can be written in a folder for want of room."""
    try:
        with TemporaryFile(dir=folder) as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno in DISK_FULL
    return False


class Frozen(sqlite3.Connection):
    """A reader of a file that nobody can write, for want of rights or of room."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._stamp: tuple[tuple[int, int], ...] = ()

    def note_files(self, path: Path) -> None:
        """Note how the file and its log are now."""
        self._stamp = _file_stamp(path)

    def is_thawed(self, path: Path) -> bool:
        """Return whether somebody has written after all, so that it must be opened anew."""
        return self._stamp != _file_stamp(path)


def _file_stamp(path: Path) -> tuple[tuple[int, int], ...]:
    """Return what changes with every write to a database."""
    stamp = []
    for file in (path, Path(f"{path}-wal")):
        with suppress(OSError):
            stat = file.stat()
            if stat.st_size:
                stamp.append((stat.st_size, stat.st_mtime_ns))
    return tuple(stamp)


def _open(path: Path | None, tables: str, read_only: bool) -> sqlite3.Connection:
    if path is None:
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    elif read_only:
        db = _open_to_read(path)
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


def _open_to_read(path: Path) -> sqlite3.Connection:
    """A reader beside a writer; also where nothing can be written, for want of rights or room."""
    db = _reader(path, "mode=ro", sqlite3.Connection)
    try:
        db.execute("PRAGMA user_version").fetchall()  # makes files beside the database
    except sqlite3.OperationalError:
        db.close()
        is_full = is_disk_full(path.parent)
        if not (is_full or _is_protected(path)):
            raise
        log = Path(f"{path}-wal")
        if log.exists() and log.stat().st_size:
            where = "there is room on its disk" if is_full else f"{path.parent} can be written"
            raise ConfigurationError(
                f"{path} was not closed: run `gossamer stats` once where {where}, then it can be"
                " read anywhere"
            ) from None
        # No log, and none can be made: what we read cannot change.
        frozen = _reader(path, "immutable=1", Frozen)
        frozen.note_files(path)
        return frozen
    return db


def _is_protected(path: Path) -> bool:
    """Return whether a file can be read in a folder that cannot be written."""
    return os.access(path, os.R_OK) and not os.access(path.parent, os.W_OK)


def _reader(path: Path, how: str, factory: type[Reader]) -> Reader:
    name = f"file:{quote(str(path))}?{how}"
    return sqlite3.connect(
        name, 30, isolation_level=None, check_same_thread=False, uri=True, factory=factory
    )


def _migrate(db: sqlite3.Connection, path: Path | None, tables: str, read_only: bool) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise ConfigurationError(
            f"{path} has format {version}, this gossamer reads {SCHEMA_VERSION}; "
            "use the version that wrote it, or crawl into a new folder"
        )
    if version == 0 and path is not None:
        if any((path.parent / "warc" / path.stem).glob("*.warc.gz")):
            raise StoreDamaged(path, "it is empty")
        if read_only:  # it is being made
            raise ConfigurationError(f"{path} is empty: crawl something first, or wait a moment")
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
