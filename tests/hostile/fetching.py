"""How does a test ask a hostile server?"""

from __future__ import annotations

import time
from dataclasses import replace

from gossamer.adapters.http.fetcher import FetchLimits, HttpFetcher
from gossamer.ports.fetcher import HttpRequest, HttpResponse
from tests.hostile.wire import MEGABYTE, PAGE

AGENT = "GossamerTest/1 (+http://gossamer.test/)"
IMPATIENT = FetchLimits(
    connect=0.6, first_byte=0.3, total=1.0, min_rate=1000.0, rate_window=0.2, idle_seconds=5.0
)


class Fetchers(HttpFetcher):
    async def __aenter__(self) -> Fetchers:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def get(url: str, **changes) -> HttpRequest:
    request = HttpRequest(
        url=url, start_by=time.time() + 60, max_bytes=MEGABYTE, accept_types=("text/html",)
    )
    return replace(request, **changes)


def is_whole(response: HttpResponse) -> bool:
    return (response.fault, response.code, response.body) == ("", 200, PAGE)


def answering(*addresses: str):
    async def resolve(host: str) -> list[str]:
        return list(addresses)

    return resolve
