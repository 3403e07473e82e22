"""pycurl: libcurl's multi interface, driven by asyncio's loop."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from scripts.bench.contenders.http_clients import TIMEOUT, USER_AGENT, Get


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
        handle.setopt(self.curl.TIMEOUT, TIMEOUT)
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
