"""Decode Content-Encoding within limits of size and ratio.

Decoders push what they decode into a `Sink` in small pieces, and the sink refuses what is too
much. So a bomb is found while it opens: no more than one piece over the cap is ever allocated.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Protocol

import brotli
import zstandard
from isal import isal_zlib

from gossamer.core.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
PIECE = 64 * 1024  # of output at once
SLICE = 4 * 1024  # of input at once: the ratio is judged between slices
# A zstd block of 4 bytes can become 128 KB, and the decoder has no limit on its output: 256 bytes
# become 8 MB at most. Slicing a page of 26 KB costs 45 us (measured 2026, zstandard 0.25).
ZSTD_SLICE = 256
ZSTD_WINDOW = 8 * 1024 * 1024  # RFC 9659
RATIO_FLOOR = 1024 * 1024  # below this any ratio is harmless
PLAIN = frozenset({"", "identity", "none", "utf-8", "utf8"})  # the last three are common mistakes

GZIP, ZLIB, RAW_DEFLATE = 31, 15, -15  # zlib's "wbits"


class Decoder(Protocol):
    """Turns pieces of a body into what they stand for."""

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""

    def is_whole(self) -> bool:
        """Whether the end of the encoded stream was seen."""


class Sink:
    """Decoded bytes, never more than `cap`."""

    def __init__(self, cap: int, ratio: int) -> None:
        self.decoded = BytesIO()  # hands its bytes out without a copy
        self.received = 0  # bytes before decoding
        self._cap = cap
        self._ratio = ratio

    def take(self, piece: bytes) -> None:
        """Keep a piece, or refuse everything."""
        size = self.decoded.tell() + len(piece)
        inflated = size > self._ratio * self.received
        if size > self._cap:
            raise Fault("decompression-bomb" if inflated else "too-large")
        if inflated and size > RATIO_FLOOR:
            raise Fault("decompression-bomb")
        self.decoded.write(piece)


class Inflater:
    """gzip and deflate. What follows the first gzip member is ignored, as browsers do."""

    def __init__(self, sink: Sink, bits: int) -> None:
        self._sink = sink
        self._inflate = isal_zlib.decompressobj(bits)

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        while piece and not self._inflate.eof:
            try:
                decoded = self._inflate.decompress(piece, PIECE)
            except isal_zlib.error as error:  # type: ignore[misc]  # its stub says instance
                raise Fault("undecodable-body") from error
            self._sink.take(decoded)
            piece = self._inflate.unconsumed_tail
            if not piece and len(decoded) == PIECE:
                self._drain()

    def _drain(self) -> None:
        """Fetch what was decoded but did not fit, when all input is already consumed."""
        while not self._inflate.eof and (more := self._inflate.decompress(b"", PIECE)):
            self._sink.take(more)

    def is_whole(self) -> bool:
        """Whether the end of the encoded stream was seen."""
        return bool(self._inflate.eof)


class Deflater:
    """The encoding called deflate: zlib says the standard, raw deflate say some servers."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._inflater: Inflater | None = None

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        if self._inflater is None:
            self._inflater = Inflater(self._sink, ZLIB if piece[0] & 0x0F == 8 else RAW_DEFLATE)
        self._inflater.feed(piece)

    def is_whole(self) -> bool:
        """Whether the end of the encoded stream was seen."""
        return self._inflater is not None and self._inflater.is_whole()


class Brotli:
    """br. The library cannot say where a stream ended, so nothing may follow it."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._decompressor = brotli.Decompressor()

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        if self.is_whole():
            raise Fault("undecodable-body")
        decoded = self._process(piece)
        while decoded:
            self._sink.take(decoded)
            decoded = b"" if self.is_whole() else self._process(b"")

    def _process(self, piece: bytes) -> bytes:
        try:
            decoded: bytes = self._decompressor.process(piece, output_buffer_limit=PIECE)
        except brotli.error as error:
            raise Fault("undecodable-body") from error
        return decoded

    def is_whole(self) -> bool:
        """Whether the end of the encoded stream was seen."""
        return bool(self._decompressor.is_finished())


class Zstd:
    """zstd."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        for at in range(0, len(piece), ZSTD_SLICE):
            if self.is_whole():
                return
            try:
                decoded = self._decompressor.decompress(piece[at : at + ZSTD_SLICE])
            except zstandard.ZstdError as error:
                raise Fault("undecodable-body") from error
            self._sink.take(decoded)

    def is_whole(self) -> bool:
        """Whether the end of the encoded stream was seen."""
        return bool(self._decompressor.eof)


DECODERS: dict[str, Callable[[Sink], Decoder]] = {
    "gzip": lambda sink: Inflater(sink, GZIP),
    "x-gzip": lambda sink: Inflater(sink, GZIP),
    "deflate": Deflater,
    "br": Brotli,
    "zstd": Zstd,
}


class Body:
    """The body of one response: as it was sent, and what it meant.

    One encoding only. Two on top of each other would let a small body cost hours of decoding
    without ever growing, and no server of good will does it.
    """

    def __init__(self, encoding: str, *, cap: int, ratio: int) -> None:
        self._raw = BytesIO()
        self._cap = cap
        self._sink = Sink(cap, ratio)
        self._decoder: Decoder | None = None
        name = encoding.strip().lower()
        if name not in PLAIN:
            if name not in DECODERS:
                raise Fault("undecodable-body")
            self._decoder = DECODERS[name](self._sink)

    def feed(self, piece: bytes) -> None:
        """Take the next piece as received; a `Fault` ends the body."""
        self._raw.write(piece)
        if self._raw.tell() > self._cap:
            raise Fault("too-large")
        if self._decoder:
            for at in range(0, len(piece), SLICE):
                part = piece[at : at + SLICE]
                self._sink.received += len(part)
                self._decoder.feed(part)

    def so_far(self) -> tuple[bytes, bytes]:
        """What was received and what it meant, at most up to the cap."""
        raw = self._raw.getvalue()[: self._cap]
        return raw, self._sink.decoded.getvalue() if self._decoder else raw

    def finish(self) -> tuple[bytes, bytes]:
        """The body raw and decoded, once the last piece was fed."""
        raw = self._raw.getvalue()
        if self._decoder is None or not raw:
            return raw, raw
        if not self._decoder.is_whole():
            raise Fault("truncated-body")
        return raw, self._sink.decoded.getvalue()
