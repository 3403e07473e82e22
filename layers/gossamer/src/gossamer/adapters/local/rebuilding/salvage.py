"""What can still be read of a damaged database: its jobs and its settings.

Settings, templates and synonyms have a copy beside it, which counts unless the database is newer.

SQLite is asked first. If it cannot read the file, the row of a job is looked for in the bytes: its
name, configuration and state lie side by side there, and other tables say nothing alike.
"""

from __future__ import annotations

import json
import mmap
import sqlite3
import zlib
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, get_args
from urllib.parse import quote

import msgspec

from gossamer.adapters.local.settings_copy import SettingsCopy, copy_file, read_copy
from gossamer.core.collection import CollectionSettings, decode_settings, unpacked
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.crawl.url_state import LIMIT_REASONS
from gossamer.core.errors import ConfigurationError
from gossamer.ports.jobs import JobRecord, JobState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.adapters.local.database import Row

MOST = 100_000  # bytes that a configuration may have
UNREADABLE = (
    sqlite3.Error, msgspec.DecodeError, ConfigurationError, OSError, ValueError, zlib.error
)  # fmt: skip


class SqliteSalvage:
    """A database that may be damaged or gone."""

    def __init__(self, database: Path) -> None:
        self._path = database

    def is_whole(self) -> bool:
        """Return whether SQLite finds nothing wrong with it."""
        return self._is_whole

    @cached_property
    def _is_whole(self) -> bool:
        try:
            version, checked = self._row("PRAGMA user_version"), self._row("PRAGMA quick_check(1)")
        except UNREADABLE:
            return False
        return checked == ("ok",) and version != (0,)

    def _row(self, sql: str, *values: object) -> Row | None:
        if not self._path.exists():
            raise FileNotFoundError(self._path)
        name = f"file:{quote(str(self._path))}?mode=ro"
        with closing(sqlite3.connect(name, uri=True)) as db:
            found: Row | None = db.execute(sql, values).fetchone()
            return found

    @cached_property
    def _copy(self) -> SettingsCopy | None:
        return None if self.is_whole() else read_copy(copy_file(self._path))

    def settings(self) -> CollectionSettings | None:
        stored, copy = self._stored_settings(), self._copy
        if copy is None or (stored is not None and stored.version > copy.settings.version):
            return stored
        return copy.settings

    def _stored_settings(self) -> CollectionSettings | None:
        try:
            row = self._row("SELECT body FROM settings")
            return decode_settings(row[0]) if row else CollectionSettings()
        except UNREADABLE:
            return None

    def read_list(self, name: str) -> str:
        if not name:
            return ""
        if self._copy is not None and name in self._copy.lists:
            return self._copy.lists[name]
        try:
            row = self._row("SELECT body FROM lists WHERE name = ?", name)
            return unpacked(row[0]) if row else ""
        except UNREADABLE:
            return ""

    def job(self, name: str) -> JobRecord | None:
        try:
            row = self._row(
                "SELECT config, state, reason, seconds, started_at FROM jobs WHERE job = ?", name
            )
            return _record(name, *row) if row else None
        except UNREADABLE:
            return self._carved(name)

    def _carved(self, name: str) -> JobRecord | None:
        """The last row of a job that the log has, or else the file."""
        for path in (Path(f"{self._path}-wal"), self._path):
            found = None
            for text in _after(path, name.encode() + b"{"):
                found = _job_in(name, text) or found
            if found is not None:
                return found
        return None


def _record(
    name: str,
    config: bytes,
    state: JobState,
    reason: str,
    seconds: float = 0.0,
    started_at: float = 0.0,
) -> JobRecord:
    if state not in get_args(JobState):
        raise ValueError(state)
    return JobRecord(
        job=name,
        rules=Rules(msgspec.json.decode(config, type=JobConfig)),
        state=state,
        reason=reason,
        seconds=float(seconds),
        started_at=float(started_at),
    )


def _after(path: Path, mark: bytes) -> Iterator[bytes]:
    """What lies in a file from the end of each mark on; the mark's last byte belongs to it."""
    if not path.exists() or not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(mark)
        while at >= 0:
            start = at + len(mark) - 1
            yield data[start : start + MOST]
            at = data.find(mark, start)


def _job_in(name: str, text: bytes) -> JobRecord | None:
    """The job in the bytes of its row, from its configuration on."""
    try:
        # One character per byte, so that the end of the object is the end of its bytes.
        _, end = json.JSONDecoder().raw_decode(text.decode("latin-1"))
        rest = text[end : end + 64].decode("latin-1")
        state = next(each for each in get_args(JobState) if rest.startswith(each))
        rest = rest.removeprefix(state)
        reason = next((each for each in LIMIT_REASONS if rest.startswith(each)), "")
        return _record(name, text[:end], state, reason)
    except (StopIteration, RecursionError, *UNREADABLE):
        return None
