"""Find the responses to one URL in a WARC file of ours, without decompressing all of it.

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
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO

START = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"  # of a member, written without a name and a time
MAX_HEAD = 8192  # bytes that are looked at of each: its head, and the status of the response
PIECE = 8 << 20


def responses_to(url: str, path: Path, is_late: Callable[[], bool]) -> Iterator[KeptResponse]:
    """The successful responses to a URL in a file, in order, until it is late."""
    wanted = f"\r\nWARC-Target-URI: {url}\r\n".encode()
    # Not mapped into memory: a crawl that takes over may shorten the newest file.
    with path.open("rb") as file:
        whole = chain(_members(file), [(path.stat().st_size, b"")])
        for (offset, data), (end, _) in pairwise(whole):
            if is_late():
                return
            told = _response(data, wanted)
            if told is not None:
                yield KeptResponse(PageRef(path.name, offset, end - offset), *told)


def _members(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Where each member begins, and its first bytes."""
    begins, data = 0, b""
    while True:
        piece = file.read(PIECE)
        data += piece
        at = data.find(START)
        # What begins at the end of a piece is read with the next one.
        while at >= 0 and (at + MAX_HEAD <= len(data) or not piece):
            yield begins + at, data[at : at + MAX_HEAD]
            at = data.find(START, at + 1)
        if not piece:
            return
        kept = at if at >= 0 else max(0, len(data) - len(START) + 1)
        begins, data = begins + kept, data[kept:]


def _response(data: bytes, wanted: bytes) -> tuple[float, str] | None:
    """When a response was fetched and the digest of its content, if it is one that is wanted."""
    try:
        raw = zlib.decompressobj(wbits=31).decompress(data, MAX_HEAD)
    except zlib.error:
        return None
    head, _, block = raw.partition(b"\r\n\r\n")
    if wanted not in head or b"\r\nWARC-Type: response\r\n" not in head:
        return None
    if b"\r\nWARC-Truncated: " in head:  # what came of it says too little
        return None
    if block[:5] != b"HTTP/" or block.partition(b" ")[2][:1] != b"2":
        return None
    facts = dict(line.split(": ", 1) for line in head.decode("utf-8", "replace").split("\r\n")[1:])
    at = datetime.fromisoformat(facts["WARC-Date"]).timestamp()
    return at, facts.get("WARC-Payload-Digest", "")
