"""Read a number as people write it: "1.234,5", "12,34,567", "3.4k", "2 Mio.", "-7 °C"."""

from __future__ import annotations

import re
from typing import Final

from gossamer.core.page.value_texts.numerals import Numeral, numerals
from gossamer.core.page.value_texts.plain_digits import plain
from gossamer.core.page.values import MAX_NUMBER

_THOUSAND, _MILLION, _BILLION = 1e3, 1e6, 1e9
_GLUED: Final = {"k": _THOUSAND, "K": _THOUSAND, "M": _MILLION, "Mn": _MILLION}  # 3.4k
_SCALES: Final[dict[str, float]] = {
    **dict.fromkeys(str.split("tsd thsd tausend thousand тыс тысяч тис"), _THOUSAND),
    **dict.fromkeys(
        str.split(
            "mio million millions millionen millones millon millón milioni milione milhões milhão"
            " mln milion milionů miljoen miljoner miljon millioner млн миллион миллионов"
        ),
        _MILLION,
    ),
    **dict.fromkeys(
        str.split(
            "bn billion billions mrd milliarde milliarden milliard milliards miliardo miliardi mld"
            " miljard miljarder млрд миллиардов"
        ),
        _BILLION,
    ),
    **dict.fromkeys(("lakh", "lakhs", "lac"), 1e5),
    **dict.fromkeys(("crore", "crores"), 1e7),
}
_SIGNS: Final[dict[str, float]] = {
    **dict.fromkeys("千천", 1e3),
    **dict.fromkeys("万萬만", 1e4),
    **dict.fromkeys("億亿억", 1e8),
}
_read_word = re.compile(r" ?\u00a0?([^\W\d_]+)").match
_read_sign = re.compile(r" ?([千천万萬만億亿억])").match
_ends_in_minus = re.compile(r"(?:\A|[\s(:=])[-\u2013]\Z").search
_ends_in_letter = re.compile(r"[^\W\d_]\Z").search


def read_number(text: str, language: str = "") -> float | None:
    """The first number of a text; one that stands apart from words, if there is such."""
    text = plain(text)
    found = list(numerals(text, language))
    apart = [numeral for numeral in found if not _ends_in_letter(text[: numeral.start])]
    first = next(iter(apart or found), None)
    return None if first is None else signed(text, first)


def signed(text: str, numeral: Numeral) -> float | None:
    """The value of a number with its sign and the words behind it, as "million"."""
    value = numeral.value * scale_after(text, numeral.end)
    if abs(value) > MAX_NUMBER:
        return None
    return -value if value and _ends_in_minus(text[: numeral.start]) else value


def scale_after(text: str, end: int) -> float:
    """By how much the word or sign behind a number multiplies it."""
    if sign := _read_sign(text, end):
        return _SIGNS[sign[1]]
    word = _read_word(text, end)
    if not word:
        return 1.0
    if word.start(1) == end and word[1] in _GLUED:
        return _GLUED[word[1]]
    return _SCALES.get(word[1].casefold(), 1.0)
