"""Reads a file by native code in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.adapters.child_process import answer_of_child
from gossamer.core.page.document import ParsedPage

if TYPE_CHECKING:
    from collections.abc import Callable

NATIVE_TYPES: Final = frozenset({"application/pdf"})
CPU_SECONDS: Final = 9  # a PDF gives what was read by then after eight
# Against a reader that waits for ever; on a busy machine its CPU seconds may take minutes.
MAX_WALL_SECONDS: Final = 300.0
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ParsedPage).decode


def read_in_child(read: Callable[[], ParsedPage], seconds: float) -> ParsedPage | None:
    """Return what `read` does; None if it failed, or took more than it may of time or memory."""
    answer = answer_of_child(lambda: _encode(read()), seconds, min(int(seconds), CPU_SECONDS))
    try:
        return _decode(answer)
    except msgspec.DecodeError:
        return None
