"""Index what a crawl parses while it goes on, by a process beside it.

The crawl is the only writer of the database: it publishes what the other process has made. Nothing
here must be durable. Whether a document is indexed is told by the index itself, so what was under
way at a kill, or is given up here, is indexed when the crawl has ended or by the next one.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import TYPE_CHECKING, cast

import msgspec

from gossamer.core.errors import StoreFailed
from gossamer.core.ids import UrlId
from gossamer.entrypoints.line import Frames, framed, start_child
from gossamer.entrypoints.local.index_child import (
    Begin,
    Delete,
    Done,
    Lot,
    Publish,
    PutFounders,
    Said,
)
from gossamer.entrypoints.local.rank_beside import PutAnchors, PutInLinks

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from gossamer.messages import DocumentParsed
    from gossamer.ports.home import Home
    from gossamer.settings import Settings

log = logging.getLogger(__name__)

CHILD = "gossamer.entrypoints.local.index_child"
EVERY = 1.0  # seconds that pages wait for others: a segment of a few pages costs as much as of many
MOST = 2_000  # pages of a lot
DEATHS = 3  # of the process, after which all is left for the end of the crawl
PATIENCE = 60.0  # seconds that the last lot may take when the crawl has ended
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Said).decode


class IndexBeside:
    """Hands what was parsed to the process that indexes, lot by lot; it may rank now and then."""

    def __init__(self, home: Home, settings: Settings, *, ranks: bool = False) -> None:
        self._home, self._begin = home, Begin(settings, ranks)
        self._waiting: list[DocumentParsed] = []
        self._since = 0.0  # when the first of them came
        self._lot: list[DocumentParsed] = []  # under way
        self._child: _Child | None = None
        self._start: asyncio.Task[None] | None = None
        self._idle = asyncio.Event()
        self._deaths = 0
        # Documents that can be found: those of earlier crawls, then as the last lot left it.
        self.live = home.index.manifest().live
        self.failure: StoreFailed | None = None

    def note(self, message: DocumentParsed, now: float) -> None:
        """A page was parsed, or is gone."""
        if self._deaths >= DEATHS:  # it is found when the crawl has ended
            return
        if not self._waiting:
            self._since = now
        self._waiting.append(message)

    def tend(self, now: float) -> None:
        """Hand out the next lot, if there is one and the process is free."""
        if self.failure is not None:
            raise self.failure
        if not self._waiting or now < self._since + EVERY or self._deaths >= DEATHS:
            return
        if self._child is None:
            if self._start is None or self._start.done():
                self._start = asyncio.create_task(self._open())
        elif self._idle.is_set():
            self._hand_out(now)

    async def _open(self) -> None:
        try:
            child, line = self._start_child()
        except OSError as error:
            self._deaths += 1
            log.warning("no process can be started to index beside the crawl: %s", error)
            return
        await asyncio.get_running_loop().create_unix_connection(lambda: child, sock=line)
        child.send(_encode(self._begin))
        self._child = child

    def _start_child(self) -> tuple[_Child, socket.socket]:
        """Start the process; return it with our end of its line."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                return _Child(self, start_child(CHILD, theirs)), ours
        except OSError:
            ours.close()
            raise

    def _hand_out(self, now: float) -> None:
        self._home.commit()  # the process reads what is committed
        self._lot, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        self._since = now
        self._idle.clear()
        if self._child is not None:
            self._child.send(_encode(Lot(self._lot)))

    def heard(self, message: bytes, reply: Callable[[bytes], None]) -> None:
        """Do what the process asks for."""
        if not message:  # it is ready
            self._idle.set()
            return
        said = _decode(message)
        if isinstance(said, Done):
            self.live, self._lot = said.live, []
            self._idle.set()
        else:
            reply(b"+" if written(said, self._home) else b"-")

    def lost(self) -> None:
        """The process has ended: another one will do what it was doing."""
        if self._child is None:
            return
        self._child, self._deaths = None, self._deaths + 1
        self._waiting, self._lot = [*self._lot, *self._waiting], []
        self._idle.clear()
        what = "is replaced" if self._deaths < DEATHS else "is not replaced: the rest waits"
        log.warning("the process that indexes beside the crawl ended and %s", what)

    async def close(self, *, finish: bool) -> None:
        """End the process; with `finish`, when it has indexed what was parsed, if it can."""
        if self._start is not None:
            await self._start
        if finish and self._child is not None:
            await self._finish()
        child, self._child = self._child, None
        if child is not None:
            child.end()

    async def _finish(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while self._child is not None and (self._waiting or self._lot):
                    await self._wait_until_idle()
                    if self._waiting and self._child is not None:
                        self._hand_out(0.0)
        except TimeoutError:
            log.warning("the last pages are indexed later: the process beside the crawl is late")

    async def _wait_until_idle(self) -> None:
        while self._child is not None and not self._idle.is_set():
            if self.failure is not None:  # it waits for a reply that will not come
                raise self.failure
            await asyncio.sleep(0.01)


def written(said: Said, home: Home) -> bool:
    """Write what the process that indexes asks for; False if another did so before."""
    match said:
        case Publish(manifest):
            return home.index.publish(manifest)
        case Delete(names):
            home.index.delete(names)
        case PutFounders(founders):
            home.contents.put_founders(founders)
        case PutAnchors(called):
            home.documents.put_anchors({UrlId(id): names for id, names in called.items()})
        case PutInLinks(found):
            home.edges.put_inlinks({UrlId(id): links for id, links in found.items()})
    home.commit()  # it will read them
    return True


class _Child(asyncio.Protocol):
    """Our end of the line to the process."""

    def __init__(self, owner: IndexBeside, process: subprocess.Popen[bytes]) -> None:
        self._owner, self._process = owner, process
        self._line: asyncio.Transport | None = None
        self._received = Frames()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._line = cast("asyncio.Transport", transport)

    def send(self, message: bytes) -> None:
        """Send a message."""
        if self._line is not None:
            self._line.write(framed(message))

    def data_received(self, data: bytes) -> None:
        try:
            for message in self._received.take(data):
                self._owner.heard(message, self.send)
        except StoreFailed as error:
            self._owner.failure = error

    def connection_lost(self, exc: Exception | None) -> None:
        self.end()
        self._owner.lost()

    def end(self) -> None:
        """End the process: what it has not published is nothing yet."""
        if self._line is not None:
            self._line.abort()
        self._process.kill()
        self._process.wait()
