"""One of the processes of `gossamer serve`: replies to one request after another.

It has the collection open for itself, so it sees a new index with the next request; the files of
the index are mapped, and all processes share them in memory. It ends when its line to the parent
does, however that came about, so none is left behind. Signals are the parent's business: what is
under way is answered first.

Messages are MessagePack (`entrypoints.line`). The parent sends the settings, the child an
empty message when it is ready, and then each request has its reply. An empty message of the parent
says that the client of the request under way has hung up: its search ends at the next look at the
clock, and its reply is thrown away.
"""

from __future__ import annotations

import math
import signal
import socket
import sys
import threading
import time
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.entrypoints.api.reply import Asked, Replier, budget_clock
from gossamer.entrypoints.api.routes import make_app
from gossamer.entrypoints.api.services import backend_of
from gossamer.entrypoints.line import receive, send
from gossamer.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedRWPair

    from gossamer.entrypoints.api.reply import Reply

ABANDON = b""

_encode = msgspec.msgpack.Encoder().encode
_decode_asked = msgspec.msgpack.Decoder(Asked).decode


class Replies(Protocol):
    """Who replies to a request."""

    def reply(self, asked: Asked, /) -> Reply:
        """The reply."""


def open_replier(settings: Settings) -> Replier:
    """The API over the collection that the settings name."""
    backend = backend_of(settings)
    backend.search()  # opened now: it says if it cannot be
    return Replier(make_app(backend))


def main(descriptor: int, opened: Callable[[Settings], Replies] = open_replier) -> None:
    """Reply until the parent closes the line."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    with socket.socket(fileno=descriptor) as line, line.makefile("rwb") as stream:
        replier = opened(msgspec.msgpack.decode(receive(stream) or b"", type=Settings))
        send(stream, b"")
        requests = Requests(stream)
        budget_clock.set(requests.clock)
        while message := requests.next():
            send(stream, _encode(replier.reply(_decode_asked(message))))


class Requests:
    """Requests from the line, which a thread reads so that hanging up is heard at once.

    The parent sends a request only after the reply to the one before it, so whatever it abandons is
    the latest one.
    """

    def __init__(self, stream: BufferedRWPair) -> None:
        self._stream = stream
        self._messages: SimpleQueue[bytes | None] = SimpleQueue()
        self._is_abandoned = False
        threading.Thread(target=self._read, name="line", daemon=True).start()

    def next(self) -> bytes | None:
        """Wait for the next request; None at the end of the line."""
        return self._messages.get()

    def clock(self) -> float:
        """Return the time by which a search is measured: the end of it if nobody waits."""
        return math.inf if self._is_abandoned else time.monotonic()

    def _read(self) -> None:
        try:
            while (message := receive(self._stream)) is not None:
                self._is_abandoned = message == ABANDON
                if message != ABANDON:
                    self._messages.put(message)
        finally:
            self._messages.put(None)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except (BrokenPipeError, ConnectionResetError):
        sys.exit(0)  # the parent is gone
