"""The encoding that a page declares in its own text: in a meta element, or as XML does.

What only looks like a declaration is passed over: in a comment, a script, a style, a title or the
value of an attribute.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.page.charsets.labels import codec_of

if TYPE_CHECKING:
    from collections.abc import Iterator

PRESCAN_BYTES: Final = 1024  # WHATWG: where a page has to declare its encoding
LATE_BYTES: Final = 64 * 1024  # where one that came too late for that is still looked for

# Possessive throughout: a page of "<meta <meta <meta" must not be read again and again.
_find_tokens = re.compile(
    rb"<!--(?:>|->|.*?(?:-->|\Z))"
    rb"|<(script|style|title|textarea|xmp|iframe|noembed|noframes)\b.*?(?:</\1[\s/>]|\Z)"
    rb"|<(meta|body)\b((?:[^>\"']++|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+)>"
    rb"|</?[a-z](?:[^>\"']++|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+",
    re.IGNORECASE | re.DOTALL,
).finditer
_find_attributes = re.compile(
    rb"([^\s=/>\"']++)\s*+(?:=\s*+(?:\"([^\"]*+)\"?|'([^']*+)'?|([^\s>]++)))?+"
).findall
_find_parameter = re.compile(
    r"charset\s*+=\s*+(?:\"([^\"]*+)|'([^']*+)|([^\s;\"']++))", re.I
).search
_read_xml = re.compile(rb"\s*+<\?xml\s[^>]*?encoding\s*+=\s*+[\"']([\w.:-]++)").match


def declared_codec(body: bytes) -> str:
    """What the first kilobyte of a page declares; "" if nothing."""
    return _xml(body[:PRESCAN_BYTES]) or _meta(body[:PRESCAN_BYTES])


def late_codec(body: bytes) -> str:
    """What a page declares behind its first kilobyte: browsers then begin anew."""
    return _meta(body[:LATE_BYTES]) if len(body) > PRESCAN_BYTES else ""


def codec_in(content_type: str) -> str:
    """What the parameter of a media type names; "" if it names nothing known."""
    found = _find_parameter(content_type)
    return codec_of(next(filter(None, found.groups()), "")) if found else ""


def _xml(start: bytes) -> str:
    found = _read_xml(start)
    return _readable(codec_of(found[1].decode("ascii"))) if found else ""


def _meta(start: bytes) -> str:
    for attributes in _metas(start):
        codec = codec_of(attributes.get("charset", ""))
        if not codec and attributes.get("http-equiv", "").strip().lower() == "content-type":
            codec = codec_in(attributes.get("content", ""))
        if codec:
            return _readable(codec)
    return ""


def _metas(start: bytes) -> Iterator[dict[str, str]]:
    for token in _find_tokens(start):
        name = (token[2] or b"").lower()
        if name == b"body":
            return
        if name == b"meta" and b"charset" in token[3].lower():
            yield _attributes(token[3])


def _attributes(tag: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, *values in _find_attributes(tag):
        text = next(filter(None, values), b"").decode("latin-1")
        found.setdefault(name.decode("latin-1").lower(), text)
    return found


def _readable(codec: str) -> str:
    # A page that could be read this far is neither UTF-16 nor UTF-32, whatever it says (WHATWG).
    return "utf-8" if codec.startswith(("utf-16", "utf-32")) else codec
