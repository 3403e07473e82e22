"""Reads a file by native code in a process of its own, so that it can be ended at any line.

An alarm interrupts Python only; a PDF that keeps PDFium busy would take the whole function with it.
"""

from __future__ import annotations

import os
import select
import signal
import time
from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.adapters.process_limits import limit_cpu, limit_memory
from gossamer.core.page.document import ParsedPage

if TYPE_CHECKING:
    from collections.abc import Callable

NATIVE_TYPES: Final = frozenset({"application/pdf"})
CPU_SECONDS: Final = 9  # a PDF gives what was read by then after eight
_CHUNK: Final = 1 << 20
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ParsedPage).decode


def read_in_child(read: Callable[[], ParsedPage], seconds: float) -> ParsedPage | None:
    """What `read` returns; None if it failed, took longer than that, or too much of the machine."""
    source, target = os.pipe()
    child = os.fork()
    if child == 0:
        _work(read, target, seconds)
    os.close(target)
    try:
        answer = _received(source, time.monotonic() + seconds)
    finally:
        os.close(source)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    try:
        return _decode(answer)
    except msgspec.DecodeError:
        return None


def _work(read: Callable[[], ParsedPage], target: int, seconds: float) -> None:
    """The life of the child. It never returns: nothing of the parent may run twice."""
    try:
        limit_cpu(min(int(seconds), CPU_SECONDS))
        limit_memory()
        with os.fdopen(target, "wb") as pipe:
            pipe.write(_encode(read()))
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
