"""Work in a process of its own, so that it can be ended at any line.

An alarm interrupts Python only; a PDF that keeps PDFium busy, or a selector that keeps libxml2
busy, would take the whole program with it.
"""

from __future__ import annotations

import os
import select
import signal
import time
from typing import TYPE_CHECKING, Final

from gossamer.adapters.process_limits import limit_cpu, limit_memory

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK: Final = 1 << 20


def answer_of_child(work: Callable[[], bytes], seconds: float, cpu_seconds: int) -> bytes:
    """Return what `work` does; less or nothing if it failed, took too long or too much memory.

    If the child was killed by anyone but us and its CPU limit, a second one gets the time left.
    """
    end = time.monotonic() + seconds
    answer, was_killed = _ask_child(work, end, cpu_seconds)
    return _ask_child(work, end, cpu_seconds)[0] if was_killed else answer


def _ask_child(work: Callable[[], bytes], end: float, cpu_seconds: int) -> tuple[bytes, bool]:
    """Return the answer of one child, and whether it was killed from outside."""
    source, target = os.pipe()
    child = os.fork()
    if child == 0:
        _live(work, target, cpu_seconds)
    os.close(target)
    is_over = False
    try:
        answer, is_over = _received(source, end)
    finally:
        os.close(source)
        if not is_over:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    is_signalled = is_over and os.WIFSIGNALED(status)
    return answer, is_signalled and os.WTERMSIG(status) != signal.SIGXCPU


def _live(work: Callable[[], bytes], target: int, cpu_seconds: int) -> None:
    """The life of the child. It never returns: nothing of the parent may run twice."""
    try:
        limit_cpu(cpu_seconds)
        limit_memory()
        with os.fdopen(target, "wb") as pipe:
            pipe.write(work())
    finally:
        os._exit(0)


def _received(source: int, end: float) -> tuple[bytes, bool]:
    """Return what the child wrote until the end, and whether it has closed its pipe."""
    parts: list[bytes] = []
    while (left := end - time.monotonic()) > 0 and select.select([source], [], [], left)[0]:
        if not (part := os.read(source, _CHUNK)):
            return b"".join(parts), True
        parts.append(part)
    return b"".join(parts), False
