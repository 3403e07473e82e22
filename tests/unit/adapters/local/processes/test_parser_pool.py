"""Is a page that keeps native code busy ended by its use of CPU?"""

from __future__ import annotations

import multiprocessing
import resource
import signal
from itertools import repeat

from gossamer.adapters.process_limits import limit_cpu


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
