"""Processes that turn documents into parts of segments: analysing and packing take all cores.

Each process opens the collection for itself, to read, and writes its files into the folder of the
index. What is similar and what is published is decided in the main process alone. Messages go
through a pipe per process, in order.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Generic, cast

import msgspec

from gossamer import homes
from gossamer.batch.index import (
    Hands,
    Lot,
    LotInverter,
    index_again,
    index_pending,
)
from gossamer.batch.index_pages import (
    Done,
    PageHands,
    PageLot,
    PageLotInverter,
    PagesRead,
    index_pages,
)
from gossamer.batch.inverters import Asked, Decided, InlineInverter, Told, Written
from gossamer.core.errors import GossamerError, StoreFailed
from gossamer.entrypoints.local.garbage import collect_rarely, rare_collections
from gossamer.entrypoints.local.merge_workers import write_terms
from gossamer.entrypoints.local.warc_pages import MAX_BYTES, find_pages, read_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from gossamer.batch.index import Inverts, Tell
    from gossamer.batch.index_pages import FoundPage, PageInverter, ReadPage
    from gossamer.batch.inverters import LotWorker
    from gossamer.core.collection import IndexSchema
    from gossamer.core.ids import DocumentId
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.ports.home import Home
    from gossamer.settings import Settings

WORTHWHILE = 300  # documents; fewer are done before a process has started
WORTHWHILE_BYTES = 4_000_000  # of a WARC file
_encode = msgspec.msgpack.Encoder().encode


def index_all(
    home: Home, settings: Settings, tell: Tell = lambda _: None, *, again: bool = False
) -> int:
    """Index what is not indexed yet, on all cores if it is much; returns how many documents.

    With `again`, index everything anew by the present settings.
    """
    opened: list[IndexWorkers[Sequence[DocumentId], Lot]] = []

    def open_workers(analyzer: Analyzer, schema: IndexSchema, count: int) -> Inverts | None:
        width = settings.workers or os.cpu_count() or 1
        if width < 2 or count < WORTHWHILE:
            return None
        make = partial(_lot_inverter, analyzer=analyzer, schema=schema)
        ids = cast("type[Sequence[DocumentId]]", list[bytes])
        opened.append(IndexWorkers(settings, make, ids, Lot, width))
        return opened[0]

    home.commit()  # the processes read what is committed
    try:
        work = index_again if again else index_pending
        hands = Hands(open_workers, write_terms(settings.workers))
        with rare_collections():
            return work(home, homes.index_writer(home), tell, hands)
    finally:
        for workers in opened:
            workers.close()


def index_warc(
    path: Path,
    home: Home,
    settings: Settings,
    tell: Tell = lambda _: None,
    max_bytes: int = MAX_BYTES,
) -> Done:
    """Keep and index the pages of a WARC file."""
    unread: Counter[str] = Counter()
    pages = find_pages(
        path, lambda: unread.update(["damaged"]), lambda: unread.update(["large"]), max_bytes
    )
    read = partial(read_page, path, max_bytes=max_bytes)
    done = index_found(pages, read, path.stat().st_size, home, settings, tell)
    done.damaged += unread["damaged"]
    done.too_large += unread["large"]
    return done


def index_found(
    pages: Iterator[FoundPage],
    read: ReadPage,
    size: int,
    home: Home,
    settings: Settings,
    tell: Tell = lambda _: None,
) -> Done:
    """Keep and index pages, parsed and inverted on all cores if their `size` is worth it."""
    opened: list[IndexWorkers[PageLot, PagesRead]] = []

    def open_workers(analyzer: Analyzer, schema: IndexSchema) -> PageInverter:
        width = settings.workers or os.cpu_count() or 1
        make = partial(_page_inverter, read=read, analyzer=analyzer, schema=schema)
        if width < 2 or size < WORTHWHILE_BYTES:
            return InlineInverter(make(home))
        opened.append(IndexWorkers(settings, make, PageLot, PagesRead, width))
        return opened[0]

    home.commit()
    try:
        hands = PageHands(open_workers, write_terms(settings.workers))
        with rare_collections():
            return index_pages(pages, home, homes.index_writer(home), hands, tell)
    finally:
        for workers in opened:
            workers.close()


def _lot_inverter(home: Home, analyzer: Analyzer, schema: IndexSchema) -> LotInverter:
    return LotInverter(home.documents, home.index.put, analyzer, schema)


def _page_inverter(
    home: Home, read: ReadPage, analyzer: Analyzer, schema: IndexSchema
) -> PageLotInverter:
    return PageLotInverter(read, _lot_inverter(home, analyzer, schema))


class IndexWorkers(Generic[Asked, Told]):
    """An inverter in several processes: what a lot is asked by and what is told of it may vary."""

    def __init__(
        self,
        settings: Settings,
        make: Callable[[Home], LotWorker[Asked, Told]],
        asked: type[Asked],
        told: type[Told],
        width: int,
    ) -> None:
        self.width = width
        self._told = told
        self._workers = [_start(partial(_work, settings, make, asked)) for _ in range(width)]
        self._begun = self._read = self._written = 0

    def _pipe(self, lot: int) -> Connection:
        return self._workers[lot % self.width][1]

    def begin(self, asked: Asked) -> None:
        """Send a lot to the process whose turn it is."""
        self._send(self._pipe(self._begun), asked)
        self._begun += 1

    def read(self) -> Told:
        """The next lot that was read."""
        return msgspec.msgpack.decode(self._receive(self._pipe(self._read)), type=self._told)

    def decide(self, decided: Decided) -> None:
        """Go on with that lot."""
        self._send(self._pipe(self._read), decided)
        self._read += 1

    def written(self) -> Written:
        """The next part that was written."""
        pipe = self._pipe(self._written)
        self._written += 1
        return msgspec.msgpack.decode(self._receive(pipe), type=Written)

    def _send(self, pipe: Connection, message: object) -> None:
        try:
            pipe.send_bytes(_encode(message))
        except OSError as error:
            raise _died() from error

    def _receive(self, pipe: Connection) -> bytes:
        try:
            is_good, answer = pipe.recv_bytes(), pipe.recv_bytes()
        except (EOFError, OSError) as error:
            raise _died() from error
        if is_good != _GOOD:
            raise StoreFailed(answer.decode())
        return answer

    def close(self) -> None:
        """End all processes."""
        for process, _ in self._workers:
            process.terminate()  # what it has not finished is published by no manifest
        for process, pipe in self._workers:
            process.join()
            pipe.close()


_GOOD, _BAD = b"+", b"-"


def _died() -> StoreFailed:
    return StoreFailed(
        "a process that indexes was ended, perhaps for want of memory; nothing is lost:"
        " run the same command again, or with GOSSAMER_WORKERS=1"
    )


def _start(work: Callable[[Connection], None]) -> tuple[BaseProcess, Connection]:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def target() -> None:
        ours.close()
        work(theirs)

    process = context.Process(target=target, daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _work(
    settings: Settings,
    make: Callable[[Home], LotWorker[Asked, Told]],
    asked: type[Asked],
    pipe: Connection,
) -> None:
    """Work until the main process closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    collect_rarely()
    worker = make(homes.open_home(settings, read_only=True))
    try:
        while True:
            lot: Asked = msgspec.msgpack.decode(pipe.recv_bytes(), type=asked)
            _answer(pipe, partial(worker.read, lot))
            decided = msgspec.msgpack.decode(pipe.recv_bytes(), type=Decided)
            _answer(pipe, partial(worker.write, decided))
    except (EOFError, OSError):  # the main process was killed
        os._exit(0)  # what was inherited from the main process is not ours to close


def _answer(pipe: Connection, work: Callable[[], object]) -> None:
    try:
        answer = _encode(work())
    except GossamerError as error:
        pipe.send_bytes(_BAD)
        pipe.send_bytes(str(error).encode())
        os._exit(1)
    pipe.send_bytes(_GOOD)
    pipe.send_bytes(answer)
