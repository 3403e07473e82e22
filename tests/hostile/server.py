"""What can a server do to a crawler? Real sockets on loopback, one behaviour per path."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING

from tests.hostile.behaviours import BOMB, ENCODE
from tests.hostile.shapes import SHAPES
from tests.hostile.wire import BEHAVIOURS, MEGABYTE, PAGE, Behaviour, HangUp, Wire, says

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["BEHAVIOURS", "BOMB", "ENCODE", "MEGABYTE", "PAGE", "Behaviour", "HostileServer", "Wire"]

TLS_HELLO = b"\x16"
PLAIN_HTTP = b"HTTP/1.1 400 Bad Request\r\n\r\nplain HTTP here"  # as nginx answers a TLS hello
LOOPBACK = ("127.0.0.1",)

BEHAVIOURS |= {path: says(shape.answer) for path, shape in SHAPES.items()}


class HostileServer:
    """Counts what reaches it: connections, requests, and how much it could send.

    Behaviours are found by path, or by "host/path" first if given for a host.
    """

    def __init__(
        self,
        tls: ssl.SSLContext | None = None,
        addresses: Sequence[str] = LOOPBACK,
        behaviours: Mapping[str, Behaviour] | None = None,
        to_hello: bytes = PLAIN_HTTP,
    ) -> None:
        self.connections = 0
        self.requests: list[str] = []
        self.sent = 0
        self._tls = tls
        self._addresses = addresses
        self._behaviours = behaviours
        self._to_hello = to_hello
        self._tasks: set[asyncio.Task[None]] = set()
        self._servers: list[asyncio.Server] = []
        self.port = 0

    async def __aenter__(self) -> HostileServer:
        for address in self._addresses:  # all at the port that the first was given
            server = await asyncio.start_server(self._accept, address, self.port, ssl=self._tls)
            self._servers.append(server)
            self.port = server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for _round in range(3):
            await asyncio.sleep(0)

    async def hung_up(self) -> None:
        """Wait until no connection is open any more; a client that keeps one is not waited for."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=10)

    def url(self, path: str, *, host: str = "127.0.0.1") -> str:
        scheme = "https" if self._tls else "http"
        return f"{scheme}://{host}:{self.port}{path}"

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = Wire(self, writer)
        host = writer.get_extra_info("sockname")[0]
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, HangUp):
                while True:
                    first = await reader.readexactly(1)
                    if first == TLS_HELLO:
                        await wire.send(self._to_hello)
                        await reader.read()
                        return
                    request = first + await reader.readuntil(b"\r\n\r\n")
                    self.requests.append(request.decode("latin-1"))
                    wire.asked += 1
                    await self._behaviour(host, request.split()[1].decode())(wire)
        finally:
            wire.close()

    def _behaviour(self, host: str, path: str) -> Behaviour:
        behaviours = BEHAVIOURS if self._behaviours is None else self._behaviours
        return behaviours.get(host + path) or behaviours[path]


@contextlib.contextmanager
def served(*servers: HostileServer) -> Iterator[None]:
    """Run servers in a thread: for a client in another process."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def leave() -> None:
        for server in servers:
            await server.__aexit__()

    try:
        for server in servers:
            asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
        yield
    finally:
        asyncio.run_coroutine_threadsafe(leave(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
