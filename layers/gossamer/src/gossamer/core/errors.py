"""What can go wrong, as a tree.

GossamerError
├── TransientError          try again later
│   └── StoreBusy           a store could not be written just now
├── PermanentError          trying again changes nothing
│   ├── UndecodableMessage  a queue held something that is not a message of ours
│   └── CorruptRecord       a stored page cannot be read back
└── ConfigurationError      a person must change something; exit code 2

Expected outcomes (must wait, already known, refused by robots) are values, not exceptions.
"""

from __future__ import annotations


class GossamerError(Exception):
    """The root of everything Gossamer raises on purpose."""


class TransientError(GossamerError):
    """The same call may succeed later."""


class StoreBusy(TransientError):
    """A store could not be written within its patience."""


class PermanentError(GossamerError):
    """The same call will fail for ever."""


class UndecodableMessage(PermanentError):
    """A queue held bytes that are no message of ours."""


class CorruptRecord(PermanentError):
    """A stored page cannot be read back from its WARC file."""


class ConfigurationError(GossamerError):
    """A person gave us something we cannot use; the message says what and where."""
