"""JSON as it is found in pages: with comments, trailing commas, CDATA and escaped signs."""

from __future__ import annotations

import html
import json
import re
from typing import Final, TypeAlias

import msgspec

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

MAX_TEXT: Final = 1_000_000  # characters of one script; a longer one is not read
MAX_OBJECTS: Final = 20  # one after the other in one script

_find_start = re.compile(r"[\[{]").search
# A text, which stays, or what JSON does not have: comments, marks of CDATA, a comma at an end.
_NOISE: Final = re.compile(
    r'("(?:[^"\\]|\\.)*+")|/\*.*?\*/|(?<!:)//[^\n]*|<!--|-->|<!\[CDATA\[|\]\]>|,(?=\s*[}\]])',
    re.DOTALL,
)
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,31}\d{0,2});")
_is_blank = re.compile(r"[\s;,]*")
_DECODER: Final = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def read_json(text: str) -> list[Json]:
    """The values that a text holds, one after the other; none if it cannot be read."""
    if len(text) > MAX_TEXT:
        return []
    try:
        return [msgspec.json.decode(text)]
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _read_broken(text)


def read_escaped_json(text: str) -> list[Json]:
    """The same of texts that were escaped for HTML before, as shops write "M&amp;S"."""
    if "&" in text and len(text) <= MAX_TEXT:
        plain = _ENTITY.sub(_meant, text)
        if plain != text and (found := read_json(plain)):
            return found
    return read_json(text)


def _meant(entity: re.Match[str]) -> str:
    """The sign of an entity, as JSON writes it within a text."""
    return json.dumps(html.unescape(entity[0]))[1:-1]


def read_json_at(text: str, start: int) -> Json:
    """The value that begins at a place, whatever follows it; None if there is none."""
    piece = text[start : start + MAX_TEXT]
    for form in (piece, _NOISE.sub(_kept, piece)):
        try:
            return _checked(_DECODER.raw_decode(form)[0])
        except (ValueError, RecursionError):
            continue
    return None


def _read_broken(text: str) -> list[Json]:
    forms = [_NOISE.sub(_kept, text)]
    if "&" in text:
        forms.append(_NOISE.sub(_kept, html.unescape(text)))
    return next(filter(None, map(_values, forms)), [])


def _kept(found: re.Match[str]) -> str:
    return found[1] or ""


def _values(text: str) -> list[Json]:
    found: list[Json] = []
    start = _find_start(text)
    at = start.start() if start else len(text)
    try:
        while at < len(text) and len(found) < MAX_OBJECTS:
            value, end = _DECODER.raw_decode(text, at)
            found.append(_checked(value))
            blank = _is_blank.match(text, end)
            at = blank.end() if blank else end
    except (ValueError, RecursionError):
        return found
    return found


def _checked(value: Json) -> Json:
    """The value, if it is no deeper than what the fast reader takes."""
    msgspec.json.encode(value)
    return value
