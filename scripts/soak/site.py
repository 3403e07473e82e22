"""The server of the changing site, a process on several loopback addresses.

Settings come as a JSON object on stdin; it serves until stdin ends. While the site changes, some
requests fail, are slow, or get a 429.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from random import Random
from typing import Any

from scripts.soak.changing import Answer, ChangingSite

FAILURES = 0.004  # of all requests
SLOWNESS = 0.02
SLOW = (0.05, 0.3)  # seconds
# Seconds between two 429s of a host; after one, the crawler slows down for about 15 s.
BETWEEN_THROTTLES = (120.0, 360.0)


class SiteServer:
    """One server for all hosts."""

    def __init__(self, site: ChangingSite, began_at: float) -> None:
        self._site = site
        self._began_at = began_at
        self._chance = Random(site.seed)
        self._throttle_at = {
            origin: self._chance.uniform(5.0, BETWEEN_THROTTLES[1]) for origin in site.origins
        }

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        with suppress(OSError, EOFError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").strip().split("\r\n")
                pairs = (line.partition(":") for line in lines)
                headers = {name.lower(): value.strip() for name, _, value in pairs}
                answer = await self._answer(f"http://{headers['host']}", first.split(" ")[1])
                writer.write(_written(answer, headers.get("if-none-match", "")))
                await writer.drain()
        writer.close()

    async def _answer(self, origin: str, path: str) -> Answer:
        now = time.time() - self._began_at
        if now < self._site.seconds and path != "/robots.txt":
            if self._chance.random() < SLOWNESS:
                await asyncio.sleep(self._chance.uniform(*SLOW))
            if now > self._throttle_at[origin]:
                self._throttle_at[origin] = now + self._chance.uniform(*BETWEEN_THROTTLES)
                return Answer(429, b"too many requests")
            if self._chance.random() < FAILURES:
                return Answer(500, b"failed")
        return self._site.at(origin, path, now)


def _written(answer: Answer, known: str) -> bytes:
    code, body = answer.code, answer.body
    lines = ["Content-Type: text/html; charset=utf-8"]
    if code == HTTPStatus.OK:
        lines.append(f"ETag: {answer.etag}")
        if known == answer.etag:
            code, body = HTTPStatus.NOT_MODIFIED, b""
    if answer.location:
        lines.append(f"Location: {answer.location}")
    if code == HTTPStatus.TOO_MANY_REQUESTS:
        lines.append("Retry-After: 1")
    lines.append(f"Content-Length: {len(body)}")
    status = f"HTTP/1.1 {int(code)} {HTTPStatus(code).phrase}"
    return "\r\n".join([status, *lines, "", ""]).encode() + body


async def serve(settings: dict[str, Any], addresses: Sequence[str]) -> None:
    """Serve until stdin ends."""
    site = ChangingSite(
        settings["seed"], tuple(settings["origins"]), settings["pages"], settings["seconds"]
    )
    server = SiteServer(site, settings["began_at"])
    for address in addresses:
        await asyncio.start_server(server.handle, address, settings["port"], backlog=256)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    said = json.loads(sys.stdin.readline())
    asyncio.run(serve(said, said["addresses"]))
