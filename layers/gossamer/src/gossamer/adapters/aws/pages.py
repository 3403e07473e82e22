"""PageStore over S3: many requests share an object, which is written once and never changed.

A PUT costs as much as eight write units, so requests wait for each other: the object goes out when
every message under way in this process waits for it, when the first has waited FLUSH_AFTER, or when
it is large. Only then does `append` return, so what it promises holds.

Housekeeping joins these objects into packs and deletes them later (packs/). To everyone else they
are still there: a name that is gone is looked up and read from its pack, and listings name every
object once, wherever it lies.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from gossamer.adapters.aws.errors import translated
from gossamer.adapters.aws.packs.members import PACKS, Members, Place
from gossamer.adapters.warc_file import WarcFile, original_of
from gossamer.adapters.warc_reading import ABOUT, exchange, read_member, read_original
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import CorruptRecord, GossamerError, MissingResource, PermanentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from gossamer.adapters.aws.clients import Clients, Json
    from gossamer.adapters.warc import Original
    from gossamer.ports.fetcher import HttpResponse
    from gossamer.ports.pages import Earlier, KeptResponse, RequestFacts, StoredPage

# Seconds. Longer than messages of one batch wait for their slots, so that their pages lie in one
# object; and short enough that a claim outlasts it after the longest request.
FLUSH_AFTER = 15.0
MAX_OBJECT_BYTES = 8_000_000
# Bytes that one GET brings: all pages of a batch of FETCH, as a rule, and half as much time again.
NEIGHBOURS = 512 << 10
PIECE = 8 << 20  # bytes of an object that are read at a time


class _Batch:
    """An object that is being filled, and the promise that it will have been written."""

    def __init__(self, name: str, agent: str) -> None:
        self.file = WarcFile(name, agent, name.rpartition("/")[2])
        self.parts = [self.file.head]
        self.waiting = 0
        self.written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.timer: asyncio.TimerHandle | None = None

    def add(
        self, response: HttpResponse, facts: RequestFacts, original: Original | None
    ) -> PageRef:
        ref, records = self.file.add(response, facts, original)
        self.parts.append(records)
        self.waiting += 1
        return ref


class S3Pages:
    """The WARC objects of a collection."""

    def __init__(
        self,
        clients: Clients,
        stack: str,
        collection: str,
        bucket: str,
        decode: Callable[[bytes, str], bytes],
        *,
        flush_after: float = FLUSH_AFTER,
    ) -> None:
        self._clients = clients
        self._bucket = bucket
        self._prefix = f"warc/{collection}/"
        self._members = Members(clients, stack, collection)
        self._decode = decode
        self._counts: Counter[str] = Counter()
        self._flush_after = flush_after
        self._batch: _Batch | None = None
        self._under_way = 0
        self._waiting = 0  # in this object, and in those that are being written
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading = threading.Lock()
        self._read = ("", 0, b"")  # which bytes were read last: file, offset, bytes
        self._whole = ("", b"")  # the pack that was read last, and its bytes

    @contextmanager
    def task(self) -> Iterator[None]:
        # All messages under way share one object: it is written when each of them waits for it.
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._flush_if_all_wait()

    async def append(
        self, response: HttpResponse, facts: RequestFacts, earlier: Earlier | None = None
    ) -> PageRef:
        original = await self._original_of(response, earlier)
        batch = self._open_batch(facts.agent)
        ref = batch.add(response, facts, original)
        self._waiting += 1
        if batch.file.size > MAX_OBJECT_BYTES:
            self._flush(batch)
        # Not now: messages that begin at the same moment may not have begun yet.
        asyncio.get_running_loop().call_soon(self._flush_if_all_wait)
        try:
            await asyncio.shield(batch.written)
        finally:
            self._waiting -= 1
        code = f"code:{response.code}" if response.code else "code:none"
        self._counts.update({"requests": 1, "bytes": len(response.raw), code: 1})
        return ref

    async def _original_of(
        self, response: HttpResponse, earlier: Earlier | None
    ) -> Original | None:
        """A GET costs what a page costs in a month. A 304 saves no page, so it does without."""
        if response.code == 304 or earlier is None:
            return original_of(response, earlier, lambda _: None)
        return await asyncio.to_thread(original_of, response, earlier, self._original)

    def _original(self, ref: PageRef) -> Original | None:
        try:
            return read_original(self._member(ref), ref)
        except GossamerError:  # whatever it is: the page is kept whole
            return None

    def take_counts(self) -> Counter[str]:
        """Requests, their bytes and their codes, since this was asked last."""
        taken, self._counts = self._counts, Counter()
        return taken

    def read(self, ref: PageRef) -> StoredPage:
        where = f"{ref.file} at {ref.offset}"
        if not ref.length:
            raise CorruptRecord(f"{where}: no response came")
        try:
            member = self._member(ref)
        except (MissingResource, PermanentError) as error:
            raise CorruptRecord(f"{where}: {error}") from error
        return read_member(member, self._decode, where, self._original_member)

    def _original_member(self, place: PageRef) -> bytes:
        """What a record refers to. A file that was elsewhere meanwhile has another name."""
        try:
            return self._member(place)
        except MissingResource:
            name = place.file.replace("/", "-")
            return self._member(PageRef(name, place.offset, place.length))

    def _member(self, ref: PageRef) -> bytes:
        """The bytes of a response, from its object or from the pack that this was joined to."""
        with self._reading:  # who asks for a neighbour meanwhile waits, and finds it
            place = self._members.known(ref.file)
            if place is None:
                try:
                    return self._slice(ref.file, ref.offset, ref.length)
                except MissingResource:
                    place = self._members.place(ref.file)
                    if place is None:
                        raise
            if ref.offset + ref.length > place.size:  # what follows is of another object
                raise PermanentError(f"it has {place.size} bytes")
            return self._slice(place.pack, place.offset + ref.offset, ref.length)

    def _slice(self, name: str, offset: int, length: int) -> bytes:
        """Some bytes of an object, read with their neighbours, which PARSE asks for next."""
        file, at, data = self._read
        if file != name or not at <= offset <= offset + length <= at + len(data):
            begin = offset // NEIGHBOURS * NEIGHBOURS
            end = max(begin + NEIGHBOURS, offset + length)
            at, data = begin, self._get(name, Range=f"bytes={begin}-{end - 1}")
            self._read = name, at, data
        return data[offset - at : offset - at + length]

    def exchange(self, ref: PageRef) -> list[bytes]:
        try:
            about = self._behind(ref)
            return exchange(self._original_member, about, ref)
        except (MissingResource, PermanentError) as error:
            raise CorruptRecord(f"{ref.file} at {ref.offset}: {error}") from error

    def _behind(self, ref: PageRef) -> bytes:
        """What follows a response in its object."""
        at = ref.offset + ref.length
        place = self._members.known(ref.file)
        if place is None:
            try:
                return self._slice(ref.file, at, ABOUT)
            except MissingResource:
                place = self._members.place(ref.file)
                if place is None:
                    raise
        return self._slice(place.pack, place.offset + at, min(ABOUT, place.size - at))

    def files(self) -> list[str]:
        """The names of all objects, in the order of their making."""
        return [name for name, _ in self.archived()]

    def download(self, folder: Path) -> Iterator[Path]:
        folder.mkdir(parents=True, exist_ok=True)
        for name in self.files():
            path = folder / name.replace("/", "-")
            with path.open("wb") as file:
                file.writelines(self.file_pieces(name))
            yield path

    def responses_to(self, url: str, is_late: Callable[[], bool]) -> Iterator[KeptResponse]:
        return iter(())  # thousands of objects, and no list of what is in them

    def responses_among(self, is_wanted: Callable[[str], bool]) -> Iterator[KeptResponse]:
        from gossamer.adapters.warc_lookup import responses_among  # `template heal` alone

        for name in reversed(self.files()):
            yield from responses_among(name, self.file_pieces(name), is_wanted)

    def archived(self) -> Iterator[tuple[str, int]]:
        # A pack counts by its members, and each of them once, though its own object may be there.
        listed = merge(self._apart(), self._joined())
        return (next(same) for _, same in groupby(listed, key=itemgetter(0)))

    def _apart(self) -> Iterator[tuple[str, int]]:
        for key, size in self._clients.object_sizes(self._bucket, self._prefix):
            name = key.removeprefix(self._prefix)
            if not name.startswith(PACKS):
                yield name, size

    def _joined(self) -> Iterator[tuple[str, int]]:
        """The members of all packs, in order, unless the pack has expired."""
        keys = set(self._clients.objects(self._bucket, self._prefix + PACKS))
        there = (pack for pack in self._members.packs() if self._prefix + pack.name in keys)
        return ((member.name, member.size) for pack in there for member in pack.members)

    def file_pieces(self, name: str) -> Iterator[bytes]:
        try:
            size = self._call("HeadObject", name)["ContentLength"]
        except MissingResource:
            place = self._members.place(name)
            if place is None:
                raise
            yield self._pack(place)
            return
        for at in range(0, size, PIECE):
            yield self._get(name, Range=f"bytes={at}-{at + PIECE - 1}")

    def _pack(self, place: Place) -> bytes:
        """A member of a pack. The pack is kept: its other members are wanted next."""
        if self._whole[0] != place.pack:
            self._whole = place.pack, self._get(place.pack)
        return self._whole[1][place.offset : place.offset + place.size]

    def join_small(self, now: float, goes_on: Callable[[], bool]) -> int:
        from gossamer.adapters.aws.packs.joining import Joiner  # only housekeeping needs it

        joiner = Joiner(self._clients, self._bucket, self._prefix, self._members)
        joiner.sweep(now, goes_on)
        return joiner.join(now, goes_on)

    def name_here(self, name: str) -> str:
        return name

    def adopt(self, name: str, size: int, pieces: Iterable[bytes]) -> None:
        from gossamer.adapters.aws.index.files import Files  # only copies need it

        key = self._prefix + name
        there = dict(self._clients.object_sizes(self._bucket, key)).get(key)
        joined = self._members.place(name)
        if size in (there, joined and joined.size):
            return
        files = Files(self._clients, self._bucket, self._prefix)
        if there is not None:
            files.delete([name])
        files.put(name, pieces)

    def _get(self, name: str, **how: str) -> bytes:
        answer = self._call("GetObject", name, **how)
        with translated("GetObject", self._prefix + name):
            body: bytes = answer["Body"].read()
        return body

    def _call(self, operation: str, name: str, **how: object) -> Json:
        key = self._prefix + name
        return self._clients.call("s3", operation, key, Bucket=self._bucket, Key=key, **how)

    def _open_batch(self, agent: str) -> _Batch:
        if self._batch is None:
            now = datetime.now(UTC)
            stamp = f"{now:%Y%m%dT%H%M%S%f}-{os.urandom(4).hex()}"
            self._batch = batch = _Batch(f"{now:%Y%m%d}/{stamp}.warc.gz", agent)
            loop = asyncio.get_running_loop()
            batch.timer = loop.call_later(self._flush_after, self._flush, batch)
        return self._batch

    def _flush_if_all_wait(self) -> None:
        if self._batch is not None and self._waiting >= self._under_way:
            self._flush(self._batch)

    def _flush(self, batch: _Batch) -> None:
        if batch is not self._batch:  # it went out already
            return
        self._batch = None
        if batch.timer is not None:
            batch.timer.cancel()
        task = asyncio.get_running_loop().create_task(self._write(batch))
        self._tasks.add(task)  # the loop itself keeps no task alive
        task.add_done_callback(self._tasks.discard)

    async def _write(self, batch: _Batch) -> None:
        try:
            await asyncio.to_thread(self._put, batch.file.name, b"".join(batch.parts))
        except Exception as error:  # noqa: BLE001 whatever it is, all who wait must hear of it
            batch.written.set_exception(error)
        else:
            batch.written.set_result(None)

    def _put(self, name: str, body: bytes) -> None:
        self._call("PutObject", name, Body=body, ContentType="application/warc")
