"""A request becomes a reply: the app is asked, and what it says is made ready to be sent."""

from __future__ import annotations

import base64
import logging
import math
import time
import zlib
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from gossamer.entrypoints.api import answers
from gossamer.entrypoints.api.gateway_event import Head, Refused, Resources, event_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.entrypoints.api.gateway_event import App, Said

log = logging.getLogger(__name__)

WORTHWHILE = 1024  # bytes from which an answer is compressed: below, a packet is a packet
COMPRESSION = 5
TEXTUAL = ("text/", "application/json", "application/rss+xml", "image/svg+xml")


# The seconds of CPU time after which a search is given up with 503, not answered in part.
patience: ContextVar[float] = ContextVar("patience", default=math.inf)


# Whether the request shows the admin key: its query may cost more.
is_admin: ContextVar[bool] = ContextVar("is_admin", default=False)


@dataclass(slots=True)
class BatchCost:
    """The seconds and reads that the calls of one body have taken so far."""

    seconds: float = 0.0
    reads: float = 0.0


# The cost of the batch that a call belongs to: its calls share what one request may take.
batch_cost: ContextVar[BatchCost | None] = ContextVar("batch_cost", default=None)


# The clock of search budgets. It is at infinity once the client has hung up.
budget_clock: ContextVar[Callable[[], float]] = ContextVar("budget_clock", default=time.monotonic)


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """A request, the address of its client, and the seconds after which to give up."""

    head: Head
    body: bytes = b""
    client: str = ""
    patience: float = math.inf


class Reply(msgspec.Struct, frozen=True, array_like=True):
    """What is sent back."""

    status: int
    headers: dict[str, str]
    body: bytes


class Replier:
    """Asks an app. Several threads may do so at once if the app allows it."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._resources = Resources(list(app.routes))

    def reply(self, asked: Asked) -> Reply:
        """What the app says, compressed if that is worth it; a failure is a reply too."""
        patience.set(asked.patience)
        try:
            event = event_of(asked.head, asked.body, self._resources, asked.client)
            said = self._app(event, None)
        except Refused as refused:
            return refusal(refused.status, refused.message)
        except Exception:
            log.exception("the app failed")
            return refusal(500)
        return _compressed(said, asked.head)


def refusal(status: int, message: str = "") -> Reply:
    """The reply to what the app is not asked, or could not answer."""
    answer = answers.refusal(status, message)
    return Reply(answer.status, answer.headers, str(answer.body).encode())


def _compressed(said: Said, head: Head) -> Reply:
    headers, content = dict(said["headers"]), _content(said)
    if content and headers.get("Content-Type", "").startswith(TEXTUAL):
        headers["Vary"] = ", ".join(filter(None, (headers.get("Vary"), "Accept-Encoding")))
        if len(content) >= WORTHWHILE and head.takes_gzip:
            headers["Content-Encoding"] = "gzip"
            content = zlib.compress(content, COMPRESSION, wbits=31)
    return Reply(said["statusCode"], headers, content)


def _content(said: Said) -> bytes:
    body = said["body"]
    if said.get("isBase64Encoded"):
        return base64.b64decode(body)
    return body if isinstance(body, bytes) else str(body).encode()
