"""httptools: a pool of bare connections, the least that a client of our own could cost."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from scripts.bench.contenders.http_clients import TIMEOUT, USER_AGENT, Get


class Wire(asyncio.Protocol):
    """One connection, its responses parsed by httptools; no limits are enforced."""

    def __init__(self) -> None:
        import httptools

        self.parser_type = httptools.HttpResponseParser
        self.transport: Any = None
        self.done: asyncio.Future[int] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = transport

    def ask(self, host: str, path: str) -> asyncio.Future[int]:
        """Send a GET; the future gives the bytes of its body."""
        self.parser = self.parser_type(self)
        self.headers: list[tuple[bytes, bytes]] = []
        self.chunks: list[bytes] = []
        self.done = asyncio.get_running_loop().create_future()
        self.transport.write(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {USER_AGENT}\r\n"
            "Accept: */*\r\nAccept-Encoding: gzip\r\n\r\n".encode()
        )
        return self.done

    def data_received(self, data: bytes) -> None:
        """Parse what arrived."""
        self.parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header."""
        self.headers.append((name, value))

    def on_body(self, chunk: bytes) -> None:
        """Keep a piece of the body."""
        self.chunks.append(chunk)

    def on_message_complete(self) -> None:
        """Give the body's size to the caller."""
        if self.done:
            self.done.set_result(sum(map(len, self.chunks)))


@contextlib.asynccontextmanager
async def httptools_wire(concurrency: int) -> AsyncIterator[Get]:
    """A pool of bare connections."""
    idle: list[Wire] = []
    loop = asyncio.get_running_loop()

    async def get(url: str) -> int:
        _, _, authority, path = url.split("/", 3)
        host, _, port = authority.partition(":")
        wire = idle.pop() if idle else (await loop.create_connection(Wire, host, int(port)))[1]
        async with asyncio.timeout(TIMEOUT):
            size = await wire.ask(authority, "/" + path)
        idle.append(wire)
        return size

    yield get
    for wire in idle:
        wire.transport.close()
