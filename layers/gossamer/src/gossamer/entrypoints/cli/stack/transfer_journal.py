"""The journal of a copy or a restore: a small file beside the collection on this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from gossamer.core.errors import ConfigurationError, StoreFailed

if TYPE_CHECKING:
    from pathlib import Path


T = TypeVar("T", bound=msgspec.Struct)


class FileJournal(Generic[T]):
    """A journal that a kill or a power cut leaves whole."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        self._path, self._kind = path, kind

    def load(self) -> T | None:
        """The progress as it was saved last."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=self._kind)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError) as error:
            raise ConfigurationError(
                f"cannot read {self._path}, which says how far it has come: {error};"
                " delete it to begin anew"
            ) from error

    def forget(self) -> None:
        """Delete it: what it is about is done."""
        self._path.unlink(missing_ok=True)

    def save(self, progress: T) -> None:
        """Keep it; durable when this returns."""
        unfinished = self._path.with_suffix(".part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with unfinished.open("wb") as file:
                file.write(msgspec.json.encode(progress))
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self._path)
        except OSError as error:
            raise StoreFailed(f"cannot write {unfinished}: {error.strerror}") from error
