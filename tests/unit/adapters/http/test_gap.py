"""Does the fetcher keep a gap between its requests to a host by itself?"""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import asynccontextmanager
from itertools import pairwise

from gossamer.adapters.http.fetcher import HttpFetcher
from gossamer.ports.fetcher import LATE, HttpRequest

GAP = 0.03
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CLOSING = ANSWER.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


@asynccontextmanager
async def asking(answer: bytes = ANSWER):
    """A fetcher, and the URL of a server that answers every request like this."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline():
            while (await reader.readline()).strip():
                pass
            writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    fetcher = HttpFetcher("test", allow_private=True)
    try:
        yield fetcher, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        await fetcher.close()
        server.close()


def request(url: str, gap: float = GAP, start_by: float = math.inf) -> HttpRequest:
    return HttpRequest(url=url, start_by=start_by, max_bytes=100, gap=gap)


async def test_requests_that_come_together_start_one_after_another():
    for answer in (ANSWER, CLOSING):  # on kept connections, and on new ones
        async with asking(answer) as (fetcher, url):
            responses = await asyncio.gather(*(fetcher.fetch(request(url)) for _ in range(6)))

        starts = sorted(response.started_at for response in responses)
        assert [response.code for response in responses] == [200] * 6
        assert min(later - earlier for earlier, later in pairwise(starts)) >= GAP


async def test_one_that_cannot_start_in_time_is_late_and_not_made():
    async with asking() as (fetcher, url):
        first = await fetcher.fetch(request(url))
        late = await fetcher.fetch(request(url, gap=60.0, start_by=time.time() + 1.0))
        third = await fetcher.fetch(request(url))

    assert (first.code, third.code) == (200, 200)
    assert (late.fault, late.code) == (LATE, 0)


async def test_another_process_may_have_asked_until_the_fetcher_was_made():
    async with asking() as (fetcher, url):
        made = time.time()
        late = await fetcher.fetch(request(url, gap=60.0, start_by=made + 1.0))
        free = await fetcher.fetch(request(url, gap=0.0))

    assert (late.fault, free.code) == (LATE, 200)
