"""How does a test ask a hostile server?"""

from __future__ import annotations

import time
from dataclasses import replace

from gossamer.adapters.http.fetcher import FetchLimits, HttpFetcher
from gossamer.ports.fetcher import HttpRequest, HttpResponse
from tests.hostile.wire import MEGABYTE, PAGE

AGENT = "GossamerTest/1 (+http://gossamer.test/)"
# Short is only what a test is about: the others are as in a real crawl, and no machine is so busy.
PATIENT = FetchLimits()
BRIEF_CONNECT, BRIEF_SILENCE = FetchLimits(connect=0.6), FetchLimits(first_byte=0.3)
NO_DRIPPING = FetchLimits(min_rate=1000.0, rate_window=0.2)


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
