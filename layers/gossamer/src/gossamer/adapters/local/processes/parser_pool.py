"""Parser over processes: parsing takes all cores, and a page that kills its process kills no crawl.

Each process works through its own pipe in order. When one dies, its successor begins with the page
that it was at and goes on with those behind. A page that used up its CPU time, never ended, or
ended two processes is given up.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
import sys
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

import gossamer.core.page.html  # noqa: F401 before the fork, so that no process imports it alone
from gossamer.adapters.local.warc_files import read_page_record
from gossamer.adapters.process_limits import limit_cpu, limit_memory
from gossamer.core.crawl.job import JobConfig, Rules
from gossamer.core.errors import CorruptRecord
from gossamer.core.page.document import ParsedPage
from gossamer.core.page.read_response import read_response
from gossamer.core.page.templates.template import Template
from gossamer.messages import PageFetched
from gossamer.ports.parser import Unparsed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from gossamer.core.page.templates.collected import Templates

    Decode = Callable[[bytes, str], bytes]

CPU_SECONDS = 9  # for one page; the system ends the process, whatever native code is at
# Wall time for one page, against a process that waits for ever: it takes 33 busy ones beside it on
# a core before a page that may use its CPU seconds needs more.
MAX_WALL_SECONDS = 300.0
EXIT_SECONDS = 1.0  # from the end of a process's pipe to its own end, which takes milliseconds
GAVE_UP = Unparsed("parser-gave-up")


class Task(msgspec.Struct, array_like=True):
    """One page to parse; the configuration travels only when the process does not have it yet."""

    page: PageFetched
    config: JobConfig | None
    templates: tuple[Template, ...] = ()  # that go with the configuration


class Result(msgspec.Struct, array_like=True):
    """What a process answers: a parsed page, or why there is none."""

    parsed: ParsedPage | None
    reason: str = ""


_ENCODER = msgspec.msgpack.Encoder()
_TASKS = msgspec.msgpack.Decoder(Task)
_RESULTS = msgspec.msgpack.Decoder(Result)


class InlineParser:
    """Parses in this process: for tests, and for a Lambda, whose process is its own sandbox."""

    def __init__(self, folder: Path, decode: Decode) -> None:
        self._folder = folder
        self._decode = decode

    async def parse(
        self, page: PageFetched, config: JobConfig, templates: Templates = ()
    ) -> ParsedPage | Unparsed:
        result = _answer(page, self._folder, Rules(config, templates), self._decode)
        return result.parsed or Unparsed(_reason(result.reason))


def work(
    pipe: Connection, folder: Path, decode: Decode, inherited: Sequence[Connection] = ()
) -> None:
    """The life of a parser process: ends when its pipe does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for end in inherited:  # a pipe that we hold ourselves would never end
        end.close()
    limit_memory()
    rules: Rules | None = None
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = _TASKS.decode(pipe.recv_bytes())
            if task.config is not None:
                rules = Rules(task.config, task.templates)
            if rules is not None:
                limit_cpu(CPU_SECONDS)
                pipe.send_bytes(_ENCODER.encode(_answer(task.page, folder, rules, decode)))


def _answer(page: PageFetched, folder: Path, rules: Rules, decode: Decode) -> Result:
    """Read a page from its WARC file and parse it."""
    try:
        stored = read_page_record(folder / page.page.file, page.page, decode)
        return Result(read_response(page.purpose, stored.body, page.url, stored.headers, rules))
    except CorruptRecord as error:
        return Result(None, str(error))
    except Exception as error:  # noqa: BLE001 whatever a page does, the process must answer
        return Result(None, f"parser-gave-up: {type(error).__name__}: {error}")


@dataclass
class _Waiting:
    page: PageFetched
    config: JobConfig
    templates: Templates
    result: asyncio.Future[ParsedPage | Unparsed]
    is_last_try: bool = False  # if its process dies, the page is to blame


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection
    config: JobConfig | None = None
    templates: Templates = ()
    tasks: deque[_Waiting] = field(default_factory=deque)
    watch: asyncio.TimerHandle | None = None


class ParserPool:
    """Some processes that parse."""

    def __init__(
        self,
        folder: Path,
        decode: Decode,
        size: int | None = None,
        max_wall_seconds: float = MAX_WALL_SECONDS,
    ) -> None:
        self._folder = folder
        self._decode = decode
        self.size = size or os.cpu_count() or 1
        self._max_wall_seconds = max_wall_seconds
        # On Linux a fork takes over what is imported and saves 0.4 s of CPU per process. It must
        # come before the store is opened: a child would inherit its lock, and might outlive us.
        method = "fork" if sys.platform == "linux" else "spawn"
        self._workers: list[_Worker] = []
        for _ in range(self.size):
            self._workers.append(self._start(method))
        self._attached = False

    async def parse(
        self, page: PageFetched, config: JobConfig, templates: Templates = ()
    ) -> ParsedPage | Unparsed:
        if not self._attached:
            self._attached = True
            for worker in self._workers:
                self._attach(worker)
        worker = min(self._workers, key=lambda w: len(w.tasks))
        waiting = _Waiting(page, config, templates, asyncio.get_running_loop().create_future())
        self._give(worker, waiting)
        return await waiting.result

    def close(self) -> None:
        for worker in self._workers:
            self._detach(worker)
            worker.pipe.close()
        self.kill()

    def kill(self) -> None:
        for worker in self._workers:
            worker.pipe.close()
            worker.process.kill()
            worker.process.join()
        self._workers.clear()

    def _start(self, method: str) -> _Worker:
        context: Any = multiprocessing.get_context(method)
        ours, theirs = context.Pipe()
        forked = method == "fork"
        inherited = [ours, *(worker.pipe for worker in self._workers)] if forked else []
        process = context.Process(
            target=work, args=(theirs, self._folder, self._decode, inherited), daemon=True
        )
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _attach(self, worker: _Worker) -> None:
        loop = asyncio.get_running_loop()
        loop.add_reader(worker.pipe.fileno(), self._receive, worker)

    def _give(self, worker: _Worker, waiting: _Waiting) -> None:
        known = worker.config is waiting.config and worker.templates is waiting.templates
        worker.config, worker.templates = waiting.config, waiting.templates
        task = (
            Task(waiting.page, None)
            if known
            else Task(waiting.page, waiting.config, waiting.templates)
        )
        worker.tasks.append(waiting)
        if len(worker.tasks) == 1:
            self._watch(worker)
        try:
            worker.pipe.send_bytes(_ENCODER.encode(task))
        except OSError:
            self._replace(worker)

    def _receive(self, worker: _Worker) -> None:
        try:
            result = _RESULTS.decode(worker.pipe.recv_bytes())
        except (EOFError, OSError, msgspec.DecodeError):
            self._replace(worker)
            return
        waiting = worker.tasks.popleft()
        self._watch(worker)
        if not waiting.result.done():
            waiting.result.set_result(result.parsed or Unparsed(_reason(result.reason)))

    def _watch(self, worker: _Worker) -> None:
        """Time the page that is being worked on."""
        if worker.watch is not None:
            worker.watch.cancel()
            worker.watch = None
        if worker.tasks:
            loop = asyncio.get_running_loop()
            worker.watch = loop.call_later(self._max_wall_seconds, self._end_overdue, worker)

    def _end_overdue(self, worker: _Worker) -> None:
        """End a process that never comes back from its page."""
        worker.tasks[0].is_last_try = True
        worker.process.kill()

    def _detach(self, worker: _Worker) -> None:
        if worker.watch is not None:
            worker.watch.cancel()
        if self._attached:
            asyncio.get_running_loop().remove_reader(worker.pipe.fileno())

    def _replace(self, worker: _Worker) -> None:
        """Start a successor for a process that died, and give it the tasks that are left.

        The page at hand is tried once more: most processes that die are killed from outside, by a
        system that is out of memory.
        """
        if worker not in self._workers:
            return
        self._detach(worker)
        worker.pipe.close()
        worker.process.join(EXIT_SECONDS)
        has_used_its_cpu = worker.process.exitcode == -signal.SIGXCPU
        worker.process.kill()
        place = self._workers.index(worker)
        self._workers[place] = self._start("spawn")
        self._attach(self._workers[place])
        tasks = [task for task in worker.tasks if not task.result.done()]
        if tasks and tasks[0] is worker.tasks[0]:
            suspect = tasks[0]
            if suspect.is_last_try or has_used_its_cpu:
                suspect.result.set_result(GAVE_UP)
                del tasks[0]
            suspect.is_last_try = True
        for waiting in tasks:  # a successor may die at once and have a successor
            self._give(self._workers[place], waiting)


def _reason(text: str) -> str:
    """The ledger counts by kind; what the page did exactly is not a kind."""
    return "parser-gave-up" if text.startswith("parser-gave-up") else "corrupt-record"
