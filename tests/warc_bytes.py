"""WARC records as another crawler may write them."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HTML = ("Content-Type", "text/html; charset=utf-8")


def response(
    url: str,
    body: str | bytes,
    *,
    at: str = "2026-01-01T00:00:00Z",
    status: str = "200 OK",
    headers: Sequence[tuple[str, str]] = (HTML,),
    packed: bool = True,
    kind: str = "response",
) -> bytes:
    """One record."""
    content = body.encode() if isinstance(body, str) else body
    http = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
    block = "\r\n".join([*http, "", ""]).encode() + content
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {url}",
        f"WARC-Date: {at}",
        "WARC-Record-ID: <urn:uuid:12345678-1234-4234-8234-123456789abc>",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(block)}",
    ]
    record = "\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n"
    return gzip.compress(record) if packed else record


def page(title: str, text: str, head: str = "") -> str:
    """A page of HTML."""
    return f"<html><head><title>{title}</title>{head}</head><body><p>{text}</p></body></html>"
