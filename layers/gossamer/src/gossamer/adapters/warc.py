"""Compose WARC records of requests and read pages back from them.

Every request has a metadata record with its start, delay, slot and result; if a status line
arrived, a response record comes before it, or a revisit record if it brought nothing new
(warc_file.py). The audit reads nothing else. What was sent comes behind, as a request record.
Records are composed here because warcio's writer takes more CPU (docs/decisions/0010); tests
validate them with warcio. The page stores of all homes use this module.
"""

from __future__ import annotations

import base64
import hashlib
import os
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from isal import igzip

from gossamer import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.crawl.url_record import PageRef
    from gossamer.ports.fetcher import HttpResponse
    from gossamer.ports.pages import RequestFacts

# Level 1 of ISA-L: 0.14 ms for a 98 KB page, where zlib's level 6 takes 1.5 ms for 17 % less.
GZIP_LEVEL = 1
# Hop-by-hop: the stored bytes are de-chunked, so the header would be wrong.
RENAMED = {"transfer-encoding": "X-Crawler-Transfer-Encoding"}
PLACE = "X-Crawler-Refers-To"  # file, offset and length of the record that has the content


NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
CONFORMS_TO = "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
# Why a response is not whole, in the words of WARC 1.1; "unspecified" for any other fault.
CUT_BY = {
    **dict.fromkeys(("too-large", "decompression-bomb", "header-flood"), "length"),
    **dict.fromkeys(("timeout", "too-slow"), "time"),
    **dict.fromkeys(("connection-reset", "truncated-body"), "disconnect"),
}


class Original(NamedTuple):
    """A response record that another refers to, because it has the same content."""

    url: str
    date: str
    id: str = ""
    digest: str = ""
    place: PageRef | None = None


def request_members(
    response: HttpResponse,
    facts: RequestFacts,
    original: Original | None = None,
    record_id: str = "",
    digest: str = "",
) -> tuple[bytes, bytes]:
    """The gzip members of a request: its response (empty if none came), and what is about it.

    With an `original` the response is a revisit of that. The `digest` is that of its payload.
    """
    record_id, metadata_id = record_id or new_id(), new_id()
    answer_id = record_id if response.code else ""
    first = b""
    if response.code:
        first = member_of(_response_record(response, record_id, original, digest))
    second = member_of(_metadata_record(response, facts, metadata_id, answer_id))
    if response.request:
        second += member_of(_request_record(response, answer_id or metadata_id))
    return first, second


def file_member(name: str, agent: str = "") -> bytes:
    """The first member of a file: its warcinfo record."""
    return member_of(_warcinfo_record(name, agent))


def member_of(record: bytes) -> bytes:
    """A record as a gzip member."""
    return igzip.compress(record, GZIP_LEVEL, mtime=0)


def new_id() -> str:
    """A random UUID, version 4; uuid.UUID would take three times as long."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    parts = digits[:8], digits[8:12], "4" + digits[13:16], variant + digits[17:20], digits[20:]
    return f"<urn:uuid:{'-'.join(parts)}>"


@lru_cache(maxsize=4)  # the records of a request have one date
def date_of(at: float) -> str:
    """A time as records have it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def payload_digest(data: bytes) -> str:
    """The digest of a payload as records have it."""
    sha1 = hashlib.sha1(data, usedforsecurity=False).digest()
    return "sha1:" + base64.b32encode(sha1).decode()


def _record(kind: str, fields: Iterable[tuple[str, str]], block: bytes) -> bytes:
    head = "".join(f"{name}: {value}\r\n" for name, value in fields if value)
    top = f"WARC/1.1\r\nWARC-Type: {kind}\r\n{head}Content-Length: {len(block)}\r\n\r\n"
    return top.encode("utf-8", "replace") + block + b"\r\n\r\n"


def _response_record(
    response: HttpResponse, record_id: str, original: Original | None, digest: str
) -> bytes:
    lines = [f"HTTP/{response.http_version} {response.code} {response.phrase}"]
    lines += [f"{RENAMED.get(n.lower(), n)}: {v}" for n, v in response.headers]
    head = "\r\n".join(map(_one_line, lines)).encode("latin-1", "replace") + b"\r\n\r\n"
    fields = (
        ("WARC-Target-URI", response.url),
        ("WARC-Date", date_of(response.started_at)),
        ("WARC-Record-ID", record_id),
        ("WARC-IP-Address", response.ip),
        ("Content-Type", "application/http; msgtype=response"),
    )
    if original is not None:
        return _record("revisit", (*fields, *_reference(response, original)), head)
    payload = (
        ("WARC-Payload-Digest", digest or payload_digest(response.raw)),
        ("WARC-Truncated", _cause_of_cut(response)),
    )
    return _record("response", (*fields, *payload), head + response.raw)


def _reference(response: HttpResponse, original: Original) -> Iterable[tuple[str, str]]:
    """What says that a response has the content of another."""
    is_unsaid, place = response.code == 304, original.place
    yield "WARC-Profile", NOT_MODIFIED if is_unsaid else IDENTICAL
    yield "WARC-Refers-To", original.id
    yield "WARC-Refers-To-Target-URI", original.url
    yield "WARC-Refers-To-Date", original.date
    if not is_unsaid:
        yield "WARC-Payload-Digest", original.digest
        yield PLACE, f"{place.file} {place.offset} {place.length}" if place else ""


def _cause_of_cut(response: HttpResponse) -> str:
    if response.is_cut:
        return "length"
    return CUT_BY.get(response.fault, "unspecified") if response.fault else ""


def _request_record(response: HttpResponse, concurrent_to: str) -> bytes:
    fields = (
        ("WARC-Target-URI", response.url),
        ("WARC-Date", date_of(response.started_at)),
        ("WARC-Record-ID", new_id()),
        ("WARC-IP-Address", response.ip),
        ("WARC-Concurrent-To", concurrent_to),
        ("Content-Type", "application/http; msgtype=request"),
    )
    return _record("request", fields, response.request)


def _metadata_record(
    response: HttpResponse, facts: RequestFacts, record_id: str, concurrent_to: str
) -> bytes:
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
        ("cookies", facts.cookies),
        ("hops", str(facts.hops) if facts.hops else ""),
        ("era", str(facts.era) if facts.era else ""),
    )
    fields = (
        ("WARC-Target-URI", response.url),
        ("WARC-Date", date_of(response.started_at)),
        ("WARC-Record-ID", record_id),
        ("WARC-Concurrent-To", concurrent_to),
        ("Content-Type", "application/warc-fields"),
    )
    return _record("metadata", fields, _warc_fields(lines))


def _warcinfo_record(name: str, agent: str) -> bytes:
    lines = (
        ("software", f"Gossamer/{__version__}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", CONFORMS_TO),
        ("robots", "obey"),
        ("http-header-user-agent", agent),
    )
    fields = (
        ("WARC-Filename", name),
        ("WARC-Date", date_of(datetime.now(UTC).timestamp())),
        ("WARC-Record-ID", new_id()),
        ("Content-Type", "application/warc-fields"),
    )
    return _record("warcinfo", fields, _warc_fields(lines))


def _warc_fields(lines: Iterable[tuple[str, str]]) -> bytes:
    return "".join(f"{name}: {_one_line(value)}\r\n" for name, value in lines if value).encode()


def _one_line(value: str) -> str:
    return value if value.isprintable() else value.replace("\r", " ").replace("\n", " ")
