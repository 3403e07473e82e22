"""The HTTP server of one machine: an asyncio loop holds connections, others reply.

Who replies is threads of this process (threads.py) or other processes (processes.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from asyncio import StreamReader, StreamReaderProtocol
from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from gossamer.entrypoints.api.access import Access
from gossamer.entrypoints.api.connections import Connections, client_address
from gossamer.entrypoints.api.gateway_event import MAX_TARGET, Head, Refused, parse_head
from gossamer.entrypoints.api.reply import Asked, Reply, refusal

if TYPE_CHECKING:
    from asyncio import StreamWriter
    from collections.abc import Callable, Iterator

MAX_HEAD = MAX_TARGET + 16 * 1024  # bytes of request line and headers
PATIENCE = 20.0  # seconds for a request to arrive, from the end of the one before
SEND_PATIENCE = 20.0  # seconds for an answer to be taken
GRACE = 5.0  # seconds that requests under way may still take once we were told to stop
OWN = Access()  # nothing but its own pages, by its own names
HEALTH = "/health"
TOO_MANY = "too many requests of this address, or of all clients, are under way"
LINGER = 1.0  # seconds in which what a refused client still sends is thrown away


class Repliers(Protocol):
    """Who replies to requests, several at once."""

    async def open(self) -> None:
        """Be ready for requests."""

    async def reply(self, asked: Asked) -> Reply:
        """The reply to a request."""

    async def close(self) -> None:
        """Stop; what is under way may be dropped."""


def serve(
    repliers: Repliers,
    host: str = "127.0.0.1",
    port: int = 8080,
    ready: Callable[[str], None] | None = None,
    access: Access = OWN,
) -> None:
    """Serve until SIGINT or SIGTERM; requests under way are answered first.

    `ready` is told the address. Raises OSError if the port cannot be had.
    """

    async def main() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)

        def stop_once() -> None:
            stop.set()
            for number in signals:  # a second Ctrl-C does not wait
                loop.remove_signal_handler(number)

        for number in signals:
            loop.add_signal_handler(number, stop_once)
        await Server(repliers, access).run(host, port, stop, ready)

    asyncio.run(main())


class Server:
    """Connections, and who replies to what comes over them."""

    def __init__(self, repliers: Repliers, access: Access = OWN) -> None:
        self._repliers = repliers
        self._access = access
        self._listening = ""  # the address, as it was given
        self._connections: set[asyncio.Task[None]] = set()
        self._room = Connections()
        self._stopping = False

    async def run(
        self, host: str, port: int, stop: asyncio.Event, ready: Callable[[str], None] | None
    ) -> None:
        """Serve until `stop` is set."""
        self._listening = host
        server = await asyncio.get_running_loop().create_server(
            lambda: StreamReaderProtocol(ClientStream(MAX_HEAD), self._accept),
            *(host, port),
            backlog=256,
        )
        try:
            await self._repliers.open()
            if ready:
                ready(_address(host, server))
            await stop.wait()
        finally:
            server.close()
            await self._drain()
            await server.wait_closed()
            await self._repliers.close()

    async def _drain(self) -> None:
        self._stopping = True
        self._room.close_waiting()
        if self._connections:
            _, late = await asyncio.wait(self._connections, timeout=GRACE)
            for connection in late:
                connection.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        assert isinstance(reader, ClientStream)  # noqa: S101 — `run` makes no other
        connection = asyncio.get_running_loop().create_task(self._converse(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)
        connection.add_done_callback(self._room.remove)

    async def _converse(self, reader: ClientStream, writer: StreamWriter) -> None:
        """Request after request, until one side closes the connection."""
        client = str((writer.get_extra_info("peername") or ("",))[0])
        has_room = self._room.add(_current_task(), client)
        # Silence, a cut line or our own stop: there is no client left to answer.
        gone = (OSError, EOFError, asyncio.CancelledError)
        with contextlib.suppress(*gone):
            try:
                while await self._exchange(reader, writer, client, has_room=has_room):
                    pass
            except Refused as refused:
                await self._refuse(reader, writer, refused)
        writer.close()
        with contextlib.suppress(*gone):
            await writer.wait_closed()

    async def _exchange(
        self, reader: ClientStream, writer: StreamWriter, client: str, *, has_room: bool
    ) -> bool:
        """One request and its answer; whether another may follow.

        Without room only what watches the server is answered.
        """
        with self._room.waiting(_current_task()):
            head = await self._next_head(reader)
            self._access.check(head.method, head.headers, self._listening)
            if not has_room and head.target != HEALTH:
                raise Refused(503, TOO_MANY)
            async with asyncio.timeout(PATIENCE):
                body = await _read_body(head, reader, writer)
        with reader.hanging_up_cancels():
            address = client_address(client, head.headers)
            reply = await self._repliers.reply(Asked(head, body, address))
        headers = self._access.granted(reply.headers, head.headers.get("origin", ""))
        reply = Reply(reply.status, headers, reply.body)
        keep = head.keeps_alive and not self._stopping
        async with asyncio.timeout(SEND_PATIENCE):
            writer.write(_written(reply, keep=keep, bodiless=head.method == "HEAD"))
            await writer.drain()
        return keep

    async def _next_head(self, reader: StreamReader) -> Head:
        try:
            async with asyncio.timeout(PATIENCE):
                return parse_head(await reader.readuntil(b"\r\n\r\n"))
        except asyncio.LimitOverrunError:
            raise Refused(431) from None

    async def _refuse(self, reader: StreamReader, writer: StreamWriter, refused: Refused) -> None:
        reply = refusal(refused.status, refused.message)
        with self._room.waiting(_current_task()):
            async with asyncio.timeout(LINGER):
                writer.write(_written(reply, keep=False))
                writer.write_eof()
                # To close while a client is still sending would reset the connection, and the
                # answer with it.
                while await reader.read(MAX_HEAD):
                    pass


class ClientStream(StreamReader):
    """What a client sends. Its end is noticed while nobody reads, too."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self._has_ended = False
        self._working: asyncio.Task[object] | None = None

    @contextlib.contextmanager
    def hanging_up_cancels(self) -> Iterator[None]:
        """Cancel the task that works for the client when it hangs up; raise EOFError if it has.

        A client that only ends its own half of the connection has hung up as well: the two look
        the same until something is written.
        """
        if self._has_ended:
            raise EOFError
        self._working = _current_task()
        try:
            yield
        finally:
            self._working = None

    def feed_eof(self) -> None:
        """Take the end of what the client sends."""
        super().feed_eof()
        self._end()

    def set_exception(self, exc: Exception) -> None:
        """Take the loss of the connection."""
        super().set_exception(exc)
        self._end()

    def _end(self) -> None:
        self._has_ended = True
        if self._working is not None:
            self._working.cancel()


def _current_task() -> asyncio.Task[object]:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 — a coroutine runs in a task
    return task


async def _read_body(head: Head, reader: StreamReader, writer: StreamWriter) -> bytes:
    length = head.length
    if not length:
        return b""
    expectation = head.headers.get("expect", "").lower()
    if expectation not in ("", "100-continue"):
        raise Refused(417)
    if expectation:
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    return await reader.readexactly(length)


def _written(reply: Reply, *, keep: bool, bodiless: bool = False) -> bytes:
    """A reply as it goes over the wire."""
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    if reply.status not in (204, 304):
        lines.append(f"Content-Length: {len(reply.body)}")
    lines += [
        f"Date: {formatdate(usegmt=True)}",
        f"Connection: {'keep-alive' if keep else 'close'}",
    ]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    return head if bodiless else head + reply.body


def _address(host: str, server: asyncio.Server) -> str:
    port = server.sockets[0].getsockname()[1]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
