"""What can go wrong, as a tree.

GossamerError
├── TransientError          try again later
│   ├── StoreFailed         a store cannot be written: disk full, no permission, locked
│   ├── Throttled           a service asks for patience, and patience was had
│   └── Unreachable         a service cannot be reached, or failed on its side
├── PermanentError          trying again changes nothing
│   ├── UndecodableMessage  a queue held something that is not a message of ours
│   └── CorruptRecord       a stored page cannot be read back
├── Fault               a request failed below HTTP; `name` says how
├── QueryError              a query cannot be read; says where
└── ConfigurationError      a person must change something; exit code 2
    ├── MissingResource     a table, queue, bucket or stack is not there; names it
    └── Forbidden           a permission is missing; names what was asked for

Expected outcomes (must wait, already known, refused by robots) are values, not exceptions.
"""

from __future__ import annotations


class GossamerError(Exception):
    """The root of everything Gossamer raises on purpose."""


class TransientError(GossamerError):
    """The same call may succeed later."""


class StoreFailed(TransientError):
    """A store cannot be written. Nothing is lost; the crawl stops until somebody made room."""


class Throttled(TransientError):
    """A service takes no more at the moment, and waiting as long as we may did not help."""


class Unreachable(TransientError):
    """A service did not answer, or failed on its own side."""


class PermanentError(GossamerError):
    """The same call will fail for ever."""


class UndecodableMessage(PermanentError):
    """A queue held bytes that are no message of ours."""


class CorruptRecord(PermanentError):
    """A stored page cannot be read back from its WARC file."""


class Fault(GossamerError):
    """A request ends here; `name` is one of the faults in `ports.fetcher`."""

    def __init__(self, name: str, started_at: float = 0.0) -> None:
        super().__init__(name)
        self.name = name
        self.started_at = started_at  # 0.0 = before anything was sent


class QueryError(GossamerError):
    """A query cannot be read; `position` counts characters from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class ConfigurationError(GossamerError):
    """A person gave us something we cannot use; the message says what and where."""


class MissingResource(ConfigurationError):
    """A table, a queue, a bucket or a stack is not there; the message names it."""


class Forbidden(ConfigurationError):
    """We may not do what we tried; the message names the call and what it was for."""
