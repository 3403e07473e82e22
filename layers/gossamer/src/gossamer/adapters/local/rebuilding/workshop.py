"""Where a new database is made: a folder beside the old one, which it leaves when it is whole."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.adapters.local.home import LocalHome, index_folder
from gossamer.adapters.local.processes.lock import Lock
from gossamer.adapters.local.rebuilding.salvage import SqliteSalvage
from gossamer.adapters.local.settings_copy import copy_file
from gossamer.adapters.local.warc_files import end_counter
from gossamer.core.errors import ConfigurationError, MissingResource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gossamer.settings import Settings


class LocalRebuilding:
    """The new collection of a folder. Made with the lock of the old one, which it holds."""

    def __init__(
        self, settings: Settings, decode: Callable[[bytes, str], bytes], *, force: bool
    ) -> None:
        self._was = settings
        self._folder = Path(settings.data) / f"{settings.collection}.rebuilding"
        self.settings = replace(settings, data=str(self._folder))
        self.files = _warc_files(settings)
        self._lock = _locked(settings.database)
        try:
            self.old = SqliteSalvage(settings.database)
            self._is_damaged = not self.old.is_whole()
            if not force:
                self._check()
            self._clear()
            self.home = LocalHome(
                self.settings.database,
                settings.warc_folder,
                decode,
                collection=settings.collection,
            )
        except BaseException:
            self._lock.release()
            raise

    def _check(self) -> None:
        """Raise ConfigurationError if there is no need, or no room."""
        database = self._was.database
        if not self._is_damaged:
            raise ConfigurationError(
                f"{database} can be read: there is nothing to rebuild; if a command calls it"
                " damaged all the same, --force makes a new one from the WARC files"
            )
        needed, free = self._needed(), shutil.disk_usage(self._was.data).free
        if free < needed:
            raise ConfigurationError(
                f"a new database and index need about {needed / 1e6:,.0f} MB, and"
                f" {self._was.data} has {free / 1e6:,.0f} MB free: make room, or use --force"
            )

    def _needed(self) -> int:
        """About as much as there was; of a file that is gone or cut, about as much as pages."""
        database, index = self._was.database, index_folder(self._was.database)
        there = [database] if database.exists() else []
        there += list(index.glob("*")) if index else []
        return max(_bytes(there), _bytes(self.files) // 2)

    def _clear(self) -> None:
        """Make an empty folder; what a kill left in it is of no use."""
        try:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir()
        except OSError as error:
            raise _unwritable(self._folder, error) from error

    def add_sums(self, sums: Mapping[str, int]) -> None:
        for name, count in sums.items():
            self.home.store.count(name, count)

    def keep_ends(self, ends: Mapping[str, int]) -> None:
        self.add_sums({end_counter(name): end for name, end in ends.items()})

    def install(self) -> str:
        used = self.home.index.manifest().names() | self.home.index.manifest().parts()
        self.home.close()
        _fold(self.settings.database)
        ours, theirs = index_folder(self.settings.database), index_folder(self._was.database)
        if ours is not None and theirs is not None:
            _move_all(ours, theirs)  # names are never used twice: nothing is overwritten
        self._install_settings()
        kept = self._put_aside()
        self.settings.database.replace(self._was.database)
        _sync(self._was.database.parent)
        if theirs is not None:  # what the old database named means nothing to the new one
            _delete([file for file in theirs.glob("*") if file.name not in used])
        return kept

    def _install_settings(self) -> None:
        """Put the copy of the settings in place before the database, as every change does."""
        made = copy_file(self.settings.database)
        if made.exists():
            made.replace(copy_file(self._was.database))

    def _put_aside(self) -> str:
        """Keep the old database under another name; under its own it stays until it is replaced.

        Its log goes first: SQLite would read it into the new database.
        """
        database, log = self._was.database, Path(f"{self._was.database}-wal")
        what = "damaged" if self._is_damaged else "replaced"
        kept = Path(f"{database}.{what}-{datetime.now(UTC):%Y%m%dT%H%M%S}")
        if not self._is_damaged:
            _fold(database)
        if database.exists() and log.exists() and log.stat().st_size:
            log.rename(f"{kept}-wal")
        _delete([log, Path(f"{database}-shm")])
        if not database.exists():
            return ""
        try:
            os.link(database, kept)
        except OSError:  # a file system without links
            database.rename(kept)
        return str(kept)

    def close(self) -> None:
        """Forget what was not installed, and let others work here."""
        try:
            self.home.close()  # a second time, if it was installed, which changes nothing
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._lock.release()


def _warc_files(settings: Settings) -> list[Path]:
    """The WARC files of a collection, or MissingResource that says where there are some."""
    files = sorted(settings.warc_folder.glob("*.warc.gz"))
    if files:
        return files
    folders = Path(settings.data).glob("warc/*")
    others = sorted(folder.name for folder in folders if any(folder.glob("*.warc.gz")))
    hint = f"; choose with --collection: {', '.join(others)}" if others else ""
    raise MissingResource(f"nothing to rebuild from: no WARC files in {settings.warc_folder}{hint}")


def _locked(database: Path) -> Lock:
    lock = Lock(database)
    try:
        lock.take("rebuild")
    except OSError as error:
        raise _unwritable(database.parent, error) from error
    return lock


def _unwritable(where: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"cannot write {where}: {error.strerror}; make the folder writable, or copy it to a place"
        " that is, and rebuild it there"
    )


def _bytes(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def _fold(database: Path) -> None:
    """Leave nothing in the log, and let the file reach the disk."""
    with closing(sqlite3.connect(database)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _sync(database)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _move_all(source: Path, target: Path) -> None:
    files = list(source.glob("*"))
    if files:
        target.mkdir(parents=True, exist_ok=True)
    for file in files:
        file.replace(target / file.name)


def _delete(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
