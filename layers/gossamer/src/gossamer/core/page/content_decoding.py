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

GZIP_MAGIC = b"\x1f\x8b"
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
        self.cap = cap
        self.ratio = ratio

    def take(self, piece: bytes) -> None:
        """Keep a piece, or refuse everything."""
        size = self.decoded.tell() + len(piece)
        inflated = size > self.ratio * self.received
        if size > self.cap:
            raise Fault("decompression-bomb" if inflated else "too-large")
        if inflated and size > RATIO_FLOOR:
            raise Fault("decompression-bomb")
        self.decoded.write(piece)


class Inflater:
    """One stream of gzip or deflate; what follows it is left over."""

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

    def left_over(self) -> bytes:
        """What came behind the end of the stream."""
        return bytes(self._inflate.unused_data) if self._inflate.eof else b""

    def is_whole(self) -> bool:
        """Whether the end of the encoded stream was seen."""
        return bool(self._inflate.eof)


class Members:
    """gzip: one member after the other. What follows them and is none is ignored."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._inflater = Inflater(sink, GZIP)
        self._waiting = b""  # a byte that may begin the next member

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        while piece := self._waiting + piece:
            self._waiting = b""
            if self._inflater.is_whole():
                if not GZIP_MAGIC.startswith(piece[:2]):
                    return
                if len(piece) == 1:
                    self._waiting = piece
                    return
                self._inflater = Inflater(self._sink, GZIP)
            self._inflater.feed(piece)
            piece = self._inflater.left_over()

    def is_whole(self) -> bool:
        """Whether the end of the encoded stream was seen."""
        return self._inflater.is_whole()


class Pipe(Sink):
    """Hands decoded bytes to the next decoder; as many at most as a body may have."""

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink.cap, sink.ratio)
        self._sink = sink
        self._start = b""  # as long as it is too short to tell what it is
        self._take: Callable[[bytes], None] | None = None
        self._members: Members | None = None

    def take(self, piece: bytes) -> None:
        """Pass a piece on."""
        super().take(piece)
        self._sink.received += len(piece)
        if self._take is None:
            self._start, piece = b"", self._start + piece
            if len(piece) < len(GZIP_MAGIC):
                self._start = piece
                return
            self._take = self._choose(piece)
        self._take(piece)

    def _choose(self, start: bytes) -> Callable[[bytes], None]:
        """Some servers name an encoding twice and use it once."""
        if not start.startswith(GZIP_MAGIC):
            return self._sink.take
        self._members = Members(self._sink)
        return self._members.feed

    def is_whole(self) -> bool:
        """Whether the inner stream has ended."""
        if self._start:  # too short for a stream
            self._sink.take(self._start)
            self._start = b""
        return self._members is None or self._members.is_whole()


class Twice:
    """gzip within gzip, as a server behind another one writes it."""

    def __init__(self, sink: Sink) -> None:
        self._pipe = Pipe(sink)
        self._members = Members(self._pipe)

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        self._pipe.received += len(piece)
        self._members.feed(piece)

    def is_whole(self) -> bool:
        """Whether the end of both streams was seen."""
        return self._members.is_whole() and self._pipe.is_whole()


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
    "gzip": Members,
    "x-gzip": Members,
    "gzip,gzip": Twice,
    "deflate": Deflater,
    "br": Brotli,
    "zstd": Zstd,
}


class Body:
    """The body of one response: as it was sent, and what it meant.

    One encoding only, or gzip twice. Any number on top of each other would let a small body cost
    hours of decoding without ever growing, and no server of good will does it.
    """

    def __init__(self, encoding: str, *, cap: int, ratio: int) -> None:
        self._raw = BytesIO()
        self._cap = cap
        self._sink = Sink(cap, ratio)
        self._decoder: Decoder | None = None
        name = "".join(encoding.lower().replace("x-gzip", "gzip").split())
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
