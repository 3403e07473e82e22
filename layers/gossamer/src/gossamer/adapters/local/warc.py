"""PageStore over WARC files: one gzip member per record, appended, never changed.

For every request there is a metadata record that says when it started, under which delay and slot,
and what came of it; if a status line arrived, a response record comes before it. The audit reads
nothing else. Records are composed here because warcio's writer costs more CPU
(docs/decisions/0010); warcio reads and validates what we write.
"""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from isal import igzip

from gossamer.core.errors import CorruptRecord, StoreFailed
from gossamer.messages import PageRef
from gossamer.ports.pages import RequestFacts, StoredPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from gossamer.adapters.local.store import Store
    from gossamer.ports.fetcher import HttpResponse

MAX_FILE_BYTES = 1_000_000_000
# Level 1 of ISA-L: 0.14 ms for a 98 KB page, where zlib's level 6 takes 1.5 ms for 17 % less.
GZIP_LEVEL = 1
# Hop-by-hop: our bytes are de-chunked, so the header would lie about them.
RENAMED = {"transfer-encoding": "X-Crawler-Transfer-Encoding"}


class WarcPages:
    """The WARC files of a collection. A run opens its own file and appends to it alone."""

    def __init__(
        self, folder: Path, store: Store, decode: Callable[[bytes, str], bytes], prefix: str = "web"
    ) -> None:
        self._folder = folder
        self._store = store
        self._decode = decode
        self._prefix = prefix
        self._fd = -1
        self._name = ""
        self._size = 0

    def append(self, response: HttpResponse, facts: RequestFacts) -> PageRef:
        """Keep a request and its response."""
        if self._fd < 0 or self._size > MAX_FILE_BYTES:
            self._open_next()
        record_id = _new_id()
        first = _member(_response_record(response, record_id)) if response.code else b""
        second = _member(_metadata_record(response, facts, record_id))
        ref = PageRef(self._name, self._size, len(first))
        self._write(first + second)
        self._store.count("requests")
        self._store.count("bytes", len(response.raw))
        self._store.count(f"code:{response.code}" if response.code else "code:none")
        return ref

    def read(self, ref: PageRef) -> StoredPage:
        """The page at a reference."""
        return read_page_record(self._folder / ref.file, ref, self._decode)

    def files(self) -> list[Path]:
        """All WARC files, in the order of their making."""
        return sorted(self._folder.glob("*.warc.gz"))

    def sync(self) -> None:
        """Make what was appended survive a power cut."""
        if self._fd >= 0:
            os.fsync(self._fd)

    def close(self) -> None:
        """Close the file of this run."""
        if self._fd >= 0:
            self.sync()
            os.close(self._fd)
            self._fd = -1

    def mend(self) -> None:
        """Cut a record that a kill left half-written off the end of the newest file."""
        for path in self.files()[-1:]:
            known = self._store.counters.get(_end_counter(path.name), 0)
            whole = _whole_length(path, min(known, path.stat().st_size))
            os.truncate(path, whole)

    def _open_next(self) -> None:
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True)
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        self._name = f"{self._prefix}-{stamp}.warc.gz"
        path = self._folder / self._name
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        self._size = 0
        self._write(_member(_warcinfo_record(self._name)))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:  # no half record may stand before the next one
            os.ftruncate(self._fd, self._size)
            raise StoreFailed(f"cannot write {self._folder / self._name}: {error}") from error
        self._size += len(data)
        self._store.count(_end_counter(self._name), len(data))


def read_page_record(path: Path, ref: PageRef, decode: Callable[[bytes, str], bytes]) -> StoredPage:
    """Read one response record of ours from its byte range."""
    try:
        with path.open("rb") as file:
            file.seek(ref.offset)
            raw: bytes = igzip.decompress(file.read(ref.length))  # type: ignore[no-untyped-call]
        return _parse_record(raw, decode)
    except (OSError, EOFError, ValueError, zlib.error, igzip.BadGzipFile) as error:
        raise CorruptRecord(f"{path.name} at {ref.offset}: {error}") from error


def _parse_record(raw: bytes, decode: Callable[[bytes, str], bytes]) -> StoredPage:
    warc_head, _, block = raw.partition(b"\r\n\r\n")
    http_head, _, body = block.partition(b"\r\n\r\n")
    length = int(_field(warc_head, b"Content-Length"))
    if len(block) < length:
        raise ValueError("the record is shorter than it says")
    status_line, *lines = http_head.decode("latin-1").split("\r\n")
    headers = tuple(
        (name, value.strip()) for name, _, value in (line.partition(":") for line in lines)
    )
    encoding = next((v for n, v in headers if n.lower() == "content-encoding"), "")
    content = body[: length - len(http_head) - 4]
    return StoredPage(
        url=_field(warc_head, b"WARC-Target-URI").decode(),
        code=int(status_line.split(" ", 2)[1]),
        headers=headers,
        body=decode(content, encoding) if encoding else content,
    )


def _field(head: bytes, name: bytes) -> bytes:
    start = head.index(b"\r\n" + name + b": ") + len(name) + 4
    end = head.find(b"\r\n", start)
    return head[start : end if end >= 0 else len(head)]


def _whole_length(path: Path, whole: int) -> int:
    """Up to which byte a file consists of whole gzip members; up to `whole` is known."""
    with path.open("rb") as file:
        file.seek(whole)
        rest = file.read()
    while rest:
        member = zlib.decompressobj(wbits=31)
        try:
            member.decompress(rest)
        except zlib.error:
            break
        if not member.eof:
            break
        whole += len(rest) - len(member.unused_data)
        rest = member.unused_data
    return whole


def _end_counter(name: str) -> str:
    return f"end:{name}"


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
