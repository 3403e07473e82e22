"""SegmentStore over a folder: files that are mapped into memory, and the manifest in SQLite."""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.errors import NotStored, StoreFailed
from gossamer.core.index.segments.formats import DEFAULT_FORMAT
from gossamer.core.index.segments.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from gossamer.adapters.local.database import Store
    from gossamer.core.index.segments.layout import Range
    from gossamer.core.index.segments.numbers import Buffer
    from gossamer.ports.segments import Head

UNFINISHED = ".part"
SINCE = 7  # the format of the database that has this index; before, the manifest was another


class LocalSegmentStore:
    """The files of an index; without a folder they are kept in memory."""

    format = DEFAULT_FORMAT
    is_far = False
    reads = 0.0

    def __init__(self, store: Store, folder: Path | None) -> None:
        self._store = store
        self._folder = folder
        self._open: dict[str, Buffer] = {}
        self._body, self._manifest = b"{}", Manifest()  # as it was read last
        self._is_there = False  # whether the database is known to have this index

    def manifest(self) -> Manifest:
        if not self._has_index():
            return Manifest()
        row = self._store.row("SELECT body FROM manifest")
        body = row[0] if row else b"{}"
        if body != self._body:
            self._body, self._manifest = body, msgspec.json.decode(body, type=Manifest)
            self._close_unused(self._manifest.names())
        return self._manifest

    def _has_index(self) -> bool:
        """False for a reader of an older file, until a command that writes upgrades it."""
        if not self._is_there:
            self._is_there = self._store.rows("PRAGMA user_version")[0][0] >= SINCE
        return self._is_there

    def _close_unused(self, used: set[str]) -> None:
        """Let go of files that another process has deleted, or will."""
        if self._folder is not None:
            self._open = {name: file for name, file in self._open.items() if name in used}

    def publish(self, manifest: Manifest) -> bool:
        if self.manifest().version != manifest.version - 1:
            return False
        self._store.write("DELETE FROM manifest")
        self._store.write("INSERT INTO manifest VALUES (?)", (msgspec.json.encode(manifest),))
        self._store.commit()
        return True

    def put(self, name: str, pieces: Iterable[bytes]) -> int:
        if self._folder is None:
            if name in self._open:
                raise _written_twice(name)
            self._open[name] = b"".join(pieces)
            return len(self._open[name])
        return write_file(self._folder, name, pieces)

    def read(self, ranges: Sequence[Range]) -> Sequence[Buffer]:
        return [self._read(each) if each.size else b"" for each in ranges]

    def _read(self, wanted: Range) -> Buffer:
        name, offset, size = wanted
        found = self._open.get(name)
        if found is None:
            with self._opened(name) as file:
                # What is written, merged or copied is read once: mapped, it would stay in memory.
                is_kept = self._store.read_only and name in self._manifest.names()
                if not is_kept or not os.fstat(file.fileno()).st_size:  # nothing cannot be mapped
                    return os.pread(file.fileno(), size, offset)
                found = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            self._open[name] = found
        return memoryview(found)[offset : offset + size]

    def _opened(self, name: str) -> BinaryIO:
        if self._folder is None:
            raise NotStored(f"the index has no file {name}")
        try:
            return (self._folder / name).open("rb")
        except FileNotFoundError:
            raise NotStored(f"the index has no file {name}") from None

    def delete(self, names: Sequence[str]) -> None:
        if self._folder is not None and names:
            self._store.checkpoint()  # after a power cut no older manifest may name them
        for name in names:
            self._open.pop(name, None)
            if self._folder is not None:
                (self._folder / name).unlink(missing_ok=True)

    def names(self) -> list[str]:
        if self._folder is None:
            return sorted(self._open)
        return sorted(file.name for file in self._folder.glob("*"))

    def put_heads(self, heads: Iterable[Head]) -> None:
        """Nothing: the files are as near."""

    def heads(
        self, terms: Sequence[str], segments: Sequence[str], *, are_all: bool = True
    ) -> Mapping[tuple[str, str], Head]:
        return {}

    def rests(
        self, keys: Sequence[tuple[str, str]], *, are_all: bool = True
    ) -> Mapping[tuple[str, str], bytes]:
        return {}


def write_file(folder: Path, name: str, pieces: Iterable[bytes], *, instead: bool = False) -> int:
    """Write a file that appears whole or not at all, also after a power cut; returns its size.

    `instead`: of a file of that name, which is refused otherwise.
    """
    unfinished = folder / (name + UNFINISHED)
    if (folder / name).exists() and not instead:
        raise _written_twice(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        unfinished.rename(folder / name)
    except OSError as error:
        raise StoreFailed(
            f"cannot write {unfinished}: {error.strerror}; make room or make the folder writable,"
            " and run the same command again"
        ) from error
    finally:
        with suppress(OSError):  # of a folder that cannot be written
            unfinished.unlink(missing_ok=True)
    return size


def _written_twice(name: str) -> StoreFailed:
    return StoreFailed(f"the index has a file {name} already, and no file is written twice")
