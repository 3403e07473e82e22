"""One of the processes of `gossamer serve`: replies to one request after another.

It has the collection open for itself, so it sees a new index with the next request; the files of
the index are mapped, and all processes share them in memory. It ends when its line to the parent
does, however that came about, so none is left behind. Signals are the parent's business: what is
under way is answered first.

Messages are MessagePack (`entrypoints.line`). The parent sends the settings, the child an
empty message when it is ready, and then each request has its reply.
"""

from __future__ import annotations

import signal
import socket
import sys
from typing import TYPE_CHECKING, Protocol

import msgspec

from gossamer.entrypoints.api.reply import Asked, Replier
from gossamer.entrypoints.api.routes import make_app
from gossamer.entrypoints.api.services import backend_of
from gossamer.entrypoints.line import receive, send
from gossamer.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.entrypoints.api.reply import Reply

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
        while message := receive(stream):
            send(stream, _encode(replier.reply(_decode_asked(message))))


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except (BrokenPipeError, ConnectionResetError):
        sys.exit(0)  # the parent is gone
