"""The scheme of seeds that were typed without one: https, or http where only that is served."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.core.crawl.job import seed_url
from gossamer.core.crawl.url_state import State, explain
from gossamer.core.urls import url_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.adapters.http.fetcher import HttpFetcher
    from gossamer.core.crawl.job import JobConfig
    from gossamer.ports.home import Home

# Faults of a connection after which the same host may still answer without TLS.
_MAY_SPEAK_HTTP = frozenset(
    {"connection-refused", "connection-reset", "timeout", "tls-handshake", "tls-certificate"}
)


async def with_schemes(home: Home, config: JobConfig, tell: Callable[[str], None]) -> JobConfig:
    """The job with http:// before seeds whose host cannot be reached by https.

    Connects, and requests nothing: what a host is asked for is the crawl's to decide.
    """
    if all("://" in seed for seed in config.seeds):
        return config
    fetcher = homes.http_fetcher(config)
    try:
        seeds = [await _with_scheme(home, config, seed, fetcher, tell) for seed in config.seeds]
    finally:
        await fetcher.close()
    return msgspec.structs.replace(config, seeds=seeds)


async def _with_scheme(
    home: Home, config: JobConfig, seed: str, fetcher: HttpFetcher, tell: Callable[[str], None]
) -> str:
    if "://" in seed:
        return seed
    https = seed_url(seed, allow_private=config.allow_private)
    http = f"http{https.removeprefix('https')}"
    if _was_seed(home, https):
        return seed
    if _was_seed(home, http):  # an earlier run found that out
        return http
    fault = await fetcher.reach(https)
    if fault not in _MAY_SPEAK_HTTP or await fetcher.reach(http):
        return seed
    tell(f"{https} cannot be reached ({explain(fault)}): crawling {http} instead.")
    return http


def _was_seed(home: Home, url: str) -> bool:
    record = home.urls.get(url_id(url))
    return record is not None and not record.via and record.state is not State.FAILED
