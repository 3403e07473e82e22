"""A line between a process and one that works for it: messages, each with its length before it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from io import BufferedRWPair

LENGTH_BYTES = 4


def framed(message: bytes) -> bytes:
    """A message as it goes over the line."""
    return len(message).to_bytes(LENGTH_BYTES, "big") + message


def receive(stream: BufferedRWPair) -> bytes | None:
    """The next message; None at the end of the line, even if that cuts one."""
    head = stream.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    size = int.from_bytes(head, "big")
    message = stream.read(size)
    return message if len(message) == size else None


def send(stream: BufferedRWPair, message: bytes) -> None:
    """Send a message."""
    stream.write(framed(message))
    stream.flush()


class Frames:
    """Puts messages together of what arrives in pieces."""

    def __init__(self) -> None:
        self._received = bytearray()

    def take(self, data: bytes) -> Iterator[bytes]:
        """The messages that are complete with this piece."""
        self._received += data
        while len(self._received) >= LENGTH_BYTES:
            end = LENGTH_BYTES + int.from_bytes(self._received[:LENGTH_BYTES], "big")
            if len(self._received) < end:
                return
            message = bytes(self._received[LENGTH_BYTES:end])
            del self._received[:end]
            yield message


def start_child(module: str, line: socket.socket) -> subprocess.Popen[bytes]:
    """Start a module as a process that inherits nothing but its line: no connection, no database.

    The number of the line is its argument.
    """
    descriptor = line.fileno()
    # -P: modules in the folder where the command was typed are not ours. A group of its own: Ctrl-C
    # reaches the parent alone, also while this one is starting.
    command = [sys.executable, "-P", "-m", module, str(descriptor)]
    return subprocess.Popen(  # noqa: S603 our own module
        command, stdin=subprocess.DEVNULL, pass_fds=(descriptor,), process_group=0
    )
