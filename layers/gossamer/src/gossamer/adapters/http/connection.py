"""One connection to a server, and a pool of idle connections."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from gossamer.adapters.http.response_reader import Exchange

Origin = tuple[str, str, int]  # scheme, host, port


class Connection(asyncio.Protocol):
    """An open connection to a checked address; one exchange at a time."""

    def __init__(self, ip: str) -> None:
        self.ip = ip
        self.is_open = False
        self.idle_since = 0.0
        self._exchange: Exchange | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.is_open = True

    async def ask(self, head: bytes, exchange: Exchange) -> None:
        """Write a request and wait for the end of its exchange.

        The connection stays open after a complete exchange; a cancellation, a fault or a server
        that wants to close ends it.
        """
        self._exchange = exchange
        try:
            if self.is_open:
                self._transport.write(head)
            else:  # the server closed it before the event loop reported it as open
                exchange.lost(None)
            await exchange.over()
        finally:
            self._exchange = None
            if exchange.fault != "" or not exchange.reusable:
                self.abort()

    def data_received(self, data: bytes) -> None:
        """Pass data to the exchange; data without a request ends the connection."""
        if self._exchange is None:
            self.abort()
            return
        self._exchange.feed(data)
        if self._exchange.fault:
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        if self._exchange is not None:
            self._exchange.lost(exc)

    def abort(self) -> None:
        """Close at once; unsent and unread data is lost."""
        self.is_open = False
        self._transport.abort()


class Pool:
    """Idle connections per origin; the most recently used is taken first."""

    def __init__(self, capacity: int, ttl: float) -> None:
        self._capacity = capacity
        self._ttl = ttl
        self._idle: dict[Origin, list[Connection]] = {}  # least recently used origin first
        self._count = 0

    def take(self, origin: Origin, now: float) -> Connection | None:
        waiting = self._idle.get(origin)
        while waiting:
            connection = waiting.pop()
            self._count -= 1
            if not waiting:
                del self._idle[origin]
            if connection.is_open and now - connection.idle_since < self._ttl:
                return connection
            connection.abort()
        return None

    def put(self, origin: Origin, connection: Connection, now: float) -> None:
        connection.idle_since = now
        waiting = self._idle.pop(origin, [])
        waiting.append(connection)
        self._idle[origin] = waiting
        self._count += 1
        while self._count > self._capacity or self._oldest().idle_since < now - self._ttl:
            self._evict()

    def close(self) -> None:
        while self._count:
            self._evict()

    def _oldest(self) -> Connection:
        return next(iter(self._idle.values()))[0]

    def _evict(self) -> None:
        origin = next(iter(self._idle))
        self._idle[origin].pop(0).abort()
        self._count -= 1
        if not self._idle[origin]:
            del self._idle[origin]
