"""What does one small GET cost in each HTTP client?

Starts nginx on loopback with bodies of three sizes and asks for them over kept-alive connections.
CPU is the client process's own; nginx runs beside it. Behind docs/decisions/0009-http-client.md.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SIZES_KB = (2, 14, 95)
USER_AGENT = "GossamerBench/1 (+http://localhost/)"
Get = Callable[[str], Awaitable[int]]  # URL -> bytes of body
Client = Callable[[int], "contextlib.AbstractAsyncContextManager[Get]"]

NGINX = """
daemon off; pid {folder}/pid; error_log stderr crit; worker_processes 1;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000; types {{ text/html html; }}
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{ listen 127.0.0.1:{port}; root {folder}; add_header Vary Accept-Encoding; }}
}}
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """The median cost of one request over all rounds."""

    client: str
    size_kb: int
    cpu_us: float
    requests_per_second: float


@contextlib.contextmanager
def nginx() -> Iterator[str]:
    """Serve the bodies; yields the base URL."""
    with tempfile.TemporaryDirectory() as name, socket.socket() as free:
        folder = Path(name)
        folder.chmod(0o755)
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        for size in SIZES_KB:
            (folder / f"{size}.html").write_bytes(os.urandom(size * 512).hex().encode())
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port))
        server = subprocess.Popen(["/usr/sbin/nginx", "-p", name, "-c", f"{name}/nginx.conf"])
        try:
            _wait_until_open(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


def _wait_until_open(port: int) -> None:
    for _ in range(100):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise SystemExit("nginx did not start")


@contextlib.asynccontextmanager
async def aiohttp_plain(concurrency: int) -> AsyncIterator[Get]:
    """The way the tutorial does it."""
    import aiohttp

    async with aiohttp.ClientSession(headers={"User-Agent": USER_AGENT}) as session:

        async def get(url: str) -> int:
            async with session.get(url, timeout=aiohttp.ClientTimeout(total=60)) as response:
                return len(await response.read())

        yield get


@contextlib.asynccontextmanager
async def aiohttp_tuned(concurrency: int) -> AsyncIterator[Get]:
    """No cookies, no decoding, no timers of its own, headers given whole."""
    import aiohttp
    from yarl import URL

    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=concurrency, use_dns_cache=False),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=("Accept", "Accept-Encoding"),
        headers={"User-Agent": USER_AGENT, "Accept": "*/*", "Accept-Encoding": "gzip"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
    )

    async def get(url: str) -> int:
        async with asyncio.timeout(60):
            response = await session.get(URL(url, encoded=True), allow_redirects=False)
            size = 0
            while chunk := await response.content.readany():
                size += len(chunk)
            response.release()
            return size

    async with session:
        yield get


@contextlib.asynccontextmanager
async def aiohttp_capped(concurrency: int) -> AsyncIterator[Get]:
    """aiohttp with what our port asks for on top: judged headers, capped body, a response."""
    import aiohttp
    from yarl import URL

    from gossamer.adapters.http.encodings import Body
    from gossamer.adapters.http.exchange import is_accepted, media_type
    from gossamer.adapters.http.target import Target
    from gossamer.ports.fetcher import HttpResponse

    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=concurrency, use_dns_cache=False),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=("Accept", "Accept-Encoding"),
        headers={"User-Agent": USER_AGENT, "Accept": "*/*", "Accept-Encoding": "gzip"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
    )

    async def get(url: str) -> int:
        Target.of(url)
        started_at = time.time()
        async with asyncio.timeout(60):
            answer = await session.get(URL(url, encoded=True), allow_redirects=False)
            kind = media_type(answer.headers.get("Content-Type", ""))
            if not is_accepted(kind, ("text/html",)) or (answer.content_length or 0) > 10**7:
                raise SystemExit("not wanted")
            body = Body(answer.headers.get("Content-Encoding", ""), cap=10**7, ratio=250)
            while chunk := await answer.content.readany():
                body.feed(chunk)
            answer.release()
        raw, decoded = body.finish()
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

    async with session:
        yield get


@contextlib.asynccontextmanager
async def httpx_client(concurrency: int) -> AsyncIterator[Get]:
    """One AsyncClient, streamed."""
    import httpx

    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    headers = {"User-Agent": USER_AGENT}
    async with httpx.AsyncClient(limits=limits, headers=headers, timeout=60) as client:

        async def get(url: str) -> int:
            size = 0
            async with client.stream("GET", url) as response:
                async for chunk in response.aiter_raw():
                    size += len(chunk)
            return size

        yield get


class Multi:
    """libcurl's multi interface on asyncio's loop."""

    def __init__(self, concurrency: int) -> None:
        import pycurl

        self.curl: Any = pycurl
        self.multi = pycurl.CurlMulti()
        self.multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self.multi.setopt(pycurl.M_TIMERFUNCTION, self._alarm)
        self.multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, concurrency)
        self.loop = asyncio.get_running_loop()
        self.timer: asyncio.TimerHandle | None = None
        self.waiting: dict[Any, asyncio.Future[None]] = {}
        self.idle: list[Any] = []

    def _watch(self, event: int, fd: int, multi: Any, data: Any) -> None:
        self.loop.remove_reader(fd)
        self.loop.remove_writer(fd)
        if event in (self.curl.POLL_IN, self.curl.POLL_INOUT):
            self.loop.add_reader(fd, self._act, fd, self.curl.CSELECT_IN)
        if event in (self.curl.POLL_OUT, self.curl.POLL_INOUT):
            self.loop.add_writer(fd, self._act, fd, self.curl.CSELECT_OUT)

    def _alarm(self, after_ms: int) -> None:
        if self.timer:
            self.timer.cancel()
        self.timer = None
        if after_ms >= 0:
            self.timer = self.loop.call_later(
                after_ms / 1000, self._act, self.curl.SOCKET_TIMEOUT, 0
            )

    def _act(self, fd: int, event: int) -> None:
        self.multi.socket_action(fd, event)
        while True:
            left, done, failed = self.multi.info_read()
            for handle in [*done, *(entry[0] for entry in failed)]:
                self.multi.remove_handle(handle)
                self.waiting.pop(handle).set_result(None)
            if not left:
                return

    def _handle(self) -> Any:
        if self.idle:
            return self.idle.pop()
        handle = self.curl.Curl()
        handle.setopt(self.curl.USERAGENT, USER_AGENT)
        handle.setopt(self.curl.NOSIGNAL, 1)
        handle.setopt(self.curl.TIMEOUT, 60)
        return handle

    async def get(self, url: str) -> int:
        """One GET, headers and body collected."""
        handle = self._handle()
        chunks: list[bytes] = []
        headers: list[bytes] = []
        handle.setopt(self.curl.URL, url)
        handle.setopt(self.curl.WRITEFUNCTION, chunks.append)
        handle.setopt(self.curl.HEADERFUNCTION, headers.append)
        self.waiting[handle] = self.loop.create_future()
        self.multi.add_handle(handle)
        await self.waiting[handle]
        self.idle.append(handle)
        return sum(map(len, chunks))


@contextlib.asynccontextmanager
async def pycurl_multi(concurrency: int) -> AsyncIterator[Get]:
    """libcurl, driven by asyncio."""
    multi = Multi(concurrency)
    yield multi.get
    for handle in multi.idle:
        handle.close()
    multi.multi.close()


class Wire(asyncio.Protocol):
    """One connection parsed by httptools: the least an own client could cost, without any cap."""

    def __init__(self) -> None:
        import httptools

        self.parser_type = httptools.HttpResponseParser
        self.transport: Any = None
        self.done: asyncio.Future[int] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way out."""
        self.transport = transport

    def ask(self, host: str, path: str) -> asyncio.Future[int]:
        """Write a request."""
        self.parser = self.parser_type(self)
        self.headers: list[tuple[bytes, bytes]] = []
        self.chunks: list[bytes] = []
        self.done = asyncio.get_running_loop().create_future()
        self.transport.write(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {USER_AGENT}\r\n"
            "Accept: */*\r\nAccept-Encoding: gzip\r\n\r\n".encode()
        )
        return self.done

    def data_received(self, data: bytes) -> None:
        """Parse."""
        self.parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header."""
        self.headers.append((name, value))

    def on_body(self, chunk: bytes) -> None:
        """Keep a piece of the body."""
        self.chunks.append(chunk)

    def on_message_complete(self) -> None:
        """Wake the caller."""
        if self.done:
            self.done.set_result(sum(map(len, self.chunks)))


@contextlib.asynccontextmanager
async def httptools_wire(concurrency: int) -> AsyncIterator[Get]:
    """A pool of bare connections."""
    idle: list[Wire] = []
    loop = asyncio.get_running_loop()

    async def get(url: str) -> int:
        _, _, authority, path = url.split("/", 3)
        host, _, port = authority.partition(":")
        wire = idle.pop() if idle else (await loop.create_connection(Wire, host, int(port)))[1]
        async with asyncio.timeout(60):
            size = await wire.ask(authority, "/" + path)
        idle.append(wire)
        return size

    yield get
    for wire in idle:
        wire.transport.close()


@contextlib.asynccontextmanager
async def gossamer_fetcher(concurrency: int) -> AsyncIterator[Get]:
    """Our own adapter with every guard and cap on."""
    from gossamer.adapters.http.fetcher import HttpFetcher
    from gossamer.ports.fetcher import HttpRequest

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


CLIENTS: dict[str, Client] = {
    "aiohttp": aiohttp_plain,
    "aiohttp-tuned": aiohttp_tuned,
    "aiohttp-capped": aiohttp_capped,
    "httpx": httpx_client,
    "pycurl": pycurl_multi,
    "httptools": httptools_wire,
    "gossamer": gossamer_fetcher,
}


async def one_round(client: Client, url: str, size: int, requests: int, concurrency: int) -> Cost:
    """Ask `requests` times with `concurrency` at once, after a warm-up."""
    async with client(concurrency) as get:
        left = iter(range(requests))

        async def worker() -> None:
            for _ in left:
                if await get(url) != size:
                    raise SystemExit(f"{url}: a wrong body")

        await asyncio.gather(*(get(url) for _ in range(concurrency)))
        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(worker() for _ in range(concurrency)))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Cost("", 0, cpu / requests * 1e6, requests / wall)


def measure(
    names: list[str], base: str, requests: int, concurrency: int, rounds: int
) -> list[Cost]:
    """The median over rounds; the clients take turns, so that a busy moment hits them all."""
    costs: dict[tuple[str, int], list[Cost]] = {}
    for _ in range(rounds):
        for name in names:
            for size in SIZES_KB:
                url = f"{base}/{size}.html"
                cost = asyncio.run(
                    one_round(CLIENTS[name], url, size * 1024, requests, concurrency)
                )
                costs.setdefault((name, size), []).append(cost)
    return [
        Cost(
            name,
            size,
            round(statistics.median(cost.cpu_us for cost in seen), 1),
            round(statistics.median(cost.requests_per_second for cost in seen)),
        )
        for (name, size), seen in costs.items()
    ]


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", nargs="+", choices=CLIENTS, default=list(CLIENTS))
    parser.add_argument("--requests", type=int, default=3000, help="per round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    bytearray(8 * 1024 * 1024)  # freed at once: glibc stops returning memory, as in any long run
    with nginx() as base:
        costs = measure(
            options.clients, base, options.requests, options.concurrency, options.rounds
        )
    if options.json:
        print(json.dumps([asdict(cost) for cost in costs], indent=2))
        return 0
    print(f"{'client':<16}{'KB':>4}{'CPU us/request':>17}{'requests/s':>13}")
    for cost in costs:
        print(f"{cost.client:<16}{cost.size_kb:>4}{cost.cpu_us:>17}{cost.requests_per_second:>13}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
