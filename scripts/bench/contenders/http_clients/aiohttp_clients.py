"""aiohttp in three ways: as in its tutorial, tuned, and with the limits that Gossamer needs."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any

from scripts.bench.contenders.http_clients import TIMEOUT, USER_AGENT, Get

MAX_BYTES = 10**7


@contextlib.asynccontextmanager
async def aiohttp_plain(concurrency: int) -> AsyncIterator[Get]:
    """As in the tutorial."""
    import aiohttp

    async with aiohttp.ClientSession(headers={"User-Agent": USER_AGENT}) as session:

        async def get(url: str) -> int:
            async with session.get(url, timeout=aiohttp.ClientTimeout(total=TIMEOUT)) as response:
                return len(await response.read())

        yield get


@contextlib.asynccontextmanager
async def aiohttp_tuned(concurrency: int) -> AsyncIterator[Get]:
    """Without cookies, decoding and aiohttp's own timers; all headers set by us."""
    from yarl import URL

    async with _tuned_session(concurrency) as session:

        async def get(url: str) -> int:
            async with asyncio.timeout(TIMEOUT):
                response = await session.get(URL(url, encoded=True), allow_redirects=False)
                size = 0
                while chunk := await response.content.readany():
                    size += len(chunk)
                response.release()
                return size

        yield get


@contextlib.asynccontextmanager
async def aiohttp_capped(concurrency: int) -> AsyncIterator[Get]:
    """Tuned, plus what our fetcher port demands: checked headers, capped body, a response."""
    async with _tuned_session(concurrency) as session:

        async def get(url: str) -> int:
            return await _get_capped(session, url)

        yield get


def _tuned_session(concurrency: int) -> Any:
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=concurrency, use_dns_cache=False),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=("Accept", "Accept-Encoding"),
        headers={"User-Agent": USER_AGENT, "Accept": "*/*", "Accept-Encoding": "gzip"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
    )


async def _get_capped(session: Any, url: str) -> int:
    from yarl import URL

    from gossamer.adapters.http.request_target import Target
    from gossamer.ports.fetcher import HttpResponse

    Target.of(url)
    started_at = time.time()
    async with asyncio.timeout(TIMEOUT):
        answer = await session.get(URL(url, encoded=True), allow_redirects=False)
        raw, decoded = await _read_capped(answer)
    headers = tuple((n.decode("latin-1"), v.decode("latin-1")) for n, v in answer.raw_headers)
    response = HttpResponse(
        url=url,
        started_at=started_at,
        seconds=time.time() - started_at,
        code=answer.status,
        phrase=answer.reason or "",
        headers=headers,
        raw=raw,
        body=decoded,
    )
    return len(response.body)


async def _read_capped(answer: Any) -> tuple[bytes, bytes]:
    """The body as sent and decoded."""
    from gossamer.adapters.http.response_reader import is_accepted, media_type
    from gossamer.core.page.content_decoding import Body

    kind = media_type(answer.headers.get("Content-Type", ""))
    if not is_accepted(kind, ("text/html",)) or (answer.content_length or 0) > MAX_BYTES:
        raise SystemExit("not an HTML page of at most 10 MB")
    body = Body(answer.headers.get("Content-Encoding", ""), cap=MAX_BYTES, ratio=250)
    while chunk := await answer.content.readany():
        body.feed(chunk)
    answer.release()
    return body.finish()
