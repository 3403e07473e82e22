"""The journal of a copy: a small file beside the collection on this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from gossamer.batch.transfer.journal import Progress
from gossamer.core.errors import ConfigurationError, StoreFailed

if TYPE_CHECKING:
    from pathlib import Path


class FileJournal:
    """A journal that a kill or a power cut leaves whole."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Progress | None:
        """The progress as it was saved last."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Progress)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError) as error:
            raise ConfigurationError(
                f"cannot read {self._path}, which says how far a copy has come: {error};"
                " delete it to begin anew"
            ) from error

    def save(self, progress: Progress) -> None:
        """Keep it; durable when this returns."""
        unfinished = self._path.with_suffix(".part")
        try:
            with unfinished.open("wb") as file:
                file.write(msgspec.json.encode(progress))
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self._path)
        except OSError as error:
            raise StoreFailed(f"cannot write {unfinished}: {error.strerror}") from error
