"""A copy of the settings of a collection, with its templates and synonyms, beside the database.

Everything else in a database can be made anew from the WARC files; what an owner declared cannot.
The copy is written before the database is, so that it is never the older of the two: where only one
is left, nothing that was stored is missing.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import StoreFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

DIGEST_BYTES = 16
READABLE = 0o644


class SettingsCopy(msgspec.Struct, frozen=True):
    """Settings, and the texts of the lists that they name."""

    settings: CollectionSettings
    lists: dict[str, str]  # by the names that the settings call them


def copy_file(database: Path) -> Path:
    """Return where the copy of a collection lies."""
    return database.with_suffix(".settings")


def write_copy(path: Path, settings: CollectionSettings, lists: Mapping[str, str]) -> None:
    """Replace the copy as a whole; raises StoreFailed if it cannot be written."""
    body = msgspec.json.encode(SettingsCopy(settings, dict(lists)))
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "wb") as file:
                os.fchmod(handle, READABLE)
                file.write(_digest(body) + b"\n" + body)
                file.flush()
                os.fsync(handle)
            Path(draft).replace(path)
        except OSError:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StoreFailed(
            f"cannot write {path}: {error.strerror}; make room or make the folder writable, and run"
            " the same command again"
        ) from error


def read_copy(path: Path) -> SettingsCopy | None:
    """Return the copy; None if there is none, or none that is whole."""
    with suppress(OSError, msgspec.DecodeError):
        digest, _, body = path.read_bytes().partition(b"\n")
        if digest == _digest(body):
            return msgspec.json.decode(body, type=SettingsCopy)
    return None


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=DIGEST_BYTES).hexdigest().encode()
