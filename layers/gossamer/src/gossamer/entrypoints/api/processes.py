"""Replies by several processes, so that all cores search.

The parent holds the connections and hands each request to a process that is free; a process has
one request at a time. So a slow query takes one core, and the next request goes to another. What is
slow never takes all processes: one is left for what is quick. Most of it is seen in the address;
what only turns out to be slow is given up after a moment, and asked again among the slow.

A process that dies is replaced. What it was asked is asked once more of another one, unless it was
to change something.
"""

from __future__ import annotations

import asyncio
import logging
import math
import socket
import zlib
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import msgspec

from gossamer.core.errors import ConfigurationError, TransientError
from gossamer.entrypoints.api.child import ABANDON
from gossamer.entrypoints.api.connections import client_network
from gossamer.entrypoints.api.expensive import looks_slow
from gossamer.entrypoints.api.reply import Asked, Reply, refusal
from gossamer.entrypoints.line import Frames, framed, start_child

if TYPE_CHECKING:
    import subprocess

    from gossamer.settings import Settings

log = logging.getLogger(__name__)

CHILD = "gossamer.entrypoints.api.child"
RESTART_PAUSE = 1.0  # seconds between two starts in one place, if the first ended at once
READ_METHODS = ("GET", "HEAD", "OPTIONS")
QUICK = 0.2  # seconds of CPU; what needs more is slow. Of a million documents, p99 is 0.15
GIVEN_UP = 503
MOST_WAITING = 50  # slow ones: the last of them may wait for a minute or two
MOST_KNOWN = 1000  # addresses that turned out to be slow

TOO_MANY = "too many expensive queries wait; ask for less, or try again in a moment"

_encode = msgspec.msgpack.Encoder().encode
_decode_reply = msgspec.msgpack.Decoder(Reply).decode


@dataclass(eq=False, slots=True)
class _Question:
    """A request that waits for its reply."""

    number: int
    asked: Asked
    reply: asyncio.Future[Reply]
    is_slow: bool
    tries: int = 0

    @property
    def client(self) -> str:
        """Return what identifies who asks."""
        return client_network(self.asked.client)

    @property
    def may_be_slower(self) -> bool:
        return not self.is_slow and self.asked.head.method in READ_METHODS


class Processes:
    """Some processes that answer requests."""

    def __init__(self, settings: Settings, count: int) -> None:
        self._settings = _encode(settings)
        self._count = count
        self._idle: list[_Child] = []
        self._children: set[_Child] = set()
        self._starts: set[asyncio.Task[None]] = set()
        self._quick: deque[_Question] = deque()
        self._slow: deque[_Question] = deque()
        self._known_slow: set[str] = set()
        self._last_slow_client = ""
        self._asked = self._slow_under_way = 0
        self._is_closing = False

    async def open(self) -> None:
        """Start all of them; raises ConfigurationError if one does not come up."""
        await asyncio.gather(*(self._start(place) for place in range(self._count)))

    async def reply(self, asked: Asked) -> Reply:
        """The reply of the next process that is free."""
        self._asked += 1
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        target = asked.head.target
        is_slow = target in self._known_slow or looks_slow(target, asked.body)
        if is_slow and len(self._slow) >= MOST_WAITING:
            return refusal(503, TOO_MANY)
        question = _Question(self._asked, asked, future, is_slow)
        self._wait(question)
        try:
            return await future
        except asyncio.CancelledError:
            self._abandon(question)
            raise

    def check(self) -> None:
        """Raise TransientError if there is no process that could reply."""
        if not any(child.was_ready for child in self._children):
            raise TransientError("no process answers; try again in a moment")

    async def close(self) -> None:
        """End all of them."""
        self._is_closing = True
        for start in self._starts:
            start.cancel()
        await asyncio.gather(*self._starts, return_exceptions=True)
        for child in list(self._children):
            child.end()

    def _wait(self, question: _Question) -> None:
        (self._slow if question.is_slow else self._quick).append(question)
        self._hand_out()

    def _abandon(self, question: _Question) -> None:
        """Drop the request of a client that has hung up, whether it waits or is under way."""
        for queue in (self._quick, self._slow):
            if question in queue:
                queue.remove(question)
        for child in self._children:
            child.abandon(question)

    def _hand_out(self) -> None:
        while self._idle and (question := self._next()):
            self._slow_under_way += question.is_slow
            self._free_for(question).ask(question)

    def _next(self) -> _Question | None:
        """The question that has waited longest, of those that may be asked now."""
        may_be_slow = self._slow_under_way < max(1, self._count - 1)
        queues = [self._quick, self._slow] if may_be_slow else [self._quick]
        oldest = min(filter(None, queues), key=lambda queue: queue[0].number, default=None)
        if oldest is self._slow:
            return self._next_slow()
        return oldest.popleft() if oldest else None

    def _next_slow(self) -> _Question:
        """Take turns, so that a client with many slow requests delays others by one of them."""
        last = self._last_slow_client
        turns = (question for question in self._slow if question.client != last)
        question = next(turns, self._slow[0])
        self._slow.remove(question)
        self._last_slow_client = question.client
        return question

    def _free_for(self, question: _Question) -> _Child:
        """The process that was asked the same before, if it is free, or else any."""
        place = zlib.crc32(question.asked.head.target.encode()) % self._count
        at = next((n for n, child in enumerate(self._idle) if child.place == place), -1)
        return self._idle.pop(at)

    async def _start(self, place: int) -> None:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        with theirs:
            child = _Child(self, place, start_child(CHILD, theirs), loop.time())
        self._children.add(child)
        await loop.create_unix_connection(lambda: child, sock=ours)
        child.send(self._settings)
        await child.ready

    def is_free(self, child: _Child) -> None:
        """A process can be asked."""
        self._idle.append(child)
        self._hand_out()

    def has_replied(self, child: _Child, question: _Question, reply: Reply) -> None:
        """A process has replied, or has given up what it took for quick."""
        self._slow_under_way -= question.is_slow
        if not question.reply.done():
            if reply.status == GIVEN_UP and question.may_be_slower:
                self._ask_patiently(question)
            else:
                question.reply.set_result(reply)
        self.is_free(child)

    def _ask_patiently(self, question: _Question) -> None:
        if len(self._known_slow) >= MOST_KNOWN:
            self._known_slow.clear()
        self._known_slow.add(question.asked.head.target)
        question.is_slow = True
        self._slow.appendleft(question)  # it has waited already, and others look slower

    def is_lost(self, child: _Child, question: _Question | None) -> None:
        """A process has ended: replace it, and ask another one what it was asked."""
        self._children.discard(child)
        if child in self._idle:
            self._idle.remove(child)
        if question is not None:
            self._slow_under_way -= question.is_slow
            self._ask_again(question)
        if not self._is_closing and child.was_ready:
            log.warning("a serving process ended and is replaced")
            self._replace(child)

    def _ask_again(self, question: _Question) -> None:
        if question.reply.done():
            return
        question.tries += 1
        if question.tries > 1 or question.asked.head.method not in READ_METHODS:
            question.reply.set_result(refusal(500))
        else:
            self._wait(question)

    def _replace(self, child: _Child) -> None:
        start = asyncio.get_running_loop().create_task(self._restart(child))
        self._starts.add(start)
        start.add_done_callback(self._starts.discard)

    async def _restart(self, child: _Child) -> None:
        """Start another process in the same place; again and again, if it does not come up."""
        loop = asyncio.get_running_loop()
        pause = RESTART_PAUSE - (loop.time() - child.started_at)
        while True:
            await asyncio.sleep(max(0.0, pause))
            try:
                return await self._start(child.place)
            except ConfigurationError as error:
                log.error("%s", error)
                pause = RESTART_PAUSE


@dataclass(eq=False, slots=True)
class _Child(asyncio.Protocol):
    """The parent's end of the line to a process."""

    owner: Processes
    place: int
    process: subprocess.Popen[bytes]
    started_at: float
    ready: asyncio.Future[None] = field(default_factory=asyncio.Future)
    was_ready: bool = False
    _line: asyncio.Transport | None = None
    _received: Frames = field(default_factory=Frames)
    _question: _Question | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._line = cast("asyncio.Transport", transport)

    def send(self, message: bytes) -> None:
        """Send a message."""
        if self._line is not None:
            self._line.write(framed(message))

    def ask(self, question: _Question) -> None:
        """Ask it something; it must be free."""
        self._question = question
        patience = math.inf if question.is_slow else QUICK
        self.send(_encode(msgspec.structs.replace(question.asked, patience=patience)))

    def abandon(self, question: _Question) -> None:
        """Tell it that nobody waits for its reply any more, if that is what it is asked."""
        if self._question is question:
            self.send(ABANDON)

    def data_received(self, data: bytes) -> None:
        for message in self._received.take(data):
            if self._question is None:
                self.was_ready = True
                self.ready.set_result(None)
                self.owner.is_free(self)
            else:
                self._replied(self._question, _decode_reply(message))

    def _replied(self, question: _Question, reply: Reply) -> None:
        self._question = None
        self.owner.has_replied(self, question, reply)

    def connection_lost(self, exc: Exception | None) -> None:
        self.process.kill()
        code = self.process.wait()
        if not self.ready.done():
            self.ready.set_exception(_not_started(code))
        self.owner.is_lost(self, self._question)

    def end(self) -> None:
        """End the process: it only reads, so nothing is lost."""
        if self._line is not None:
            self._line.abort()
        self.process.kill()
        self.process.wait()


def _not_started(code: int) -> ConfigurationError:
    return ConfigurationError(
        f"a serving process ended at its start with {code}; what it said is above, or try"
        " `--processes 1`"
    )
