"""All exceptions that Gossamer raises, as a tree.

GossamerError
├── TransientError          try again later
│   ├── StoreFailed         a store cannot be written: disk full, no permission, locked
│   │   └── StoreDamaged    the database of a collection cannot be read; exit code 2
│   ├── OverBudget          a query takes longer than it may
│   ├── NotStored           a file of the index is not there any more: read the manifest again
│   ├── Throttled           a service refused for too long, although we waited and retried
│   └── Unreachable         a service cannot be reached, or failed on its side
├── PermanentError          trying again changes nothing
│   ├── UndecodableMessage  a queue held something that is not a message of ours
│   │   └── NewerMessage    a message of a newer version of the program
│   └── CorruptRecord       a stored page cannot be read back
├── Fault                   a request failed below HTTP; `name` says how
├── QueryError              a query cannot be read; says where
└── ConfigurationError      a person must change something; exit code 2
    ├── SettingError        a setting of a collection cannot be used; names it and its place
    ├── Unending            a template, or learning one, took too long on some pages
    ├── MissingResource     a collection, table, queue, bucket or stack is not there; names it
    │   └── StoreGone       the database of a collection is gone, its WARC files are there
    └── Forbidden           a permission is missing; names what was asked for

Expected outcomes (must wait, already known, refused by robots) are values, not exceptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class GossamerError(Exception):
    """The root of everything Gossamer raises on purpose."""


class TransientError(GossamerError):
    """The same call may succeed later."""


class StoreFailed(TransientError):
    """A store cannot be written. Nothing is lost; the crawl stops until that is repaired."""


def rebuild_command(database: Path) -> str:
    """What a person types to have a database made anew."""
    which = "" if database.stem == "web" else f" --collection {database.stem}"
    return f"`gossamer rebuild --data {database.parent}{which}`"


class StoreDamaged(StoreFailed):
    """The database of a collection cannot be read. Its pages can: they lie in the WARC files."""

    def __init__(self, database: Path, detail: object) -> None:
        super().__init__(
            f"{database} is damaged ({detail}); its pages are in {database.parent}/warc:"
            f" {rebuild_command(database)} makes a new database of them and keeps this file"
        )


class OverBudget(TransientError):
    """A query has taken all the time that it may take; the message says what to ask instead."""


class NotStored(TransientError):
    """A file of the index was deleted since its manifest was read; the message names it."""


class Throttled(TransientError):
    """A service refuses requests for now, and waiting and retrying did not help."""


class Unreachable(TransientError):
    """A service did not answer, or failed on its own side."""


class PermanentError(GossamerError):
    """The same call will always fail."""


class UndecodableMessage(PermanentError):
    """A queue held bytes that are not one of our messages."""


class NewerMessage(UndecodableMessage):
    """A newer version of the program sent a message that this one cannot read."""


class CorruptRecord(PermanentError):
    """A stored page cannot be read back from its WARC file."""


class Fault(GossamerError):
    """A request ends here; `name` is one of the faults in `ports.fetcher`."""

    def __init__(self, name: str, started_at: float = 0.0) -> None:
        super().__init__(name)
        self.name = name
        self.started_at = started_at  # 0.0 = before anything was sent


class QueryError(GossamerError):
    """A query cannot be read; `position` counts characters from 0, `field` names the parameter.

    Where there may be several such parameters, `text` is the one that is meant.
    """

    def __init__(self, message: str, position: int, field: str = "q", text: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.field = field
        self.text = text


class ConfigurationError(GossamerError):
    """A setting, file or argument cannot be used; the message says which and why."""


class SettingError(ConfigurationError):
    """A setting of a collection cannot be used.

    `key` is its name, part by part, and `position` the character of its value, from 0; `line` and
    `column` are those of the text that says it, from 1. What is not known is empty or None.
    """

    def __init__(
        self,
        message: str,
        key: Sequence[str] = (),
        position: int | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.key = tuple(key)
        self.position = position
        self.line, self.column = line, column

    def read_from(self, origin: str, line: int | None) -> SettingError:
        """The same, as a mistake in a file."""
        is_new = line is not None and self.line is None
        message = f"{origin}: {self.message}{f' (at line {line})' if is_new else ''}"
        return SettingError(message, self.key, self.position, self.line or line, self.column)


class Unending(ConfigurationError):
    """Work on pages was ended because it took longer, or more memory, than it may."""


class MissingResource(ConfigurationError):
    """A collection, a table, a queue, a bucket or a stack is not there; the message names it."""


class StoreGone(MissingResource):
    """The database of a collection is not there, but its WARC files are."""

    def __init__(self, database: Path, pages: Path) -> None:
        super().__init__(
            f"{database} is gone; its pages are in {pages}: {rebuild_command(database)} makes a new"
            " database of them (to begin anew instead, move that folder away)"
        )


class Forbidden(ConfigurationError):
    """The credentials do not permit a call; the message names the call and its resource."""
