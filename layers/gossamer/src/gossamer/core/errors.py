"""What can go wrong, as a tree.

GossamerError
├── TransientError          try again later
│   └── StoreFailed         a store cannot be written: disk full, no permission, locked
├── PermanentError          trying again changes nothing
│   ├── UndecodableMessage  a queue held something that is not a message of ours
│   └── CorruptRecord       a stored page cannot be read back
├── QueryError              a query cannot be read; says where
└── ConfigurationError      a person must change something; exit code 2

Expected outcomes (must wait, already known, refused by robots) are values, not exceptions.
"""

from __future__ import annotations


class GossamerError(Exception):
    """The root of everything Gossamer raises on purpose."""


class TransientError(GossamerError):
    """The same call may succeed later."""


class StoreFailed(TransientError):
    """A store cannot be written. Nothing is lost; the crawl stops until somebody made room."""


class PermanentError(GossamerError):
    """The same call will fail for ever."""


class UndecodableMessage(PermanentError):
    """A queue held bytes that are no message of ours."""


class CorruptRecord(PermanentError):
    """A stored page cannot be read back from its WARC file."""


class QueryError(GossamerError):
    """A query cannot be read; `position` counts characters from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class ConfigurationError(GossamerError):
    """A person gave us something we cannot use; the message says what and where."""
