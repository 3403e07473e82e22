"""Replies that were given before, as long as nothing was written.

The process that holds the connections remembers them, so that a query that everyone asks costs no
hand-over to another process. Whatever a reply depends on lies in the database: as long as its files
are the same, so is the reply.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from gossamer.entrypoints.api.answers import NO_CACHE, NO_STORE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gossamer.entrypoints.api.reply import Asked, Reply
    from gossamer.entrypoints.api.server import Repliers

    Stamp = tuple[tuple[int, int, int], ...]

ROOM = 32 << 20  # bytes of replies
# Nanoseconds. A file that was written twice within a tick of the clock looks as if it was written
# once, so what was written lately may be written again without a trace.
TICK = 50_000_000
# Searches, completions and what changed between two versions of a page.
_is_kept = re.compile(r"/(?:search|suggest)\?|/documents/[^/?]+/cached\?.*since=").match
# The headers by which replies differ.
TELLING = ("accept", "accept-encoding", "host", "if-none-match", "origin")


class Remembered:
    """Asks others only what was not asked since the last write."""

    def __init__(self, others: Repliers, database: Path) -> None:
        self._others = others
        self._files = database, database.with_name(f"{database.name}-wal")
        self._stamp: Stamp | None = None
        self._known: OrderedDict[tuple[str, ...], Reply] = OrderedDict()
        self._used = 0

    async def open(self) -> None:
        """Be ready for requests."""
        await self._others.open()

    async def close(self) -> None:
        """Stop."""
        await self._others.close()

    async def reply(self, asked: Asked) -> Reply:
        """The reply to a request."""
        key = _key(asked)
        stamp = stamp_of(self._files) if key else None
        if key is None or stamp is None:
            return await self._others.reply(asked)
        if stamp != self._stamp:
            self._forget(stamp)
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
            return found
        reply = await self._others.reply(asked)
        if _may_be_kept(reply) and stamp_of(self._files) == stamp == self._stamp:
            self._keep(key, reply)
        return reply

    def _forget(self, stamp: Stamp) -> None:
        self._stamp, self._used = stamp, 0
        self._known.clear()

    def _keep(self, key: tuple[str, ...], reply: Reply) -> None:
        if key not in self._known:
            self._known[key] = reply
            self._used += len(reply.body)
        while self._used > ROOM:
            _, oldest = self._known.popitem(last=False)
            self._used -= len(oldest.body)


def _may_be_kept(reply: Reply) -> bool:
    """Return whether a reply is remembered: partial ones and those that are counted are not."""
    return reply.status == 200 and reply.headers.get("Cache-Control") not in (NO_CACHE, NO_STORE)


def _key(asked: Asked) -> tuple[str, ...] | None:
    head = asked.head
    if head.method != "GET" or _is_kept(head.target) is None:
        return None
    return head.target, *(head.headers.get(name, "") for name in TELLING)


def stamp_of(files: Sequence[Path]) -> Stamp | None:
    """What changes when a file is written; None if one was written just now."""
    found = []
    for file in files:
        try:
            stat = file.stat()
        except OSError:  # a database that is not open has no log
            found.append((0, 0, 0))
            continue
        if time.time_ns() - stat.st_mtime_ns < TICK:
            return None
        found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
    return tuple(found)
