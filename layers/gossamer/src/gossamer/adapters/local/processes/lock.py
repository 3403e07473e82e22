"""The lock of a collection: one writer at a time; a file beside the database names it."""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING, TextIO

from gossamer.core.errors import ConfigurationError
from gossamer.ports.home import CRAWL

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN = "unknown"
# A reader that looks who holds the lock has it for a moment itself, and the page looks often.
LOOKS, LOOK = 5, 0.02  # how often it is tried again, after how many seconds


class Lock:
    """Held until it is released or its process ends, however it ends."""

    def __init__(self, database: Path | None) -> None:
        self._path = None if database is None else database.with_suffix(".lock")
        self._file: TextIO | None = None

    def take(self, doing: str) -> None:
        if self._path is None:
            return
        file = self._path.open("a+")
        try:
            _lock(file)
        except OSError as error:
            pid, other = _read(file)
            file.close()
            hint = ", or stop it with `gossamer stop`" if other == CRAWL else ""
            raise ConfigurationError(
                f"another gossamer (pid {pid}, {other}) is working in {self._path.parent}; "
                f"wait for it{hint}"
            ) from error
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()} {doing}")
        file.flush()
        self._file = file

    def holder(self) -> str:
        """What the lock's holder is doing; empty if there is none."""
        if self._path is None or not self._path.exists():
            return ""
        with self._path.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return _read(file)[1]
        return ""

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _lock(file: TextIO) -> None:
    """Lock a file; raises OSError if another process has it for longer than a look takes."""
    for _ in range(LOOKS):
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(LOOK)
    return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _read(file: TextIO) -> tuple[str, str]:
    file.seek(0)
    pid, _, doing = file.read().strip().partition(" ")
    return pid or UNKNOWN, doing or UNKNOWN
