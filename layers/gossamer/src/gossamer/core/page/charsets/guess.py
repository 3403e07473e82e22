"""Guess the encoding of a text that does not say it and is not UTF-8.

Each encoding is tried with each language that is written in it. How many bits a reading would cost,
if letters came as often as in that language, says how likely it is: the cheapest is taken. A wrong
reading is full of rare letters, of signs within words and of capitals after small letters.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import exp, log2
from typing import TYPE_CHECKING, Final

from gossamer.core.page.charsets.decoders import decode_as
from gossamer.core.page.charsets.letters import ALPHABETS, SIGNS
from gossamer.core.page.language import LOOKED_AT, language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

SAMPLE_BYTES: Final = 2048
FALLBACK: Final = "cp1252"

# Bits that a character costs.
_RARE, _SIGN, _RARE_SIGN, _WRONG = 11.0, 7.0, 13.0, 18.0
_RARE_IDEOGRAPH: Final = 17.0  # one of ten thousand, and no text has many
_CAPITAL, _FLIP = 2.0, 6.0
_COMMON_SIGNS: Final = frozenset("\u00a0«»“”„‘’–—…·•©®°§№€£½¼¾²³±×÷ªº¿¡′″‹›™´`¨¸、。「」，：（）")
_SINGLE: Final[dict[str, tuple[str, ...]]] = {
    codec: tuple(languages.split())
    for codec, languages in (
        ("cp1252", "fr de es pt it nl sv da fi is ca sq et"),
        ("cp1250", "pl cs sk hu ro hr sl"),
        ("iso8859-2", "pl cs sk hu ro hr sl"),
        ("cp1254", "tr"),
        ("cp1257", "lt lv et"),
        ("iso8859-13", "lt lv"),
        ("iso8859-4", "lt lv et"),
        ("iso8859-16", "ro"),
        ("iso8859-3", "eo"),
        ("iso8859-14", "cy"),
        ("iso8859-15", "fr de es pt it nl fi"),
        ("cp1258", "vi"),
        ("mac_roman", "fr de es it pt nl sv da fi ca is"),
        ("cp850", "de fr es pt it"),
        ("cp852", "pl cs hu"),
        ("mac_latin2", "pl cs hu"),
        ("cp1251", "ru uk be bg sr"),
        ("koi8-r", "ru bg"),
        ("koi8_u", "uk"),
        ("iso8859-5", "ru uk bg sr"),
        ("cp866", "ru"),
        ("mac_cyrillic", "ru uk bg"),
        ("cp855", "ru bg"),
        ("cp1253", "el"),
        ("iso8859-7", "el"),
        ("cp1255", "he"),
        ("cp1256", "ar fa"),
        ("iso8859-6", "ar"),
        ("cp874", "th"),
    )
}
_MULTIPLE: Final = {
    "cp932": "ja",
    "euc_jp": "ja",
    "cp949": "ko",
    "gb18030": "zh-hans",
    "big5hkscs": "zh-hant",
    "johab": "ko",
}
# What half of all texts are in costs nothing; what hardly any is in must be clearly better.
_PRIORS: Final = {
    "cp1252": 0,
    "cp1250": 4,
    "iso8859-2": 5,
    "cp1254": 6,
    "cp1257": 4,
    "iso8859-13": 6,
    "iso8859-4": 8,
    "iso8859-16": 12,
    "iso8859-3": 8,
    "iso8859-14": 20,
    "iso8859-15": 12,
    "cp1258": 8,
    "mac_roman": 14,
    "cp850": 16,
    "cp852": 18,
    "mac_latin2": 20,
    "cp1251": 2,
    "koi8-r": 4,
    "koi8_u": 5,
    "iso8859-5": 6,
    "cp866": 6,
    "mac_cyrillic": 10,
    "cp855": 12,
    "cp1253": 3,
    "iso8859-7": 4,
    "cp1255": 3,
    "cp1256": 3,
    "iso8859-6": 6,
    "cp874": 3,
    "cp932": 4,
    "euc_jp": 4,
    "cp949": 4,
    "gb18030": 4,
    "big5hkscs": 4,
    "johab": 24,
}
_LATIN: Final = frozenset(
    str.split("fr de es pt it nl sv da fi is ca pl cs sk hu ro hr sl tr lt lv et vi")
)
_TAG: Final = re.compile(r"<[^<>]*+>")
_Counts = list[tuple[int, int]]
_find_words = re.compile(rb"[^\x00-\x20<>\"&]*[\x80-\xff][^\x00-\x20<>\"]*").findall


def guess(body: bytes) -> str:
    """The codec of a text, as Python names it."""
    sample = _sample(body)
    if not sample:
        return FALLBACK
    high = [(byte, count) for byte, count in Counter(sample).items() if byte >= 0x80]
    bits = {codec: _bits_of_bytes(sample, high, codec, names) for codec, names in _SINGLE.items()}
    bits |= {
        codec: _bits_of(sample.decode(codec, "replace"), language)
        for codec, language in _MULTIPLE.items()
    }
    codec = min(bits, key=lambda codec: bits[codec] + _PRIORS[codec])
    if not _LATIN.isdisjoint(_SINGLE.get(codec, ())):
        return _agreeing(body, sample, high, codec)
    return codec


def _agreeing(body: bytes, sample: bytes, high: _Counts, codec: str) -> str:
    """The codec, or one for the language of the text: its ASCII letters tell it too."""
    text = decode_as(body[: 2 * LOOKED_AT], codec)
    language = language_of(_TAG.sub(" ", text))
    if language not in _LATIN or language in _SINGLE[codec]:
        return codec
    suited = {
        other: _PRIORS[other] + _bits_of_bytes(sample, high, other, (language,))
        for other, languages in _SINGLE.items()
        if language in languages
    }
    return min(suited, key=suited.__getitem__)


def _sample(body: bytes) -> bytes:
    """Words with bytes beyond ASCII."""
    words, size = [], 0
    for word in _find_words(body[: 64 * SAMPLE_BYTES]):
        words.append(word)
        size += len(word) + 1
        if size > SAMPLE_BYTES:
            break
    return b" ".join(words)[:SAMPLE_BYTES]


def _bits_of_bytes(sample: bytes, high: _Counts, codec: str, languages: tuple[str, ...]) -> float:
    """What a text costs, one byte a character, in the language that suits it best."""
    least = min(
        sum(count * costs[byte] for byte, count in high)
        for costs in (_costs_of_bytes(codec, language) for language in languages)
    )
    return least + _FLIP * len(_flips(codec)(sample))


def _bits_of(text: str, language: str) -> float:
    """What a text costs whose characters take one byte or several."""
    costs = _costs(language)
    counts = Counter(text).items()
    return sum(count * _cost(sign, costs) for sign, count in counts if sign > "\x7f")


def _cost(sign: str, costs: Mapping[str, float]) -> float:
    known = costs.get(sign)
    if known is not None:
        return known
    small = costs.get(sign.lower())
    return _cost_of_other(sign) if small is None else small + _CAPITAL


@cache
def _cost_of_other(sign: str) -> float:
    if sign in _COMMON_SIGNS:
        return _SIGN
    if "\u3400" <= sign <= "\ud7a3" or sign > "\uffff":
        return _RARE_IDEOGRAPH
    if sign == "\ufffd" or sign < "\xa0" or "\ue000" <= sign <= "\uf8ff":
        return _WRONG
    return _RARE if sign.isalpha() else _RARE_SIGN


@cache
def _costs_of_bytes(codec: str, language: str) -> list[float]:
    costs = _costs(language)
    return [_cost(sign, costs) for sign in decode_as(bytes(range(256)), codec)]


@cache
def _flips(codec: str) -> Callable[[bytes], list[bytes]]:
    """Finds capitals beyond ASCII that follow a small letter."""
    table = decode_as(bytes(range(256)), codec)
    small = _class(byte for byte in range(256) if table[byte].islower())
    large = _class(byte for byte in range(128, 256) if table[byte].isupper())
    return re.compile(b"[%s][%s]" % (small, large)).findall if large else lambda _: []


def _class(codes: Iterable[int]) -> bytes:
    return b"".join(b"\\x%02x" % code for code in codes)


@cache
def _costs(language: str) -> dict[str, float]:
    """The bits of each letter of a language."""
    if language in SIGNS:
        unique = dict.fromkeys(SIGNS[language])
        return _in_bits({sign: 1 / (rank + 8) for rank, sign in enumerate(unique)})
    letters = ALPHABETS[language]
    return _in_bits({sign: exp(-3.5 * at / len(letters)) for at, sign in enumerate(letters)})


def _in_bits(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values()) * 1.1
    return {sign: -log2(weight / total) for sign, weight in weights.items()}
