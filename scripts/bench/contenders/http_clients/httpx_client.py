"""httpx: one AsyncClient, bodies streamed."""

import contextlib
from collections.abc import AsyncIterator

from scripts.bench.contenders.http_clients import TIMEOUT, USER_AGENT, Get


@contextlib.asynccontextmanager
async def httpx_client(concurrency: int) -> AsyncIterator[Get]:
    """One AsyncClient for all requests."""
    import httpx

    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    headers = {"User-Agent": USER_AGENT}
    async with httpx.AsyncClient(limits=limits, headers=headers, timeout=TIMEOUT) as client:

        async def get(url: str) -> int:
            size = 0
            async with client.stream("GET", url) as response:
                async for chunk in response.aiter_raw():
                    size += len(chunk)
            return size

        yield get
