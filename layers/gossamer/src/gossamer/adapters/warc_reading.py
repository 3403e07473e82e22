"""Read back what warc.py composed: pages, requests, and what revisits refer to."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from isal import igzip, isal_zlib

from gossamer.adapters.warc import PLACE, Original, member_of
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import CorruptRecord
from gossamer.ports.fetcher import HttpResponse
from gossamer.ports.pages import RequestFacts, StoredPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    ReadMember = Callable[[PageRef], bytes]

_PLACE_FIELD = f"\r\n{PLACE}: ".encode()
ABOUT = 16_384  # bytes behind a response in which the records about it lie
MAX_HEAD = 16_384  # bytes of a record that are looked at for its fields
_OF_REVISITS = (b"WARC-Refers-To", b"WARC-Profile: ", PLACE.encode(), b"Content-Length: ")
# What decompressing or parsing a damaged or foreign record may raise.
DAMAGE: tuple[type[Exception], ...] = (  # type: ignore[assignment] # a mistake of isal's stubs
    EOFError,
    IndexError,
    ValueError,
    zlib.error,
    igzip.BadGzipFile,
    isal_zlib.error,
)
INCOMPLETE: tuple[type[Exception], ...] = (KeyError, OSError, *DAMAGE)


def read_member(
    member: bytes,
    decode: Callable[[bytes, str], bytes],
    where: str,
    read_original: ReadMember | None = None,
) -> StoredPage:
    """The page in one of our response records; raises CorruptRecord with `where` if damaged.

    What repeats another has the content of that, which `read_original` reads.
    """
    try:
        raw: bytes = igzip.decompress(member)  # type: ignore[no-untyped-call]
        return _parse_record(raw, decode, read_original)
    except DAMAGE as error:
        raise CorruptRecord(f"{where}: {error}") from error


def read_request(
    first: bytes,
    second: bytes,
    decode: Callable[[bytes, str], bytes],
    where: str,
    read_original: ReadMember | None = None,
) -> tuple[HttpResponse, RequestFacts]:
    """What `request_members` wrote; raises CorruptRecord with `where` if it is damaged."""
    try:
        stored: bytes = igzip.decompress(second)  # type: ignore[no-untyped-call]
        head, facts = _parse_metadata(stored)
        url = _field(head, b"WARC-Target-URI").decode()
        said = _said(first, read_original) if first else _Said(0, (), b"")
        return _response_of(said, url, facts, decode), _facts_of(facts)
    except INCOMPLETE as error:
        raise CorruptRecord(f"{where}: {error}") from error


def read_original(data: bytes, place: PageRef | None) -> Original | None:
    """The response whose record begins so, as others refer to it; None if it is none."""
    try:
        raw = isal_zlib.decompressobj(wbits=31).decompress(data, MAX_HEAD)
        head = _fields_of(raw.partition(b"\r\n\r\n")[0])
        if head["WARC-Type"] == "revisit":
            return _original_of_revisit(head)
        url, id = head["WARC-Target-URI"], head["WARC-Record-ID"]
        return Original(url, head["WARC-Date"], id, head.get("WARC-Payload-Digest", ""), place)
    except INCOMPLETE:
        return None


def _original_of_revisit(head: dict[str, str]) -> Original:
    named = head.get(PLACE, "")
    return Original(
        head["WARC-Refers-To-Target-URI"],
        head["WARC-Refers-To-Date"],
        head.get("WARC-Refers-To", ""),
        head.get("WARC-Payload-Digest", ""),
        _place_of(named) if named else None,
    )


def _place_of(text: str) -> PageRef:
    file, offset, length = text.split(" ")
    return PageRef(file, int(offset), int(length))


def _fields_of(head: bytes) -> dict[str, str]:
    lines = head.decode("utf-8", "replace").split("\r\n")[1:]
    return {name: value for name, _, value in (line.partition(": ") for line in lines)}


def exchange(read: ReadMember, about: bytes, ref: PageRef) -> list[bytes]:
    """The records of a request as gzip members, of which each can stand in any file.

    The response comes first, whole though it may repeat another. `about` is what follows it.
    Raises CorruptRecord if it is damaged.
    """
    try:
        first = read(ref)
        raw: bytes = igzip.decompress(first)  # type: ignore[no-untyped-call]
        id = _field(raw.partition(b"\r\n\r\n")[0], b"WARC-Record-ID")
        if _PLACE_FIELD in raw[: raw.index(b"\r\n\r\n")]:
            first = member_of(_whole(raw, read))
        return [first, *_members_about(about, b"\r\nWARC-Concurrent-To: " + id + b"\r\n")]
    except INCOMPLETE as error:
        raise CorruptRecord(f"{ref.file} at {ref.offset}: {error}") from error


def _whole(record: bytes, read: ReadMember) -> bytes:
    """A revisit as the response that it was, with the content of its original."""
    head, _, rest = record.partition(b"\r\n\r\n")
    said = _with_original(_parse_response(record), record, read)
    block = rest.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" + said.content
    fields = [line for line in head.split(b"\r\n") if not line.startswith(_OF_REVISITS)]
    fields[1:2] = [b"WARC-Type: response"]
    length = b"Content-Length: %d" % len(block)
    return b"\r\n".join([*fields, length, b"", block]) + b"\r\n\r\n"


def _members_about(data: bytes, wanted: bytes) -> Iterator[bytes]:
    """The members at the beginning that name a response as theirs."""
    while data:
        unpacker = isal_zlib.decompressobj(wbits=31)
        head = unpacker.decompress(data).partition(b"\r\n\r\n")[0]
        if not unpacker.eof or wanted not in head + b"\r\n":
            return
        yield data[: len(data) - len(unpacker.unused_data)]
        data = unpacker.unused_data


def facts_in(metadata: bytes) -> dict[str, str]:
    """What a metadata record of ours says of a request, such as its purpose; {} if it is none."""
    try:
        raw = metadata
        if not raw.startswith(b"WARC/"):
            raw = igzip.decompress(metadata)  # type: ignore[no-untyped-call]
        return _parse_metadata(raw)[1]
    except DAMAGE:
        return {}


def _parse_metadata(raw: bytes) -> tuple[bytes, dict[str, str]]:
    head, _, block = raw.partition(b"\r\n\r\n")
    lines = block[: int(_field(head, b"Content-Length"))].decode().split("\r\n")
    pairs = (line.partition(": ") for line in lines if line)
    return head, {name: value for name, _, value in pairs}


def _said(first: bytes, read_original: ReadMember | None) -> _Said:
    record: bytes = igzip.decompress(first)  # type: ignore[no-untyped-call]
    return _with_original(_parse_response(record), record, read_original)


def _with_original(said: _Said, record: bytes, read_original: ReadMember | None) -> _Said:
    """A response with the content that another record has."""
    head = record[: record.index(b"\r\n\r\n")]
    named = head.find(_PLACE_FIELD) if read_original else -1
    if named < 0 or read_original is None:
        return said
    place = _place_of(_field(head, PLACE.encode()).decode())
    original: bytes = igzip.decompress(read_original(place))  # type: ignore[no-untyped-call]
    return said._replace(content=_parse_response(original).content)


def _response_of(
    said: _Said, url: str, facts: dict[str, str], decode: Callable[[bytes, str], bytes]
) -> HttpResponse:
    fault = facts.get("fault", "")
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
        cookies=facts.get("cookies", ""),
        hops=int(facts.get("hops", "0")),
        era=int(facts.get("era", "0")),
    )


class _Said(NamedTuple):
    """A response as its record has it."""

    code: int
    headers: tuple[tuple[str, str], ...]
    content: bytes  # as sent

    def body(self, decode: Callable[[bytes, str], bytes]) -> bytes:
        encoding = next((v for n, v in self.headers if n.lower() == "content-encoding"), "")
        return decode(self.content, encoding) if encoding else self.content


def _parse_record(
    raw: bytes, decode: Callable[[bytes, str], bytes], read_original: ReadMember | None
) -> StoredPage:
    warc_head = raw[: raw.index(b"\r\n\r\n")]
    said = _with_original(_parse_response(raw), raw, read_original)
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
