"""A control file: another process tells a running crawl to pause, resume or stop.

The file is beside the database. A crawl at full speed holds the database's lock almost all the
time, so another writer might wait for many seconds.
"""

from __future__ import annotations

import logging
import os
import tempfile
from pathlib import Path

from gossamer.core.fingerprint import fingerprint

log = logging.getLogger(__name__)

COMMANDS = ("pause", "resume", "stop")
READABLE = 0o644  # the crawl may run as another user


class ControlFile:
    """The pending command for a job that runs here; a later command replaces an earlier one."""

    def __init__(self, database: Path | None) -> None:
        self._database = database

    def leave(self, job: str, wish: str) -> None:
        """Leave word for the process that runs the job."""
        if self._database is None:
            return  # a collection in memory has no other process
        path = self._path(job, self._database)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        with os.fdopen(handle, "w") as file:
            os.fchmod(handle, READABLE)
            file.write(wish)
        Path(draft).replace(path)

    def take(self, job: str) -> str:
        if self._database is None:
            return ""
        path = self._path(job, self._database)
        if not path.exists():
            return ""
        # Taken away before it is read: a wish that comes meanwhile is a file of its own.
        taken = path.with_name(f"{path.name}-taken")
        try:
            path.replace(taken)
            wish = taken.read_text(errors="replace")
            taken.unlink()
        except OSError as error:  # no reason to end a crawl
            log.warning("a wish could not be read: %s", error)
            return ""
        return wish if wish in COMMANDS else ""

    def forget(self) -> None:
        if self._database is not None:
            for path in self._database.parent.glob(f"{self._database.stem}.wish-*"):
                path.unlink(missing_ok=True)

    @staticmethod
    def _path(job: str, database: Path) -> Path:
        return database.with_suffix(f".wish-{fingerprint(job.encode()).hex()}")
