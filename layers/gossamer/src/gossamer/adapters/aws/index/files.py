"""The files of an index as S3 objects: written once, read by ranges, many at a time."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from botocore.exceptions import ClientError

from gossamer.adapters.aws.errors import code_of, translated
from gossamer.core.errors import GossamerError, NotStored, PermanentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.adapters.aws.clients import Clients, Json
    from gossamer.core.index.segments.layout import Range

PART = 8 << 20  # bytes; S3 takes 10,000 parts of at least 5 MB
PARTS_AT_ONCE = 4  # in memory, and under way
# A GET takes about 30 ms to begin and then brings some 50 MB a second: 64 KB cost less than it.
GAP = 64 << 10
MAX_SPAN = 8 << 20  # bytes of joined ranges; more is read faster by several GETs at once
CACHE = 64 << 20  # bytes
DELETED_AT_ONCE = 1000  # what one DeleteObjects takes
WRITER = "writer"  # the metadata that tell who wrote an object
_ABSENT = ("NoSuchKey", "404")
# NoSuchUpload: the upload was completed by an attempt whose answer was lost.
_TAKEN = ("PreconditionFailed", "ConditionalRequestConflict", "NoSuchUpload")


class Span(NamedTuple):
    """Neighbouring ranges of a file that one GET brings."""

    file: str
    offset: int
    end: int
    ranges: list[Range]


class Files:
    """The objects below one prefix of a bucket."""

    def __init__(self, clients: Clients, bucket: str, prefix: str) -> None:
        self._clients, self._bucket, self._prefix = clients, bucket, prefix
        self._cache = ByteCache(CACHE)
        self.gets = 0

    def put(self, name: str, pieces: Iterable[bytes]) -> int:
        """Write an object whose name is free; returns its size."""
        writer = os.urandom(8).hex()
        parts = cut(pieces)
        first, second = next(parts, b""), next(parts, None)
        if second is not None:
            return self._put_parts(name, chain((first, second), parts), writer)
        self._write_once(name, writer, "PutObject", Body=first, Metadata={WRITER: writer})
        return len(first)

    def _put_parts(self, name: str, parts: Iterator[bytes], writer: str) -> int:
        begun = self._call("CreateMultipartUpload", name, Metadata={WRITER: writer})
        upload: str = begun["UploadId"]

        def send(part: tuple[int, bytes]) -> Json:
            number, body = part
            sent = self._call("UploadPart", name, UploadId=upload, PartNumber=number, Body=body)
            # S3 wants the checksums again that botocore gave the parts.
            sums = {key: value for key, value in sent.items() if key.startswith("Checksum")}
            return {"ETag": sent["ETag"], "PartNumber": number, **sums}

        size, done, numbered = 0, [], enumerate(parts, 1)
        try:
            while some := list(islice(numbered, PARTS_AT_ONCE)):
                done += self._clients.each(send, some)
                size += sum(len(body) for _, body in some)
            how = {"UploadId": upload, "MultipartUpload": {"Parts": done}}
            self._write_once(name, writer, "CompleteMultipartUpload", **how)
        except BaseException:
            # The bucket's lifecycle deletes what is left of an upload that cannot be aborted.
            with suppress(GossamerError):
                self._call("AbortMultipartUpload", name, UploadId=upload)
            raise
        return size

    def _write_once(self, name: str, writer: str, operation: str, **how: object) -> None:
        """Write unless the name is taken.

        botocore repeats a call whose answer was lost, and the second attempt finds the object of
        the first: its metadata say that it is ours.
        """
        key = self._prefix + name
        where = {"Bucket": self._bucket, "Key": key, "IfNoneMatch": "*"}
        with translated(operation, key):
            try:
                self._clients.raw("s3", operation, **where, **how)
            except ClientError as error:
                if code_of(error) not in _TAKEN or self._writer_of(name) != writer:
                    raise

    def _writer_of(self, name: str) -> str:
        return str(self._call("HeadObject", name).get("Metadata", {}).get(WRITER, ""))

    def replace(self, name: str, body: bytes) -> None:
        """Write a small object in place of another."""
        self._call("PutObject", name, Body=body)

    def get(self, name: str) -> bytes | None:
        """A whole object, if it is there."""
        try:
            return self._get(name)
        except NotStored:
            return None

    def read(self, ranges: Sequence[Range]) -> list[bytes]:
        """Some bytes of some objects, in this order; what an object does not have is left out."""
        found = {place: self._cache.get(place) for place in ranges if place.size}
        wanted = spans(place for place, data in found.items() if data is None)
        self.gets += len(wanted)
        for span, body in zip(wanted, self._clients.each(self._read_span, wanted), strict=True):
            for place in span.ranges:
                begin = place.offset - span.offset
                data = found[place] = body[begin : begin + place.size]
                self._cache.put(place, data)
        return [found.get(place) or b"" for place in ranges]

    def _read_span(self, span: Span) -> bytes:
        return self._get(span.file, Range=f"bytes={span.offset}-{span.end - 1}")

    def _get(self, name: str, **how: str) -> bytes:
        key = self._prefix + name
        with translated("GetObject", key):
            try:
                answer = self._clients.raw("s3", "GetObject", Bucket=self._bucket, Key=key, **how)
                body: bytes = answer["Body"].read()
            except ClientError as error:
                code = code_of(error)
                if code == "InvalidRange":  # it begins behind the end
                    return b""
                if code in _ABSENT:
                    raise NotStored(f"the file {name} of the index was deleted") from error
                raise
        return body

    def delete(self, names: Sequence[str]) -> None:
        """Delete objects; what is not there stays so."""
        for begin in range(0, len(names), DELETED_AT_ONCE):
            some = [{"Key": self._prefix + name} for name in names[begin : begin + DELETED_AT_ONCE]]
            answer = self._clients.call(
                "s3",
                "DeleteObjects",
                f"bucket {self._bucket}",
                Bucket=self._bucket,
                Delete={"Objects": some, "Quiet": True},
            )
            for error in answer.get("Errors", ()):
                raise PermanentError(f"{error.get('Key')} cannot be deleted: {error.get('Code')}")
        self._cache.forget(names)

    def names(self) -> Iterator[str]:
        """All objects, in order."""
        keys = self._clients.objects(self._bucket, self._prefix)
        return (key.removeprefix(self._prefix) for key in keys)

    def _call(self, operation: str, name: str, **how: object) -> Json:
        key = self._prefix + name
        return self._clients.call("s3", operation, key, Bucket=self._bucket, Key=key, **how)


class ByteCache:
    """The ranges that were read last, as many as fit. Files never change, so none gets old."""

    def __init__(self, room: int) -> None:
        self._room, self._used = room, 0
        self._entries: OrderedDict[Range, bytes] = OrderedDict()
        self._lock = threading.Lock()  # several queries may share a store

    def get(self, place: Range) -> bytes | None:
        """The bytes of a range, if they are remembered."""
        with self._lock:
            data = self._entries.get(place)
            if data is not None:
                self._entries.move_to_end(place)
            return data

    def put(self, place: Range, data: bytes) -> None:
        """Remember a range, unless it would drive out too much of what is there."""
        if len(data) > self._room // 8:
            return
        with self._lock:
            self._drop(place)
            self._entries[place] = data
            self._used += len(data)
            while self._used > self._room:
                self._drop(next(iter(self._entries)))

    def forget(self, names: Iterable[str]) -> None:
        """Forget the ranges of some files."""
        gone = set(names)
        with self._lock:
            for place in [place for place in self._entries if place.file in gone]:
                self._drop(place)

    def _drop(self, place: Range) -> None:
        self._used -= len(self._entries.pop(place, b""))


def cut(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in parts of `PART`; only the last is smaller, and none is empty."""
    waiting = bytearray()
    for piece in pieces:
        rest = memoryview(piece)
        while len(rest):
            room = PART - len(waiting)
            waiting += rest[:room]
            rest = rest[room:]
            if len(waiting) == PART:
                yield bytes(waiting)
                waiting.clear()
    if waiting:
        yield bytes(waiting)


def spans(ranges: Iterable[Range]) -> list[Span]:
    """Join ranges of a file that overlap or are close to each other."""
    found: list[Span] = []
    for given in sorted(ranges):
        end = given.offset + given.size
        last = found[-1] if found else None
        if last is not None and _is_close(last, given):
            joined = last._replace(end=max(last.end, end))
            joined.ranges.append(given)
            found[-1] = joined
        else:
            found.append(Span(given.file, given.offset, end, [given]))
    return found


def _is_close(span: Span, given: Range) -> bool:
    if given.file != span.file or given.offset - span.end >= GAP:
        return False
    end = given.offset + given.size
    return end <= span.end or end - span.offset <= MAX_SPAN
