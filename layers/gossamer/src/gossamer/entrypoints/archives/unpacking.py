"""The WARC files in a WACZ file, each unpacked for as long as it is read."""

from __future__ import annotations

import gzip
import re
import shutil
import zlib
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from zipfile import BadZipFile, ZipFile

from gossamer.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from zipfile import ZipInfo

MAX_RATIO: Final = 50  # of all WARC files to the zip; texts are packed to a tenth
_ZIP: Final = b"PK\x03\x04"
_READ_BYTES: Final = 65_536
_MAX_HEAD: Final = 65_536  # bytes of a record's head
_RECORD_END: Final = len(b"\r\n\r\n")
# The length that a record's head states; the match ends where the head does.
_find_length = re.compile(
    rb"\AWARC/1\.[01]\r\n(?:[^\r\n]+\r\n)*?content-length: *([0-9]{1,15})\r\n"
    rb"(?:[^\r\n]+\r\n)*?\r\n",
    re.IGNORECASE,
).match
_BROKEN = (BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError)


def is_wacz(path: Path) -> bool:
    """Whether a file is a zip, by its first bytes."""
    with _named(path), path.open("rb") as file:
        return file.read(len(_ZIP)) == _ZIP


def check_wacz(path: Path) -> None:
    """Raise ConfigurationError if a zip has no WARC files that can be unpacked."""
    with _named(path), ZipFile(path) as file:
        _warcs(file, path)


def warcs_of(path: Path) -> Iterator[Path]:
    """The WARC files of a source: one after another those in a WACZ file, or the file itself."""
    if not is_wacz(path):
        yield from _with_own_members(path)
        return
    with _named(path):
        file = ZipFile(path)
    with file:
        with _named(path):
            warcs = _warcs(file, path)
        for each in warcs:
            if each.file_size:
                with TemporaryDirectory(prefix="gossamer-") as folder:
                    yield from _with_own_members(_unpacked(path, file, each, Path(folder)))


def is_one_member(path: Path) -> bool:
    """Return whether the records of a WARC file are compressed together, as `gzip FILE` does."""
    unpacker, head, length = zlib.decompressobj(wbits=31), b"", 0
    with _named(path), path.open("rb") as file:
        while (data := file.read(_READ_BYTES)) and not unpacker.eof:
            try:
                piece = unpacker.decompress(data)
            except zlib.error:
                return False
            head, length = head + piece[: _MAX_HEAD - len(head)], length + len(piece)
            stated = _find_length(head)
            if stated and length > stated.end() + int(stated[1]) + _RECORD_END:
                return True
    return False


def _with_own_members(path: Path) -> Iterator[Path]:
    """Yield a WARC file of whose records each can be read from its place."""
    if not is_one_member(path):
        yield path
        return
    with TemporaryDirectory(prefix="gossamer-") as folder:
        made, room = Path(folder) / path.name, MAX_RATIO * path.stat().st_size
        with _named(path), gzip.open(path) as packed, made.open("wb") as out:
            while data := packed.read(_READ_BYTES):
                room -= len(data)
                if room < 0:
                    raise ValueError(f"it would be more than {MAX_RATIO} times as large unpacked")
                out.write(data)
        yield made


def _warcs(file: ZipFile, path: Path) -> list[ZipInfo]:
    found = [each for each in file.infolist() if _is_warc(each.filename)]
    if not found:
        raise ValueError("it is no WACZ file: there is no WARC file in its folder archive/")
    if sum(each.file_size for each in found) > MAX_RATIO * path.stat().st_size:
        raise ValueError(f"its WARC files would be more than {MAX_RATIO} times as large as it is")
    return found


def _is_warc(name: str) -> bool:
    return name.startswith("archive/") and name.endswith((".warc", ".warc.gz"))


def _unpacked(path: Path, file: ZipFile, warc: ZipInfo, folder: Path) -> Path:
    """A file of its own: a page is read from its place, and not only once."""
    made = folder / PurePosixPath(warc.filename).name
    with _named(path), file.open(warc) as packed, made.open("wb") as out:
        shutil.copyfileobj(packed, out)
    return made


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from error
