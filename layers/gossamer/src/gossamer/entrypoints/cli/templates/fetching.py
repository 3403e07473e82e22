"""A page that is not stored, asked for politely: robots.txt first, then one request."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.robots import MAX_ROBOTS_BYTES, parse_robots
from gossamer.core.crawl.url_state import explain
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.charset import decode
from gossamer.core.urls import host_of, normalise, robots_url, with_scheme
from gossamer.entrypoints.cli.templates.trial import Page
from gossamer.ports.fetcher import HttpRequest

if TYPE_CHECKING:
    from gossamer.adapters.http.fetcher import HttpFetcher
    from gossamer.ports.fetcher import HttpResponse

LATEST = 60.0  # seconds within which a request starts
MOST_HOPS = 5


def fetch_page(url: str, *, allow_private: bool, contact: str = "") -> Page:
    """A page from the web. Raises ConfigurationError for what may not or cannot be had."""
    config = JobConfig(allow_private=allow_private, contact=contact)
    normal = normalise(with_scheme(url))
    if normal is None:
        raise ConfigurationError(f"{url!r} is not an http or https URL")
    return asyncio.run(_fetch(normal, config))


async def _fetch(url: str, config: JobConfig) -> Page:
    fetcher = homes.http_fetcher(config)
    try:
        for _ in range(MOST_HOPS):
            await _check_robots(fetcher, url, config)
            response = await _ask(fetcher, url, config, config.max_bytes)
            target = normalise(response.header("location"), url) if response.code >= 300 else None
            if target is None:
                return _page(response, url)
            url = target
    finally:
        await fetcher.close()
    raise ConfigurationError(f"{url}: too many redirects")


async def _check_robots(fetcher: HttpFetcher, url: str, config: JobConfig) -> None:
    address = robots_url(host_of(url), url.partition(":")[0])
    response = await _ask(fetcher, address, config, MAX_ROBOTS_BYTES)
    if response.fault or not parse_robots(response.body, response.code).allows(
        url, config.user_agent
    ):
        why = explain(response.fault) if response.fault else "it forbids this page"
        raise ConfigurationError(f"{url} is not asked for because of {address}: {why}")


async def _ask(fetcher: HttpFetcher, url: str, config: JobConfig, most: int) -> HttpResponse:
    request = HttpRequest(url=url, start_by=time.time() + LATEST, max_bytes=most, gap=config.delay)
    return await fetcher.fetch(request)


def _page(response: HttpResponse, url: str) -> Page:
    if response.fault or response.code != 200:
        said = explain(response.fault) if response.fault else f"status {response.code}"
        raise ConfigurationError(f"{url} cannot be had: {said}")
    return Page(url, decode(response.body, response.header("content-type")))
