"""How does a behaviour of a hostile server speak to its client?"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.hostile.server import HostileServer

PAGE = b"<!doctype html><title>hello</title>" + b"<p>hello, crawler</p>" * 50
MEGABYTE = 1024 * 1024


class HangUp(Exception):
    """A behaviour wants the connection closed."""


class Wire:
    """One accepted connection."""

    def __init__(self, server: HostileServer, writer: asyncio.StreamWriter) -> None:
        self.server = server
        self.asked = 0
        self._writer = writer

    async def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self._writer.write(piece)
            await self._writer.drain()
            await asyncio.sleep(0)  # drain alone never lets the client run
            self.server.sent += len(piece)

    async def head(self, *headers: str, status: str = "200 OK") -> None:
        await self.send("\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode("latin-1"))

    async def page(
        self, body: bytes = PAGE, *headers: str, status: str = "200 OK", kind: str = "text/html"
    ) -> None:
        length = f"Content-Length: {len(body)}"
        await self.head(f"Content-Type: {kind}", length, *headers, status=status)
        await self.send(body)

    def half_close(self) -> None:
        self._writer.write_eof()

    def reset(self) -> None:
        raw = self._writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def close(self) -> None:
        self._writer.transport.abort()


Behaviour = Callable[[Wire], Awaitable[None]]
BEHAVIOURS: dict[str, Behaviour] = {}


def at(path: str) -> Callable[[Behaviour], Behaviour]:
    def remember(behaviour: Behaviour) -> Behaviour:
        BEHAVIOURS[path] = behaviour
        return behaviour

    return remember


def says(answer: bytes) -> Behaviour:
    """Sends these bytes, whatever they mean."""

    async def say(wire: Wire) -> None:
        await wire.send(answer)

    return say


def sends(body: bytes, *headers: str, status: str = "200 OK", kind: str = "text/html") -> Behaviour:
    """Answers with a page."""

    async def send(wire: Wire) -> None:
        await wire.page(body, *headers, status=status, kind=kind)

    return send


def leads_to(location: str) -> Behaviour:
    """Redirects."""
    return sends(b"moved", f"Location: {location}", status="302 Found")
