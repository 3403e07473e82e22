"""Compose WARC records of requests and read pages back from them.

Every request has a metadata record with its start, delay, slot and result; if a status line
arrived, a response record comes before it. The audit reads nothing else. Records are composed here
because warcio's writer takes more CPU (docs/decisions/0010); tests validate them with warcio. The
page stores of all homes use this module.
"""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from isal import igzip, isal_zlib

from gossamer.core.errors import CorruptRecord
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts, StoredPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Level 1 of ISA-L: 0.14 ms for a 98 KB page, where zlib's level 6 takes 1.5 ms for 17 % less.
GZIP_LEVEL = 1
# What decompressing or parsing a damaged or foreign record may raise.
DAMAGE: tuple[type[Exception], ...] = (  # type: ignore[assignment] # a mistake of isal's stubs
    EOFError,
    IndexError,
    ValueError,
    zlib.error,
    igzip.BadGzipFile,
    isal_zlib.error,
)
INCOMPLETE: tuple[type[Exception], ...] = (KeyError, *DAMAGE)
# Hop-by-hop: the stored bytes are de-chunked, so the header would be wrong.
RENAMED = {"transfer-encoding": "X-Crawler-Transfer-Encoding"}


def request_members(response: HttpResponse, facts: RequestFacts) -> tuple[bytes, bytes]:
    """The two gzip members of a request: its response (empty if none came) and its metadata."""
    record_id = _new_id()
    first = _member(_response_record(response, record_id)) if response.code else b""
    return first, _member(_metadata_record(response, facts, record_id))


def file_member(name: str) -> bytes:
    """The first member of a file: its warcinfo record."""
    return _member(_warcinfo_record(name))


def read_member(member: bytes, decode: Callable[[bytes, str], bytes], where: str) -> StoredPage:
    """The page in one of our response records; raises CorruptRecord with `where` if damaged."""
    try:
        raw: bytes = igzip.decompress(member)  # type: ignore[no-untyped-call]
        return _parse_record(raw, decode)
    except DAMAGE as error:
        raise CorruptRecord(f"{where}: {error}") from error


def read_request(
    first: bytes, second: bytes, decode: Callable[[bytes, str], bytes], where: str
) -> tuple[HttpResponse, RequestFacts]:
    """What `request_members` wrote; raises CorruptRecord with `where` if it is damaged."""
    try:
        stored: bytes = igzip.decompress(second)  # type: ignore[no-untyped-call]
        head, facts = _parse_metadata(stored)
        url = _field(head, b"WARC-Target-URI").decode()
        return _response_of(first, url, facts, decode), _facts_of(facts)
    except INCOMPLETE as error:
        raise CorruptRecord(f"{where}: {error}") from error


def purpose_of(metadata: bytes) -> str:
    """What a request of ours was made for, by its metadata record; empty if it is not ours."""
    try:
        raw = metadata
        if not raw.startswith(b"WARC/"):
            raw = igzip.decompress(metadata)  # type: ignore[no-untyped-call]
        return _parse_metadata(raw)[1].get("purpose", "")
    except DAMAGE:
        return ""


def _parse_metadata(raw: bytes) -> tuple[bytes, dict[str, str]]:
    head, _, block = raw.partition(b"\r\n\r\n")
    lines = block[: int(_field(head, b"Content-Length"))].decode().split("\r\n")
    pairs = (line.partition(": ") for line in lines if line)
    return head, {name: value for name, _, value in pairs}


def _response_of(
    first: bytes, url: str, facts: dict[str, str], decode: Callable[[bytes, str], bytes]
) -> HttpResponse:
    fault, said = facts.get("fault", ""), _Said(0, (), b"")
    if first:
        record: bytes = igzip.decompress(first)  # type: ignore[no-untyped-call]
        said = _parse_response(record)
    # A body that came with a fault is not whole: nothing reads it.
    body = b"" if fault else said.body(decode)
    if said.code != int(facts["code"]):
        raise ValueError("the records of a request do not belong together")
    return HttpResponse(
        url=url,
        started_at=float(facts["startedAt"]),
        seconds=float(facts["seconds"]),
        code=said.code,
        headers=said.headers,
        raw=said.content,
        body=body,
        fault=fault,
    )


def _facts_of(facts: dict[str, str]) -> RequestFacts:
    return RequestFacts(
        job=facts["job"],
        host=facts["host"],
        purpose=facts["purpose"],
        slot=float(facts["slot"]),
        delay=float(facts["delay"]),
        grace=float(facts["grace"]),
        depth=int(facts["depth"]),
        tries=int(facts["tries"]),
        agent=facts.get("userAgent", ""),
        max_delay=float(facts.get("maxDelay", "0")),
        robots_for=facts.get("robotsFor", ""),
        after=float(facts.get("after", "0")),
    )


class _Said(NamedTuple):
    """A response as its record has it."""

    code: int
    headers: tuple[tuple[str, str], ...]
    content: bytes  # as sent

    def body(self, decode: Callable[[bytes, str], bytes]) -> bytes:
        encoding = next((v for n, v in self.headers if n.lower() == "content-encoding"), "")
        return decode(self.content, encoding) if encoding else self.content


def _parse_record(raw: bytes, decode: Callable[[bytes, str], bytes]) -> StoredPage:
    said, warc_head = _parse_response(raw), raw[: raw.index(b"\r\n\r\n")]
    return StoredPage(
        url=_field(warc_head, b"WARC-Target-URI").decode(),
        code=said.code,
        headers=said.headers,
        body=said.body(decode),
    )


def _parse_response(raw: bytes) -> _Said:
    warc_head, _, block = raw.partition(b"\r\n\r\n")
    http_head, _, body = block.partition(b"\r\n\r\n")
    length = int(_field(warc_head, b"Content-Length"))
    if len(block) < length:
        raise ValueError("the record is shorter than it says")
    status_line, *lines = http_head.decode("latin-1").split("\r\n")
    headers = tuple(
        (name, value.strip()) for name, _, value in (line.partition(":") for line in lines)
    )
    code = int(status_line.split(" ", 2)[1])
    return _Said(code, headers, body[: length - len(http_head) - 4])


def _field(head: bytes, name: bytes) -> bytes:
    start = head.index(b"\r\n" + name + b": ") + len(name) + 4
    end = head.find(b"\r\n", start)
    return head[start : end if end >= 0 else len(head)]


def _member(record: bytes) -> bytes:
    return igzip.compress(record, GZIP_LEVEL, mtime=0)


def _new_id() -> str:
    """A random UUID, version 4; uuid.UUID would take three times as long."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    parts = digits[:8], digits[8:12], "4" + digits[13:16], variant + digits[17:20], digits[20:]
    return f"<urn:uuid:{'-'.join(parts)}>"


@lru_cache(maxsize=4)  # the two records of a request have one date
def _date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _digest(data: bytes) -> str:
    sha1 = hashlib.sha1(data, usedforsecurity=False).digest()
    return "sha1:" + base64.b32encode(sha1).decode()


def _record(kind: str, fields: Iterable[tuple[str, str]], block: bytes) -> bytes:
    head = "".join(f"{name}: {value}\r\n" for name, value in fields if value)
    top = f"WARC/1.1\r\nWARC-Type: {kind}\r\n{head}Content-Length: {len(block)}\r\n\r\n"
    return top.encode("utf-8", "replace") + block + b"\r\n\r\n"


def _response_record(response: HttpResponse, record_id: str) -> bytes:
    lines = [f"HTTP/{response.http_version} {response.code} {response.phrase}"]
    lines += [f"{RENAMED.get(n.lower(), n)}: {v}" for n, v in response.headers]
    block = (
        "\r\n".join(map(_one_line, lines)).encode("latin-1", "replace") + b"\r\n\r\n" + response.raw
    )
    fields = (
        ("WARC-Target-URI", response.url),
        ("WARC-Date", _date(response.started_at)),
        ("WARC-Record-ID", record_id),
        ("WARC-IP-Address", response.ip),
        ("WARC-Payload-Digest", _digest(response.raw)),
        ("WARC-Truncated", "unspecified" if response.fault else ""),
        ("Content-Type", "application/http; msgtype=response"),
    )
    return _record("response", fields, block)


def _metadata_record(response: HttpResponse, facts: RequestFacts, concurrent_to: str) -> bytes:
    lines = (
        ("host", facts.host),
        ("job", facts.job),
        ("purpose", facts.purpose),
        ("robotsFor", facts.robots_for),
        ("startedAt", f"{response.started_at:.6f}"),
        ("seconds", f"{response.seconds:.6f}"),
        ("slot", f"{facts.slot:.6f}"),
        ("delay", f"{facts.delay:.6f}"),
        ("maxDelay", f"{facts.max_delay:.6f}"),
        ("grace", f"{facts.grace:.6f}"),
        ("code", str(response.code)),
        ("fault", response.fault),
        ("depth", str(facts.depth)),
        ("tries", str(facts.tries)),
        ("after", f"{facts.after:.6f}" if facts.after else ""),
        ("userAgent", facts.agent),
    )
    block = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in lines if value).encode()
    fields = (
        ("WARC-Target-URI", response.url),
        ("WARC-Date", _date(response.started_at)),
        ("WARC-Record-ID", _new_id()),
        ("WARC-Concurrent-To", concurrent_to if response.code else ""),
        ("Content-Type", "application/warc-fields"),
    )
    return _record("metadata", fields, block)


def _warcinfo_record(name: str) -> bytes:
    block = b"software: Gossamer\r\nformat: WARC File Format 1.1\r\n"
    fields = (
        ("WARC-Filename", name),
        ("WARC-Date", _date(datetime.now(UTC).timestamp())),
        ("WARC-Record-ID", _new_id()),
        ("Content-Type", "application/warc-fields"),
    )
    return _record("warcinfo", fields, block)


def _one_line(value: str) -> str:
    return value if value.isprintable() else value.replace("\r", " ").replace("\n", " ")
