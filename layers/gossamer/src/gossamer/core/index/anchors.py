"""Names of a page as a field of its document.

A name that many links repeat says little more than one that some do, and must not drown the others:
of n equal texts 1 + log2 n are kept, the frequent ones first, as far as there is room.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.core.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Of text in UTF-8. It fits an item of DynamoDB (400 KB) with the largest body that one has, 350 KB.
MAX_BYTES: Final = 32_768
# No word contains this, so a whole name never meets a term.
NAMED: Final = "@"
MAX_NAME: Final = 128  # characters; what is longer is a sentence


def kept(anchors: Iterable[str]) -> tuple[str, ...]:
    """The anchors that are kept and indexed; equal whatever the capitals and the spaces."""
    times: dict[str, int] = {}
    spelling: dict[str, str] = {}
    for text, count in Counter(anchors).items():
        line = " ".join(text.split())
        if line:
            known = spelling.setdefault(line.casefold(), line)
            times[known] = times.get(known, 0) + count
    frequent = sorted(times, key=lambda line: -times[line])
    return _fitting(line for line in frequent for _ in range(times[line].bit_length()))


def _fitting(lines: Iterable[str]) -> tuple[str, ...]:
    room = MAX_BYTES
    found = []
    for line in lines:
        room -= len(line.encode())
        if room < 0:
            break
        found.append(line)
    return tuple(found)


def whole_name(terms: Iterable[str]) -> str:
    """The term of a whole name; empty for what is no name."""
    name = " ".join(filter(None, terms))
    return NAMED + name if 0 < len(name) <= MAX_NAME else ""


def digest(anchors: Sequence[str]) -> bytes:
    """Equal for equal anchors, empty for none: tells whether those in the index are the present."""
    return fingerprint(msgspec.msgpack.encode(anchors)) if anchors else b""
