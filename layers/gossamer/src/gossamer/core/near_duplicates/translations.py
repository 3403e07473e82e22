"""Untranslated pages: a site shows the original text at the address of another language."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from gossamer.core.index.languages import SAME_LANGUAGE

# The languages into which sites are translated most; "us" and "co" are none of them.
_CODES: Final = frozenset(
    str.split(
        "af ar az be bg bn ca cs da de el en es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka"
        " kk km ko lt lv mk ml mn mr ms my nb ne nl nn no pa pl pt ro ru si sk sl sq sr sv sw ta te"
        " th tr uk ur uz vi zh"
    )
)
_CODE: Final = r"([a-z]{2})(?:[-_][a-z]{2,4}|[-_]\d{3})?"
_find_in_path = re.compile(
    rf"/{_CODE}(?=/|\Z)|\.{_CODE}\.x?html?\Z|\.x?html?\.{_CODE}\Z", re.IGNORECASE
).finditer
_find_in_query = re.compile(
    rf"(?:\A|&)(?:lang|language|locale|hl)={_CODE}(?=&|\Z)", re.IGNORECASE
).finditer
_REGISTERED_LABELS: Final = 2  # of a host: example.it is no page in Italian


def is_untranslated(url: str, language: str) -> bool:
    """Tell whether an address names another language than the one of the text there."""
    named = _language_in(url) if language else ""
    return bool(named) and SAME_LANGUAGE.get(named, named) != SAME_LANGUAGE.get(language, language)


def _language_in(url: str) -> str:
    """Return the first language that an address names; "" if it names none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    codes = (parts.hostname or "").split(".")[:-_REGISTERED_LABELS]
    matches = [*_find_in_path(parts.path), *_find_in_query(parts.query)]
    codes += [match[match.lastindex or 0].lower() for match in matches]
    return next((code for code in codes if code in _CODES), "")
