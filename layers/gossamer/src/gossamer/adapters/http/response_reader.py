"""Read one HTTP response and enforce the limits while it arrives."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from gossamer.core.errors import Fault
from gossamer.core.page.content_decoding import Body
from gossamer.ports.fetcher import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from gossamer.adapters.http.limits import FetchLimits

BODILESS = (204, 304)
BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")  # WHATWG MIME sniffing, 7.2
BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")
SNIFFED = 1445


class Exchange:
    """One response being read; `fault` is None until its end, then "" or the name of a fault.

    httptools (Node's llhttp) calls the `on_` methods while it parses. The exchange always ends
    exactly once: by a complete message, a fault or the timer.
    """

    def __init__(
        self,
        request: HttpRequest,
        limits: FetchLimits,
        ip: str,
        started_at: float,
        began: float,  # on the loop's clock: when the fetch began
        head: bytes = b"",  # the request as it is sent
    ) -> None:
        self.fault: str | None = None
        self.reusable = False
        self._received = 0  # bytes on the wire, headers and framing included
        self._request = request
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._ip = ip
        self._started_at = started_at
        self._began = began
        self._head = head
        self._deadline = began + limits.total
        self._first_byte_by = self._loop.time() + limits.first_byte
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._parser = _lenient(HttpResponseParser(self))
        self._code = 0
        self._version = "1.1"
        self._phrase = b""
        self._headers: list[tuple[str, str]] = []
        self._header_bytes = 0
        self._in_headers = True
        self._idle_bytes = 0  # since the last progress: headers, chunk extensions, trailers
        self._ends_with_connection = False
        self._must_sniff = False
        self._is_ambiguous = False  # both a length and chunks: RFC 9112, 6.3 wants it closed
        self._body: Body | None = None
        self._raw = self._decoded = b""
        self._is_cut = False
        self._received_before = 0
        self._timer = self._loop.call_at(self._next_look(), self._look)

    async def over(self) -> None:
        try:
            await self._over
        finally:
            self._timer.cancel()
            del self._parser  # breaks a reference cycle, so that bodies are freed at once

    def feed(self, data: bytes) -> None:
        self._received += len(data)
        self._idle_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self.reusable = False
            self.end("malformed-response")
        if self._idle_bytes > self._limits.header_bytes:
            self.end("header-flood")

    def lost(self, error: Exception | None) -> None:
        if error is None and self._ends_with_connection:
            self._complete()
        else:
            self.end("truncated-body" if error is None and self._code else "connection-reset")

    def end(self, fault: str) -> None:
        """End the exchange, unless it has already ended."""
        if self.fault is None:
            self.fault = fault
            if not self._over.done():
                self._over.set_result(None)

    @property
    def was_ignored(self) -> bool:
        """Whether the server closed without sending a byte, as for an expired kept connection."""
        return self.fault == "connection-reset" and not self._received

    def response(self) -> HttpResponse:
        """The response; after a fault it has no body, but the bytes that came."""
        came = self._body.so_far()[0] if self.fault and self._body is not None else self._raw
        return HttpResponse(
            url=self._request.url,
            started_at=self._started_at,
            seconds=self._loop.time() - self._began,
            ip=self._ip,
            code=self._code,
            phrase=self._phrase.decode("latin-1"),
            http_version=self._version,
            headers=tuple(self._headers),
            raw=came,
            body=self._decoded,
            fault=self.fault or "",
            is_cut=self._is_cut,
            request=self._head,
        )

    def on_message_begin(self) -> None:
        """A message begins; after a complete one it was not requested."""
        self.reusable = False

    def on_status(self, phrase: bytes) -> None:
        if self.fault is None:
            self._phrase += phrase

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_headers or self.fault is not None:
            return
        size = len(name) + len(value) + 4
        self._header_bytes += size
        limits = self._limits
        if size > limits.header_line_bytes or self._header_bytes > limits.header_bytes:
            self.end("header-flood")
        if b"\0" in value:  # RFC 9110, 5.5; a lenient llhttp lets it through
            self.end("malformed-response")
        self._headers.append((name.decode("latin-1"), value.decode("latin-1").strip()))

    def on_headers_complete(self) -> None:
        """All headers arrived: check them."""
        if self.fault is not None:
            return
        code = self._parser.get_status_code()
        if code < 200:  # an interim response (100, 103): the final one follows
            self._headers.clear()
            self._phrase = b""
            return
        self._code = code
        self._version = self._parser.get_http_version()
        self._in_headers = False
        self._idle_bytes = 0
        try:
            self._check({name.lower(): value for name, value in reversed(self._headers)})
        except Fault as fault:
            self.end(fault.name)

    def on_body(self, piece: bytes) -> None:
        self._idle_bytes = 0
        if self._body is None or self.fault is not None:
            return
        try:
            self._body.feed(piece)
        except Fault as fault:
            cut = self._request.cut and fault.name == "too-large"
            if cut:
                self._is_cut = True
                self._raw, self._decoded = self._body.so_far()
            self.end("" if cut else fault.name)

    def on_message_complete(self) -> None:
        if self._code and self.fault is None:
            self.reusable = self._parser.should_keep_alive() and not self._is_ambiguous
            self._complete()

    def _check(self, headers: dict[str, str]) -> None:
        """Decide from the headers whether the body is wanted, and how it will end."""
        if self._code in BODILESS:
            return
        length = headers.get("content-length", "")
        transfer = headers.get("transfer-encoding", "").lower()
        kind = media_type(headers.get("content-type", ""))
        if kind and self._code < 300 and not is_accepted(kind, self._request.accept_types):
            raise Fault("content-type")
        too_large = bool(length) and not transfer and int(length) > self._request.max_bytes
        if too_large and not self._request.cut:
            raise Fault("too-large")
        if transfer not in ("", "chunked", "identity"):
            raise Fault("undecodable-body")
        self._is_ambiguous = bool(length and transfer)
        self._ends_with_connection = not length and transfer != "chunked"
        self._must_sniff = not kind and self._code < 300 and bool(self._request.accept_types)
        self._body = Body(
            headers.get("content-encoding", ""),
            cap=self._request.max_bytes,
            ratio=self._limits.decoded_ratio,
        )

    def _complete(self) -> None:
        """The body is complete: decode it and end the exchange."""
        try:
            if self._body is not None:
                raw, decoded = self._body.finish()
                if self._must_sniff and not is_text(decoded):
                    raise Fault("content-type")
                self._raw, self._decoded = raw, decoded
            self.end("")
        except Fault as fault:
            self.end(fault.name)

    def _look(self) -> None:
        """The timer: end the exchange if the server is silent or too slow."""
        now, limits = self._loop.time(), self._limits
        if now >= self._deadline or (not self._received and now >= self._first_byte_by):
            self.end("timeout")
            return
        progress = self._received - self._received_before
        if self._received_before and progress < limits.min_rate * limits.rate_window:
            self.end("too-slow")
            return
        self._received_before = self._received
        self._timer = self._loop.call_at(self._next_look(), self._look)

    def _next_look(self) -> float:
        latest = self._first_byte_by if not self._received else self._deadline
        return min(self._loop.time() + self._limits.rate_window, latest, self._deadline)


def _lenient(parser: HttpResponseParser) -> HttpResponseParser:
    """As lenient as aiohttp, and lenient about two lengths; strict mode is meant for servers."""
    parser.set_dangerous_leniencies(
        lenient_headers=True,
        lenient_chunked_length=True,
        lenient_optional_cr_before_lf=True,
        lenient_spaces_after_chunk_size=True,
    )
    return parser


def media_type(content_type: str) -> str:
    """The type without its parameters, lower case."""
    return content_type.partition(";")[0].strip().lower()


def is_accepted(kind: str, accepted: tuple[str, ...]) -> bool:
    """Whether a media type is accepted; an empty list accepts all."""
    return not accepted or kind in accepted or kind.partition("/")[0] + "/*" in accepted


def is_text(body: bytes) -> bool:
    """Whether a body without a media type looks like text."""
    return body.startswith(BYTE_ORDER_MARKS) or not BINARY.search(body, 0, SNIFFED)
