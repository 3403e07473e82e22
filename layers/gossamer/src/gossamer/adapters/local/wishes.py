"""How does another process tell a running crawl to pause, go on or stop?

By a small file beside the database. A crawl at full speed holds the database's lock almost all the
time, and whoever wants to write a line into it may wait for many seconds.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import msgspec


class _Wish(msgspec.Struct):
    job: str
    wish: str


class Wishes:
    """What somebody wishes of the job that runs here; a later wish replaces an earlier one."""

    def __init__(self, database: Path | None) -> None:
        self._path = None if database is None else database.with_suffix(".wish")

    def leave(self, job: str, wish: str) -> None:
        """Leave word for the process that runs the job."""
        if self._path is None:
            return  # a collection in memory has no other process
        handle, draft = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(_Wish(job, wish)))
        Path(draft).replace(self._path)

    def take(self, job: str) -> str:
        """What is wished of the job, read once; nothing is the empty string."""
        if self._path is None or not self._path.exists():
            return ""
        # Taken away before it is read: a wish that comes meanwhile is a file of its own.
        taken = self._path.with_suffix(".wish-taken")
        self._path.replace(taken)
        try:
            found = msgspec.json.decode(taken.read_bytes(), type=_Wish)
        except msgspec.DecodeError:
            return ""  # nobody of us wrote this
        finally:
            taken.unlink()
        return found.wish if found.job == job else ""

    def forget(self) -> None:
        """Whoever was meant runs no more."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
