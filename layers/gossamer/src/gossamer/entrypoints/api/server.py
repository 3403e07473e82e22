"""The HTTP server of one machine: an asyncio loop holds connections, a few threads ask the app.

The app is called by several threads at once, which is safe because ours keeps no request on itself
(see routes.py); its search service must be safe too. Threads do not make a search faster, as they
share an interpreter: they keep a slow one from blocking the quick.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import signal
import zlib
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING

from gossamer.entrypoints.api import answers
from gossamer.entrypoints.api.gateway_event import (
    MAX_TARGET,
    Head,
    Refused,
    Resources,
    event_of,
    parse_head,
)

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Callable, Mapping

    from gossamer.entrypoints.api.gateway_event import App, Said

log = logging.getLogger(__name__)

THREADS = 4
MAX_HEAD = MAX_TARGET + 16 * 1024  # bytes of request line and headers
MAX_CONNECTIONS = 512
PATIENCE = 20.0  # seconds for a request to arrive, from the end of the one before
SEND_PATIENCE = 20.0  # seconds for an answer to be taken
GRACE = 5.0  # seconds that requests under way may still take once we were told to stop
LINGER = 1.0  # seconds in which what a refused client still sends is thrown away
WORTHWHILE = 1024  # bytes from which an answer is compressed: below, a packet is a packet
COMPRESSION = 5
TEXTUAL = ("text/", "application/json", "image/svg+xml")


def serve(
    app: App, host: str = "127.0.0.1", port: int = 8080, ready: Callable[[str], None] | None = None
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
        await Server(app).run(host, port, stop, ready)

    asyncio.run(main())


class Server:
    """Connections, and the threads that answer them."""

    def __init__(self, app: App, *, threads: int = THREADS) -> None:
        self._app = app
        self._resources = Resources(list(app.routes))
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="api")
        self._connections: set[asyncio.Task[None]] = set()
        self._idle: set[asyncio.Task[None]] = set()
        self._stopping = False

    async def run(
        self, host: str, port: int, stop: asyncio.Event, ready: Callable[[str], None] | None
    ) -> None:
        """Serve until `stop` is set."""
        server = await asyncio.start_server(self._accept, host, port, limit=MAX_HEAD, backlog=256)
        try:
            if ready:
                ready(_address(host, server))
            await stop.wait()
        finally:
            server.close()
            await self._drain()
            await server.wait_closed()
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def _drain(self) -> None:
        self._stopping = True
        for connection in self._idle:
            connection.cancel()
        if self._connections:
            _, late = await asyncio.wait(self._connections, timeout=GRACE)
            for connection in late:
                connection.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        connection = asyncio.get_running_loop().create_task(self._converse(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _converse(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Request after request, until one side closes the connection."""
        client = str((writer.get_extra_info("peername") or ("",))[0])
        # Silence, a cut line or our own stop: there is no client left to answer.
        gone = (OSError, EOFError, asyncio.CancelledError)
        with contextlib.suppress(*gone):
            try:
                if len(self._connections) > MAX_CONNECTIONS:
                    raise Refused(503)
                while await self._exchange(reader, writer, client):
                    pass
            except Refused as refused:
                await self._refuse(reader, writer, refused)
        writer.close()
        with contextlib.suppress(*gone):
            await writer.wait_closed()

    async def _exchange(self, reader: StreamReader, writer: StreamWriter, client: str) -> bool:
        """One request and its answer; whether another may follow."""
        head = await self._next_head(reader)
        async with asyncio.timeout(PATIENCE):
            body = await _read_body(head, reader, writer)
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(self._threads, self._answer, head, body, client)
        keep = head.keeps_alive and not self._stopping
        async with asyncio.timeout(SEND_PATIENCE):
            writer.write(_written(*answer, keep=keep, bodiless=head.method == "HEAD"))
            await writer.drain()
        return keep

    async def _next_head(self, reader: StreamReader) -> Head:
        connection = asyncio.current_task()
        assert connection is not None  # noqa: S101 — a coroutine runs in a task
        self._idle.add(connection)
        try:
            async with asyncio.timeout(PATIENCE):
                return parse_head(await reader.readuntil(b"\r\n\r\n"))
        except asyncio.LimitOverrunError:
            raise Refused(431) from None
        finally:
            self._idle.discard(connection)

    def _answer(self, head: Head, body: bytes, client: str) -> tuple[int, dict[str, str], bytes]:
        """What the app says; in a thread."""
        try:
            event = event_of(head, body, self._resources, client)
            said = self._app(event, None)
        except Refused as refused:
            return _encoded(answers.refusal(refused.status, refused.message))
        except Exception:
            log.exception("the app failed")
            return _encoded(answers.refusal(500))
        headers = dict(said["headers"])
        content = _content(said)
        if content and headers.get("Content-Type", "").startswith(TEXTUAL):
            headers["Vary"] = "Accept-Encoding"
            if len(content) >= WORTHWHILE and head.takes_gzip:
                headers["Content-Encoding"] = "gzip"
                content = zlib.compress(content, COMPRESSION, wbits=31)
        return said["statusCode"], headers, content

    async def _refuse(self, reader: StreamReader, writer: StreamWriter, refused: Refused) -> None:
        answer = _encoded(answers.refusal(refused.status, refused.message))
        async with asyncio.timeout(LINGER):
            writer.write(_written(*answer, keep=False))
            writer.write_eof()
            # To close while a client is still sending would reset the connection, and the answer
            # with it.
            while await reader.read(MAX_HEAD):
                pass


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


def _content(said: Said) -> bytes:
    body = said["body"]
    if said.get("isBase64Encoded"):
        return base64.b64decode(body)
    return body if isinstance(body, bytes) else str(body).encode()


def _encoded(answer: answers.Answer) -> tuple[int, dict[str, str], bytes]:
    return answer.status, answer.headers, answer.body.encode()


def _written(
    status: int, headers: Mapping[str, str], body: bytes, *, keep: bool, bodiless: bool = False
) -> bytes:
    """An answer as it goes over the wire."""
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if status not in (204, 304):
        lines.append(f"Content-Length: {len(body)}")
    lines += [
        f"Date: {formatdate(usegmt=True)}",
        f"Connection: {'keep-alive' if keep else 'close'}",
    ]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    return head if bodiless else head + body


def _address(host: str, server: asyncio.Server) -> str:
    port = server.sockets[0].getsockname()[1]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
