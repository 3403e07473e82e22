"""How much patience and memory does one response get?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """The caps of every request. The cap on the body's size is the request's own `max_bytes`."""

    connect: float = 10.0  # seconds for all addresses of a name, TLS included; as long for DNS
    first_byte: float = 20.0  # seconds from the request to the first byte of the answer
    total: float = 60.0  # seconds for everything
    min_rate: float = 100.0  # bytes a second, averaged over a window; slower is too-slow
    rate_window: float = 10.0
    header_bytes: int = 64 * 1024
    header_line_bytes: int = 16 * 1024  # long Content-Security-Policies are real
    # The best text compresses about 50:1 and gzip ends at 1032:1. Small bodies may do as they like.
    decoded_ratio: int = 250
    idle_connections: int = 512  # kept open for the next slot of their host
    idle_seconds: float = 15.0  # Apache closes after 5 s, nginx after 75 s
