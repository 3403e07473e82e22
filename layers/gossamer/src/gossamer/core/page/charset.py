"""Detect the character encoding of a page and decode it.

As browsers decide it: a byte order mark, then the header, then the page's own word for it, then a
guess. Bytes that mean nothing in the chosen encoding become U+FFFD.
"""

from __future__ import annotations

import re
from typing import Final

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

from gossamer.core.page.language import LOOKED_AT, language_of

PRESCAN_BYTES = 1024  # WHATWG: where a page has to declare its encoding
FALLBACK = "windows-1252"
# What else has Latin letters, and the languages that need it. Western text is taken for these ("El
# niño" for iso-8859-4), so such a guess counts if the text is in one of their languages.
_BALTIC, _CENTRAL = frozenset({"et", "lt", "lv"}), frozenset(str.split("cs hr hu pl ro sk sl"))
_LATIN_GUESSES: Final = {
    "cp1250": _CENTRAL,
    "iso8859-2": _CENTRAL,
    "iso8859-16": _CENTRAL,
    "cp1257": _BALTIC,
    "iso8859-4": _BALTIC,
    "iso8859-10": _BALTIC,
    "iso8859-13": _BALTIC,
    "iso8859-3": frozenset({"tr"}),
    "iso8859-14": frozenset[str](),
    "cp1258": frozenset({"vi"}),
}

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
_TAG: Final = re.compile(r"<[^<>]*+>")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


def decode(body: bytes, content_type: str = "") -> str:
    """The characters of a body. Never raises."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    encoding = _named(content_type)
    if not encoding and not content_type.lower().startswith("text/plain"):
        encoding = _declared(body[:PRESCAN_BYTES])
    if encoding:
        return body.decode(encoding, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return _guessed(body)


def _guessed(body: bytes) -> str:
    """The characters of a body that is not UTF-8 and does not say what it is."""
    name = detect_encoding(body, html5_compatible=False) or ""
    encoding = "cp949" if name == "cp949" else _codec(name) or FALLBACK
    text = body.decode(encoding, "replace")
    if encoding in _LATIN_GUESSES and not _is_in(text, _LATIN_GUESSES[encoding]):
        return body.decode(FALLBACK, "replace")
    return text


def _is_in(text: str, languages: frozenset[str]) -> bool:
    """Whether a text is in one of some languages; a short one may well be Central European."""
    found = language_of(_TAG.sub(" ", text[: 2 * LOOKED_AT]))
    return found in languages or (not found and languages is _CENTRAL)


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
