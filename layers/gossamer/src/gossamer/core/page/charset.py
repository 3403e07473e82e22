"""Detect the character encoding of a page and decode it.

As browsers decide it: a byte order mark, then the header, then the page's own word for it, then a
guess. Bytes that mean nothing in the chosen encoding become U+FFFD.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from gossamer.core.page.charsets.declared import codec_in, declared_codec, late_codec
from gossamer.core.page.charsets.decoders import decode_as
from gossamer.core.page.charsets.guess import guess
from gossamer.core.page.charsets.queries import UTF_8

__all__ = ["UTF_8", "Decoded", "decode", "decoded"]

_BYTE_ORDER_MARKS: Final = (
    (b"\xef\xbb\xbf", UTF_8),
    (b"\xff\xfe\0\0", "utf-32-le"),  # to browsers UTF-16 that begins with nothing
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xff\xfe", "utf-16-le"),
)
# Of a text that is UTF-8 but for a few bytes: cut off in a character, or with a foreign quotation.
FEW_ERRORS: Final = 0.02
WIDE_SHARE: Final = 32  # bytes to a zero, at most: spaces and full stops of any script have one
SNIFFED: Final = 4096  # bytes in which wide characters and escapes are looked for
# Of kana, stops and signs, and of what stands between them: Latin letters and full-width ones.
_HIGH_BYTES: Final = bytes((0x00, 0x20, 0x30, *range(0x4E, 0xA0), 0xFF))
_find_escape = re.compile(
    rb"\x1b(?:(\$[@B]|\([JI])|(\$\)C))|(?<!~)(~\{(?:[\x21-\x77][\x21-\x7e])++~\})"
).search


class Decoded(NamedTuple):
    """The characters of a body, and the codec that they were in."""

    text: str
    codec: str


def decode(body: bytes, content_type: str = "") -> str:
    """The characters of a body. Never raises."""
    return decoded(body, content_type).text


def decoded(body: bytes, content_type: str = "") -> Decoded:
    """The same with the codec."""
    for mark, codec in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return Decoded(body[len(mark) :].decode(codec, "replace"), codec)
    is_page = not content_type.lower().startswith("text/plain")
    codec = codec_in(content_type) or (declared_codec(body) if is_page else "")
    if codec:
        return Decoded(decode_as(body, codec), codec)
    return _undeclared(body, late_codec(body) if is_page else "")


def _undeclared(body: bytes, late: str) -> Decoded:
    codec = _escaped(body) or _wide(body)
    if codec:
        return Decoded(decode_as(body, codec), codec)
    try:
        return Decoded(body.decode(UTF_8), UTF_8)
    except UnicodeDecodeError:
        text = body.decode(UTF_8, "replace")
    if _is_nearly_right(text):
        return Decoded(text, UTF_8)
    codec = late or guess(body)
    return Decoded(decode_as(body, codec), codec)


def _is_nearly_right(text: str) -> bool:
    wrong = text.count("\ufffd")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return wrong <= FEW_ERRORS * (beyond_ascii - wrong)


def _escaped(body: bytes) -> str:
    """An encoding that has only ASCII, and says by escapes what that stands for."""
    found = _find_escape(body[: 16 * SNIFFED])
    if found is None or not body.isascii():
        return ""
    japanese, korean, _ = found.groups()
    return "iso2022_jp" if japanese else "iso2022_kr" if korean else "hz"


def _wide(body: bytes) -> str:
    """UTF-16 or UTF-32 without a mark: zeros stand in every second byte only, or in most."""
    start = body[: SNIFFED - SNIFFED % 4]
    zeros, even = start.count(0), start[::2].count(0)
    if zeros < 2 or zeros * WIDE_SHARE < len(start):
        return _wide_signs(start)
    quarters = [start[at::4].count(0) for at in range(4)]
    if quarters[3] * 4 == len(start) and quarters[2] * 5 > len(start):
        return "utf-32-le"
    if quarters[0] * 4 == len(start) and quarters[1] * 5 > len(start):
        return "utf-32-be"
    if even > 0.8 * zeros:
        return "utf-16-be"
    return "utf-16-le" if even < 0.2 * zeros else ""


def _wide_signs(start: bytes) -> str:
    """UTF-16 of Chinese or Japanese: its stops have a byte that texts in other encodings lack."""
    for codec, stops, high in (
        ("utf-16-le", (b"\x01\x30", b"\x02\x30"), start[1::2]),
        ("utf-16-be", (b"\x30\x01", b"\x30\x02"), start[::2]),
    ):
        is_stopped = any(start.find(stop) >= 0 and start.find(stop) % 2 == 0 for stop in stops)
        if is_stopped and len(high.translate(None, _HIGH_BYTES)) <= FEW_ERRORS * len(high):
            return codec
    return ""
