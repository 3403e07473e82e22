"""Texts with the digits, spaces and marks of any script as ASCII has them."""

from __future__ import annotations

import unicodedata
from typing import Final

MAX_TEXT: Final = 1_000  # characters that are looked at: a value stands at the beginning
NARROW: Final = "\u00a0"  # any space that does not break: it stands within numbers, not between
DECIMAL: Final = "\u066b"  # the Arabic decimal mark, which is never anything else

_MARKS: Final = str.maketrans(
    {
        **dict.fromkeys("\u2007\u2008\u2009\u202f", NARROW),
        **dict.fromkeys("\u2018\u2019\u02bc`\u00b4\u02b9\u066c", "'"),  # \u066c groups thousands
        **dict.fromkeys("\u2212\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015", "\u2013"),
        **dict.fromkeys("\u200b\u200e\u200f\u202a\u202c\u2066\u2069\ufeff\u00ad", ""),
        "\uff0e": ".",
        "\uff0c": ",",
        "\u3000": " ",
        "\uffe5": "\u00a5",
        "\uff04": "$",
        "\uff05": "%",
        "\uff0f": "/",
        "\uff1a": ":",
    }
)


def plain(text: str) -> str:
    """The beginning of a text with ASCII digits; dashes that may be a minus are "-"."""
    text = text[:MAX_TEXT].strip()
    if text.isascii():
        return text
    return "".join(map(_ascii_digit, text.translate(_MARKS)))


def _ascii_digit(letter: str) -> str:
    """A decimal digit of any script as ASCII has it; all else as it is."""
    if letter < "\u0660":
        return letter
    digit = unicodedata.decimal(letter, -1)
    return letter if digit < 0 else str(digit)
