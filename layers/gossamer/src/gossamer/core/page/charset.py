"""Detect the character encoding of a page and decode it.

As browsers decide it: a byte order mark, then the header, then the page's own word for it, then a
guess. Bytes that mean nothing in the chosen encoding become U+FFFD.
"""

from __future__ import annotations

import re

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

PRESCAN_BYTES = 1024  # WHATWG: where a page has to declare its encoding
FALLBACK = "windows-1252"

_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xff\xfe", "utf-16-le"),
)
# Possessive: with two ways to share a run of spaces, 16 KB of them in a header took four seconds.
_find_parameter = re.compile(r"charset\s*+=\s*+[\"']?\s*+([\w.:-]+)", re.IGNORECASE).search
_find_meta = re.compile(
    rb"<meta[^>]*?[\s;\"']charset\s*+=\s*+[\"']?\s*+([\w.:-]+)", re.IGNORECASE
).search
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


def decode(body: bytes, content_type: str = "") -> str:
    """The characters of a body. Never raises."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    encoding = _named(content_type) or _declared(body[:PRESCAN_BYTES])
    if encoding:
        return body.decode(encoding, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        guessed = _codec(detect_encoding(body, html5_compatible=False) or "")
        return body.decode(guessed or FALLBACK, "replace")


def _named(content_type: str) -> str:
    found = _find_parameter(content_type)
    return _codec(found[1]) if found else ""


def _declared(start: bytes) -> str:
    if b"<!--" in start:
        start = _COMMENT.sub(b"", start)
    found = _find_meta(start)
    encoding = _codec(found[1].decode("ascii", "replace")) if found else ""
    # A page that could be read this far is not UTF-16, whatever it says (WHATWG).
    return "utf-8" if encoding.startswith("utf-16") else encoding


def _codec(label: str) -> str:
    """Python's name for what browsers mean by a label; "" for labels they do not know."""
    return map_encoding_to_html5(label, False) or ""
