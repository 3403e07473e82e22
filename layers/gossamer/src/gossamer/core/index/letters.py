"""The characters of words: letters, the marks that belong to them, common signs."""

from __future__ import annotations

import unicodedata
from typing import Final

APOSTROPHES: Final = "'’＇\u02bb\u02bc"
# The blocks of scripts without spaces.
SINGLES: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    r"\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
# Soft hyphens, joiners, directions, selectors: they are not seen in the middle of a word.
INVISIBLE: Final = "\u00ad\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff"
_MARK_BLOCKS: Final = ((0x300, 0x1E00), (0x20D0, 0x2100), (0x302A, 0x309B), (0xA66F, 0xABF0))
MARKS: Final = "".join(
    [
        chr(code)
        for first, end in _MARK_BLOCKS
        for code in range(first, end)
        if unicodedata.category(chr(code))[0] == "M"
    ]
)
LETTER: Final = rf"[^\W_{APOSTROPHES}{SINGLES}]"
MARK: Final = f"[{MARKS}{INVISIBLE}\uff9e\uff9f]"


def run_of(letter: str) -> str:
    """Letters and digits of a script with spaces, with what belongs to them; a pattern."""
    return rf"{letter}(?:{letter}++|{MARK}|[{APOSTROPHES}](?={letter}))*+"


RUN: Final = run_of(LETTER)

# Most texts would be plain without these. Character for character, so that places stay the same.
_PLAINER: Final = (
    *((sign, " ") for sign in "\u00a0\u00a7\u00a9\u00b6\u00b7\u00d7‒–—―‘“”„•…«»‹›←→"),
    *((hyphen, "-") for hyphen in "‐‑"),
    ("’", "'"),
)


def plainer(text: str) -> str:
    """A text with common signs as spaces: what is plain is read faster."""
    if not text.isascii():
        for sign, plain in _PLAINER:
            text = text.replace(sign, plain)
    return text
