"""The HTTP fetcher: one request in, one response or fault out.

It is built on asyncio and httptools and not on a client library: that takes less than half of
aiohttp's CPU, and every promise of the port is visible here (docs/decisions/0009-http-client.md).
"""

from __future__ import annotations

import asyncio
import math
import os
import ssl
import time
from functools import cached_property
from typing import TYPE_CHECKING

from gossamer.adapters.http.address_guard import Guard, Resolve
from gossamer.adapters.http.connection import Connection, Pool
from gossamer.adapters.http.limits import FetchLimits
from gossamer.adapters.http.network_errors import name_of
from gossamer.adapters.http.request_target import Target
from gossamer.adapters.http.response_reader import Exchange
from gossamer.core.bot_auth import NONCE_BYTES
from gossamer.core.crawl.politeness import Starts
from gossamer.core.errors import Fault
from gossamer.core.page.content_decoding import ACCEPT_ENCODING
from gossamer.core.urls import host_of
from gossamer.ports.fetcher import LATE, Fetcher, HttpRequest, HttpResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.core.bot_auth import Signer

__all__ = ["FetchLimits", "HttpFetcher"]

ADDRESSES_TRIED = 3
LINE_BREAKS = {ord(character): " " for character in "\r\n\0"}
DEFAULT_LIMITS = FetchLimits()


class HttpFetcher(Fetcher):
    """HTTP/1.1 with keep-alive connections, in one event loop.

    If the server closes a kept connection while we write, the request is repeated once on a new
    connection, provided that no byte came back and `start_by` has not passed.
    """

    def __init__(
        self,
        user_agent: str,
        *,
        allow_private: bool = False,
        limits: FetchLimits = DEFAULT_LIMITS,
        clock: Callable[[], float] = time.time,
        max_connections: int = 64,
        resolve: Resolve | None = None,
        signer: Signer | None = None,
    ) -> None:
        agent = user_agent.translate(LINE_BREAKS)
        self._common = f"User-Agent: {agent}\r\nAccept-Encoding: {ACCEPT_ENCODING}\r\n"
        self._limits = limits
        self._clock = clock
        self._room = asyncio.Semaphore(max_connections)
        self._guard = Guard(allow_private=allow_private, resolve=resolve)
        self._pool = Pool(limits.idle_connections, limits.idle_seconds)
        self._starts = Starts(time.monotonic())
        self._signer = signer

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        async with self._room:
            began = time.monotonic()  # the clock of asyncio's event loop
            try:
                exchange = await self._fetch(request, Target.of(request.url), began)
                return exchange.response()
            except Fault as fault:
                return HttpResponse(
                    url=request.url,
                    started_at=fault.started_at or self._clock(),
                    seconds=time.monotonic() - began,
                    fault=fault.name,
                )

    async def reach(self, url: str) -> str:
        """Connect to the host of a URL without a request; returns the fault, or nothing."""
        request = HttpRequest(url=url, start_by=math.inf, max_bytes=0)
        try:
            connection, _ = await self._connect(request, Target.of(url))
        except Fault as fault:
            return fault.name
        connection.abort()
        return ""

    async def close(self) -> None:
        self._pool.close()
        self._guard.close()
        for _ in range(3):  # asyncio closes sockets in later iterations of the loop, TLS last
            await asyncio.sleep(0)

    async def _fetch(self, request: HttpRequest, target: Target, began: float) -> Exchange:
        kept = await self._ask_kept(request, target, began)
        if kept and not (kept.was_ignored and self._clock() <= request.start_by):
            return kept
        try:
            connection, started_at = await self._connect(request, target, again=bool(kept))
        except Fault as fault:
            if kept and fault.name == LATE:  # a request was already made, without an answer
                return kept
            raise
        return await self._ask(connection, request, target, started_at, began)

    async def _ask_kept(
        self, request: HttpRequest, target: Target, began: float
    ) -> Exchange | None:
        """Send on a kept connection. There is no await between reading the clock and writing."""
        await self._keep_gap(request)
        started_at = self._clock()
        if started_at > request.start_by:
            raise Fault(LATE)
        connection = self._pool.take(target.origin, time.monotonic())
        if connection is None:
            return None
        self._starts.note(host_of(request.url), time.monotonic(), request.gap)
        return await self._ask(connection, request, target, started_at, began)

    async def _keep_gap(self, request: HttpRequest) -> None:
        """Wait until the last start is far enough away; until it returns, others may start."""
        host = host_of(request.url) if request.gap else ""
        while (wait := self._starts.free_at(host, request.gap) - time.monotonic()) > 0:
            if self._clock() + wait > request.start_by:
                raise Fault(LATE)
            await asyncio.sleep(wait)

    async def _ask(
        self,
        connection: Connection,
        request: HttpRequest,
        target: Target,
        started_at: float,
        began: float,
    ) -> Exchange:
        head = self._head(request, target)
        exchange = Exchange(request, self._limits, connection.ip, started_at, began, head)
        await connection.ask(head, exchange)
        if connection.is_open:
            self._pool.put(target.origin, connection, time.monotonic())
        return exchange

    async def _connect(
        self, request: HttpRequest, target: Target, *, again: bool = False
    ) -> tuple[Connection, float]:
        """Connect to one of the checked addresses; the timeout is divided among them.

        What is made `again`, or at another address, is the same request: it keeps no gap to itself.
        """
        addresses = (await self._addresses(target.host))[:ADDRESSES_TRIED]
        if not again:
            await self._keep_gap(request)
        failure = Fault(LATE)
        for ip in addresses:
            started_at = self._clock()
            if started_at > request.start_by:
                break
            self._starts.note(host_of(request.url), time.monotonic(), request.gap)
            try:
                async with asyncio.timeout(self._limits.connect / len(addresses)):
                    return await self._open(ip, target), started_at
            except OSError as error:
                failure = Fault(name_of(error), failure.started_at or started_at)
                if isinstance(error, ssl.SSLError):  # other addresses would fail the same way
                    break
        raise failure

    async def _addresses(self, host: str) -> tuple[str, ...]:
        try:
            async with asyncio.timeout(self._limits.connect):
                return await self._guard.addresses(host)
        except TimeoutError as error:
            raise Fault("dns-busy") from error

    async def _open(self, ip: str, target: Target) -> Connection:
        tls = self._tls if target.scheme == "https" else None
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: Connection(ip),
            ip,
            target.port,
            ssl=tls,
            server_hostname=target.host.rstrip(".") if tls else None,
        )
        return connection

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        return context

    def _signature(self, target: Target) -> dict[str, str]:
        """The headers by which a site can verify who asks."""
        if self._signer is None:
            return {}
        nonce = os.urandom(NONCE_BYTES)
        return self._signer.request_headers(target.authority.lower(), self._clock(), nonce)

    def _head(self, request: HttpRequest, target: Target) -> bytes:
        """The bytes of the request."""
        accept = ", ".join((*request.accept_types, "*/*;q=0.1")) if request.accept_types else "*/*"
        headers = request.headers | self._signature(target)
        more = "".join(
            f"{name}: {value}".translate(LINE_BREAKS) + "\r\n" for name, value in headers.items()
        )
        return (
            f"GET {target.path} HTTP/1.1\r\nHost: {target.authority}\r\n"
            f"{self._common}Accept: {accept}\r\n{more}\r\n"
        ).encode("latin-1", "replace")
