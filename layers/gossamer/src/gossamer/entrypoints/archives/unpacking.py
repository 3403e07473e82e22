"""The WARC files in a WACZ file, each unpacked for as long as it is read."""

from __future__ import annotations

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
        yield path
        return
    with _named(path), ZipFile(path) as file:
        warcs = _warcs(file, path)
    for each in warcs:
        with TemporaryDirectory(prefix="gossamer-") as folder:
            yield _unpacked(path, each, Path(folder))


def _warcs(file: ZipFile, path: Path) -> list[ZipInfo]:
    found = [each for each in file.infolist() if _is_warc(each.filename)]
    if not found:
        raise ValueError("it is no WACZ file: there is no WARC file in its folder archive/")
    if sum(each.file_size for each in found) > MAX_RATIO * path.stat().st_size:
        raise ValueError(f"its WARC files would be more than {MAX_RATIO} times as large as it is")
    return found


def _is_warc(name: str) -> bool:
    return name.startswith("archive/") and name.endswith((".warc", ".warc.gz"))


def _unpacked(path: Path, warc: ZipInfo, folder: Path) -> Path:
    """A file of its own: a page is read from its place, and not only once."""
    made = folder / PurePosixPath(warc.filename).name
    with _named(path), ZipFile(path) as file, file.open(warc) as packed, made.open("wb") as out:
        shutil.copyfileobj(packed, out)
    return made


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from error
