"""Limits of one request: time, rate, size of headers and body."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Limits of every request. The size of the body is limited by the request's `max_bytes`."""

    connect: float = 10.0  # seconds for all addresses of a name, TLS included; as long for DNS
    first_byte: float = 20.0  # seconds from the request to the first byte of the answer
    total: float = 60.0  # seconds for everything
    min_rate: float = 100.0  # bytes a second, averaged over a window; slower is too-slow
    rate_window: float = 10.0
    header_bytes: int = 64 * 1024
    header_line_bytes: int = 16 * 1024  # real sites send long Content-Security-Policies
    # Text compresses about 50:1 at best, gzip reaches 1032:1. Small bodies are not checked.
    decoded_ratio: int = 250
    idle_connections: int = 512  # kept open for the next slot of their host
    idle_seconds: float = 15.0  # Apache closes after 5 s, nginx after 75 s
