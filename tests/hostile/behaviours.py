"""What can a server do to a crawler? One behaviour per path."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

import brotli
import zstandard

from tests.hostile.wire import MEGABYTE, PAGE, HangUp, at

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.hostile.wire import Wire

BOMB = 32 * MEGABYTE
ENCODE: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw-deflate": lambda data: zlib.compress(data, wbits=-15),
    "br": lambda data: bytes(brotli.compress(data, quality=3)),
    "zstd": zstandard.ZstdCompressor(level=3).compress,
}


@lru_cache(maxsize=8)
def bomb(encoding: str) -> bytes:
    return ENCODE[encoding](bytes(BOMB))


@at("/page")
async def page(wire: Wire) -> None:
    await wire.page()


@at("/hang")
async def hang(wire: Wire) -> None:
    await asyncio.sleep(3600)


@at("/drip")
async def drip(wire: Wire) -> None:
    await wire.head("Content-Type: text/html", "Content-Length: 1000")
    while True:
        await wire.send(b"a")
        await asyncio.sleep(0.02)


@at("/drip-headers")
async def drip_headers(wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        await wire.send(b"a")
        await asyncio.sleep(0.02)


@at("/short")
async def short(wire: Wire) -> None:
    await wire.head("Content-Type: text/html", "Content-Length: 1000")
    await wire.send(b"ten bytes.")
    wire.half_close()
    await asyncio.sleep(3600)


@at("/short-chunked")
async def short_chunked(wire: Wire) -> None:
    await wire.head("Content-Type: text/html", "Transfer-Encoding: Chunked")
    await wire.send(b"5\r\nhello\r\n")
    wire.half_close()
    await asyncio.sleep(3600)


@at("/long")
async def long(wire: Wire) -> None:
    await wire.send(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\nno more."
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\npoison"
    )


@at("/long-later")
async def long_later(wire: Wire) -> None:
    await wire.page(b"hello")
    await asyncio.sleep(0.05)
    await wire.send(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")


@at("/no-length")
async def no_length(wire: Wire) -> None:
    await wire.head("Content-Type: text/html")
    await wire.send(PAGE)
    wire.half_close()
    raise HangUp


@at("/both-lengths")
async def both_lengths(wire: Wire) -> None:
    await wire.head("Content-Type: text/html", "Content-Length: 3", "Transfer-Encoding: chunked")
    await wire.send(b"5\r\nhello\r\n0\r\n\r\n")


@at("/endless")
async def endless(wire: Wire) -> None:
    await wire.head("Content-Type: text/html", "Transfer-Encoding: chunked")
    while True:
        await wire.send(b"1000\r\n" + b"a" * 0x1000 + b"\r\n")


@at("/endless-gzip")
async def endless_gzip(wire: Wire) -> None:
    """Never ends, and every byte of it means a thousand."""
    await wire.head(
        "Content-Type: text/html", "Transfer-Encoding: chunked", "Content-Encoding: gzip"
    )
    squeeze = zlib.compressobj(wbits=31)
    while True:
        piece = squeeze.compress(bytes(MEGABYTE)) + squeeze.flush(zlib.Z_SYNC_FLUSH)
        await wire.send(b"%x\r\n" % len(piece), piece, b"\r\n")


@at("/endless-trailers")
async def endless_trailers(wire: Wire) -> None:
    await wire.head("Content-Type: text/html", "Transfer-Encoding: chunked")
    await wire.send(b"5\r\nhello\r\n0\r\n")
    while True:
        await wire.send(b"X-Trailer: " + b"a" * 1000 + b"\r\n")


@at("/endless-extension")
async def endless_extension(wire: Wire) -> None:
    await wire.head("Content-Type: text/html", "Transfer-Encoding: chunked")
    await wire.send(b"5;")
    while True:
        await wire.send(b"a" * 1000)


@at("/endless-hints")
async def endless_hints(wire: Wire) -> None:
    while True:
        await wire.head("Link: </style.css>; rel=preload", status="103 Early Hints")


@at("/early-hints")
async def early_hints(wire: Wire) -> None:
    await wire.head("Link: </style.css>; rel=preload", status="103 Early Hints")
    await wire.page()


@at("/header-flood")
async def header_flood(wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 200 OK\r\n")
    line = b"X-Flood: " + b"a" * 89 + b"\r\n"
    for _ in range(10 * MEGABYTE // len(line)):
        await wire.send(line)
    raise HangUp


@at("/header-line")
async def header_line(wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(10):
        await wire.send(b"a" * MEGABYTE)
    raise HangUp


@at("/long-header")
async def long_header(wire: Wire) -> None:
    await wire.page(PAGE, "X: " + "a" * 17_000)


@at("/reset")
async def reset(wire: Wire) -> None:
    await wire.head("Content-Type: text/html", "Content-Length: 1000")
    await wire.send(b"ten bytes.")
    await asyncio.sleep(0.05)
    wire.reset()
    raise HangUp


@at("/reset-at-once")
async def reset_at_once(wire: Wire) -> None:
    wire.reset()
    raise HangUp


@at("/garbage")
async def garbage(wire: Wire) -> None:
    await wire.send(b"\x00\x01\x02 nonsense\r\n\r\n")


@at("/nul-header")
async def nul_header(wire: Wire) -> None:
    await wire.page(PAGE, "X: a\0b")


@at("/switch")
async def switch(wire: Wire) -> None:
    await wire.head("Connection: Upgrade", "Upgrade: h2c", status="101 Switching Protocols")


@at("/redirect")
async def redirect(wire: Wire) -> None:
    await wire.page(b"moved", "Location: /page", status="302 Found")


@at("/not-modified")
async def not_modified(wire: Wire) -> None:
    await wire.head("Content-Length: 99999999", status="304 Not Modified")


@at("/video")
async def video(wire: Wire) -> None:
    await wire.head("Content-Type: video/mp4", "Transfer-Encoding: chunked")
    while True:
        await wire.send(b"10000\r\n" + bytes(0x10000) + b"\r\n")


@at("/missing-video")
async def missing_video(wire: Wire) -> None:
    await wire.head("Content-Type: video/mp4", "Content-Length: 4", status="404 Not Found")
    await wire.send(b"none")


@at("/huge")
async def huge(wire: Wire) -> None:
    await wire.head("Content-Type: text/html", f"Content-Length: {64 * MEGABYTE}")
    for _ in range(64):
        await wire.send(bytes(MEGABYTE))
    raise HangUp


@at("/untyped")
async def untyped(wire: Wire) -> None:
    await wire.head(f"Content-Length: {len(PAGE)}")
    await wire.send(PAGE)


@at("/untyped-binary")
async def untyped_binary(wire: Wire) -> None:
    await wire.head("Content-Length: 8")
    await wire.send(b"\x89PNG\x00\x01\x02\x03")


@at("/not-gzip")
async def not_gzip(wire: Wire) -> None:
    await wire.page(PAGE, "Content-Encoding: gzip")


@at("/half-gzip")
async def half_gzip(wire: Wire) -> None:
    await wire.page(gzip.compress(PAGE)[:-20], "Content-Encoding: gzip")


@at("/twice-gzip")
async def twice_gzip(wire: Wire) -> None:
    body = gzip.compress(gzip.compress(PAGE + b"<p>Packed twice.</p>"))
    await wire.page(body, "Content-Encoding: gzip, gzip")


@at("/closing")
async def closing(wire: Wire) -> None:
    """Promises to keep the connection, and closes it."""
    await wire.page()
    raise HangUp


@at("/once")
async def once(wire: Wire) -> None:
    """Closes when a second request arrives: the race every kept connection can lose."""
    if wire.asked > 1:
        raise HangUp
    await wire.page()


def _encoded(name: str) -> None:
    header = "Content-Encoding: " + name.removeprefix("raw-")

    @at(f"/{name}")
    async def encoded(wire: Wire) -> None:
        await wire.page(ENCODE[name](PAGE), header)

    @at(f"/{name}-bomb")
    async def explode(wire: Wire) -> None:
        await wire.page(bomb(name), header)


for _name in ENCODE:
    _encoded(_name)
