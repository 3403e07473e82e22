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
    """What `work` returns; less of it, or nothing, if it failed, took longer or too much memory."""
    source, target = os.pipe()
    child = os.fork()
    if child == 0:
        _live(work, target, cpu_seconds)
    os.close(target)
    try:
        return _received(source, time.monotonic() + seconds)
    finally:
        os.close(source)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _live(work: Callable[[], bytes], target: int, cpu_seconds: int) -> None:
    """The life of the child. It never returns: nothing of the parent may run twice."""
    try:
        limit_cpu(cpu_seconds)
        limit_memory()
        with os.fdopen(target, "wb") as pipe:
            pipe.write(work())
    finally:
        os._exit(0)


def _received(source: int, end: float) -> bytes:
    """All that the child wrote, or as much as it could until the end."""
    parts: list[bytes] = []
    while (left := end - time.monotonic()) > 0 and select.select([source], [], [], left)[0]:
        if not (part := os.read(source, _CHUNK)):
            break
        parts.append(part)
    return b"".join(parts)
