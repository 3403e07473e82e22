"""Find the responses to some URLs in a WARC file of ours, without decompressing all of it.

Every record is a gzip member of its own, and all members begin with the same eight bytes, because
our writer gives them no time. So members are found as fast as memory is searched, and only the
head of each is decompressed.
"""

from __future__ import annotations

import zlib
from datetime import datetime
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from gossamer.core.crawl.url_record import PageRef
from gossamer.ports.pages import KeptResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

START = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"  # of a member, written without a name and a time
MAX_HEAD = 8192  # bytes that are looked at of each: its head, and the status of the response
PIECE = 8 << 20


def responses_to(url: str, path: Path, is_late: Callable[[], bool]) -> Iterator[KeptResponse]:
    """The successful responses to a URL in a file, in order, until it is late."""
    wanted = f"\r\nWARC-Target-URI: {url}\r\n".encode()
    yield from _responses(path.name, _pieces(path), lambda head: wanted in head, is_late)


def responses_among(
    name: str, pieces: Iterable[bytes], is_wanted: Callable[[str], bool]
) -> Iterator[KeptResponse]:
    """The successful responses to the URLs that are wanted, in order, in a file of this name."""
    yield from _responses(name, pieces, lambda head: is_wanted(_url(head)), lambda: False)


def _responses(
    name: str,
    pieces: Iterable[bytes],
    is_wanted: Callable[[bytes], bool],
    is_late: Callable[[], bool],
) -> Iterator[KeptResponse]:
    for (offset, data), (end, _) in pairwise(_members(pieces)):
        if is_late():
            return
        told = _response(data, is_wanted)
        if told is not None:
            yield KeptResponse(PageRef(name, offset, end - offset), *told)


def _pieces(path: Path) -> Iterator[bytes]:
    # Not mapped into memory: a crawl that takes over may shorten the newest file.
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def _members(pieces: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Where each member begins, and its first bytes; last the end of the file."""
    begins, data = 0, b""
    for piece in chain(pieces, [b""]):
        data += piece
        at = data.find(START)
        # What begins at the end of a piece is read with the next one.
        while at >= 0 and (at + MAX_HEAD <= len(data) or not piece):
            yield begins + at, data[at : at + MAX_HEAD]
            at = data.find(START, at + 1)
        if not piece:
            yield begins + len(data), b""
            return
        kept = at if at >= 0 else max(0, len(data) - len(START) + 1)
        begins, data = begins + kept, data[kept:]


def _url(head: bytes) -> str:
    return (
        head.partition(b"\r\nWARC-Target-URI: ")[2].partition(b"\r\n")[0].decode("utf-8", "replace")
    )


def _response(data: bytes, is_wanted: Callable[[bytes], bool]) -> tuple[float, str, str] | None:
    """When a response was fetched, the digest of its content and its URL, if it is wanted."""
    try:
        raw = zlib.decompressobj(wbits=31).decompress(data, MAX_HEAD)
    except zlib.error:
        return None
    head, _, block = raw.partition(b"\r\n\r\n")
    if b"\r\nWARC-Type: response\r\n" not in head or not is_wanted(head):
        return None
    if b"\r\nWARC-Truncated: " in head:  # what came of it says too little
        return None
    if block[:5] != b"HTTP/" or block.partition(b" ")[2][:1] != b"2":
        return None
    facts = dict(line.split(": ", 1) for line in head.decode("utf-8", "replace").split("\r\n")[1:])
    at = datetime.fromisoformat(facts["WARC-Date"]).timestamp()
    return at, facts.get("WARC-Payload-Digest", ""), facts["WARC-Target-URI"]
