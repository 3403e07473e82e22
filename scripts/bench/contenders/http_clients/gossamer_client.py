"""Gossamer's own fetcher with all its guards and limits."""

import contextlib
import time
from collections.abc import AsyncIterator

from gossamer.adapters.http.fetcher import HttpFetcher
from gossamer.ports.fetcher import HttpRequest
from scripts.bench.contenders.http_clients import USER_AGENT, Get


@contextlib.asynccontextmanager
async def gossamer_fetcher(concurrency: int) -> AsyncIterator[Get]:
    """The adapter that a crawl uses."""
    fetcher = HttpFetcher(USER_AGENT, allow_private=True, max_connections=concurrency)

    async def get(url: str) -> int:
        response = await fetcher.fetch(
            HttpRequest(
                url=url, start_by=time.time() + 5, max_bytes=10**7, accept_types=("text/html",)
            )
        )
        if response.fault:
            raise SystemExit(f"{url}: {response.fault}")
        return len(response.body)

    yield get
    await fetcher.close()
