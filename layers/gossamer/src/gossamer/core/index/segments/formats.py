"""The formats of the index that this program reads and writes.

During a release functions of two versions share an index, and either may write the manifest that
the other reads next. So a program reads one format more than it writes: format N + 1 may only add
parts that a reader of N can do without. The rule is in docs/decisions/0119.
"""

from __future__ import annotations

# That can be written, the oldest first. It is the default: the next one is written when the setting
# `index_format` is raised, after every function of a stack reads it.
WRITTEN_FORMATS = (2,)
DEFAULT_FORMAT = WRITTEN_FORMATS[0]
READ_FORMATS = range(2, WRITTEN_FORMATS[-1] + 2)


def read_formats() -> str:
    """Name the formats that are read, for messages."""
    return f"formats {READ_FORMATS[0]} to {READ_FORMATS[-1]}"
