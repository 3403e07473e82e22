"""One HTTP request, its response, and what can go wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

# What a fault is called in the ledger. A transient fault may be tried again, the others may not.
TRANSIENT_FAULTS = frozenset(
    {"connection-refused", "connection-reset", "timeout", "too-slow", "dns-busy", "tls-handshake"}
)
PERMANENT_FAULTS = frozenset(
    {
        "dns",  # the name does not exist
        "unsafe-address",  # the name leads to a private, loopback or metadata address
        "tls-certificate",
        "malformed-response",
        "header-flood",
        "content-type",  # judged from the headers, body not read
        "too-large",  # by Content-Length, or while reading
        "decompression-bomb",
        "undecodable-body",
        "truncated-body",
    }
)
LATE = "late"  # the slot was over before the request could start: no request was made


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One GET. It starts before `start_by` (epoch seconds) or not at all.

    It starts at least `gap` seconds after the last request with a gap to the same host, and after
    the fetcher was made.
    """

    url: str
    start_by: float
    max_bytes: int
    cut: bool = False  # a longer body is cut to max_bytes, not refused: robots.txt
    accept_types: tuple[str, ...] = ()  # media types, "text/*" allowed; empty = any
    headers: dict[str, str] = field(default_factory=dict)
    gap: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What came of one request. `code` 0 means that no status line arrived."""

    url: str
    started_at: float  # the clock immediately before connecting or, on a kept connection, writing
    seconds: float = 0.0
    ip: str = ""
    code: int = 0
    phrase: str = ""
    http_version: str = "1.1"
    headers: tuple[tuple[str, str], ...] = ()  # as received, in order
    raw: bytes = b""  # the body as sent (content-encoded, de-chunked); what the WARC keeps
    body: bytes = b""  # the body decoded; equals raw when there was no encoding; "" after a fault
    is_cut: bool = False  # it was longer than wanted: `raw` and `body` are how it begins
    request: bytes = b""  # what was sent, if anything was
    fault: str = ""  # "" = a whole response; else one of the names above

    def header(self, name: str) -> str:
        """The first value of a header, or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")


class Fetcher(Protocol):
    """Makes requests. Never raises for anything a server or a network does: faults are values.

    Promises: at most one request per call (no redirects followed, no retries); no request after
    `start_by`, and none that breaks its `gap`; never a connection to an address that was not
    checked; every cap is kept.
    """

    async def fetch(self, request: HttpRequest) -> HttpResponse:
        """Make one request, or say why none could be made."""

    async def close(self) -> None:
        """Let go of all connections."""
