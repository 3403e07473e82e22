"""Is a page ended by its use of CPU, and read again when something else ended its process?"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import signal
from itertools import repeat

import pytest

from gossamer.adapters import native_reader
from gossamer.adapters.local.processes.parser_pool import (
    CPU_SECONDS,
    GAVE_UP,
    MAX_WALL_SECONDS,
    ParserPool,
)
from gossamer.adapters.process_limits import limit_cpu
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.page.document import ParsedPage
from gossamer.homes import decode_body
from gossamer.messages import PageFetched
from tests.warc_bytes import page, response


def _busy() -> None:
    limit_cpu(1)
    sum(repeat(1))  # never returns to Python, where a signal would be heard


def test_the_system_ends_a_process_that_uses_up_its_seconds():
    process = multiprocessing.get_context("fork").Process(target=_busy)
    process.start()
    process.join()

    assert process.exitcode == -signal.SIGXCPU


def _allowed_twice(pipe) -> None:
    limit_cpu(5)
    first = resource.getrlimit(resource.RLIMIT_CPU)
    limit_cpu(50)
    pipe.send((first, resource.getrlimit(resource.RLIMIT_CPU)))


def test_each_page_has_seconds_of_its_own():
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_allowed_twice, args=(theirs,))
    process.start()
    (first, most), (second, still) = ours.recv()
    process.join()

    assert second > first
    assert still == most


URL = "http://a.test/"
CONFIG = JobConfig()
LONG = 600.0  # seconds of wall time; no page of these tests needs them


class Pool:
    """A pool of one process, which is stopped before it is given its first pages."""

    def __init__(self, folder, max_wall_seconds=LONG):
        record = response(URL, page("Silk", "Silk is stronger than steel."))
        (folder / "a.warc.gz").write_bytes(record)
        self._ref = PageRef("a.warc.gz", 0, len(record))
        self.pool = ParserPool(folder, decode_body, 1, max_wall_seconds)
        os.kill(self.pid, signal.SIGSTOP)

    @property
    def pid(self):
        return self.pool._workers[0].process.pid

    async def give(self, count=1):
        """Give it some pages, which it reads as soon as it can."""
        message = PageFetched(job="web", url=URL, page=self._ref, depth=0, fetched_at=1.0)
        tasks = [asyncio.create_task(self.pool.parse(message, CONFIG)) for _ in range(count)]
        await asyncio.sleep(0)
        return tasks


@pytest.fixture
def run(tmp_path):
    """Runs what is done to a pool, and ends its processes."""

    def run(play, **options):
        pool = Pool(tmp_path, **options)

        async def played():
            try:
                return await play(pool)
            finally:
                pool.pool.close()

        return asyncio.run(played())

    return run


def test_a_page_whose_process_is_killed_from_outside_is_read_by_another(run):
    async def play(pool):
        tasks = await pool.give(2)
        os.kill(pool.pid, signal.SIGKILL)
        return await asyncio.gather(*tasks)

    results = run(play)

    assert all(isinstance(result, ParsedPage) for result in results)


def test_a_page_whose_second_process_dies_too_is_given_up_and_the_next_is_read(run):
    async def play(pool):
        first, second = await pool.give(2)
        before = pool.pid
        os.kill(before, signal.SIGKILL)
        while pool.pid == before:
            await asyncio.sleep(0)
        os.kill(pool.pid, signal.SIGKILL)
        return await first, await second

    first, second = run(play)

    assert first == GAVE_UP
    assert isinstance(second, ParsedPage)


def test_a_page_that_used_up_its_cpu_time_is_not_read_again(run):
    async def play(pool):
        first, second = await pool.give(2)
        os.kill(pool.pid, signal.SIGXCPU)
        os.kill(pool.pid, signal.SIGCONT)
        return await first, await second

    first, second = run(play)

    assert first == GAVE_UP
    assert isinstance(second, ParsedPage)


def test_a_page_that_waits_for_ever_is_given_up(run):
    async def play(pool):
        [task] = await pool.give()
        return await task

    assert run(play, max_wall_seconds=0.05) == GAVE_UP


@pytest.mark.parametrize("seconds", [MAX_WALL_SECONDS, native_reader.MAX_WALL_SECONDS])
def test_a_page_on_a_busy_machine_may_use_its_cpu_time(seconds):
    busy_processes_per_core = 30

    assert seconds >= busy_processes_per_core * CPU_SECONDS


def test_a_page_given_to_a_process_that_died_idle_is_read(run):
    async def play(pool):
        os.kill(pool.pid, signal.SIGKILL)
        pool.pool._workers[0].process.join()
        [task] = await pool.give()
        return await task

    assert isinstance(run(play), ParsedPage)
