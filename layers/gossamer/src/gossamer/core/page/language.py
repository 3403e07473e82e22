"""The language of a text: what its page declares, unless the text is clearly in another one.

The letters tell the script, resiliparse's n-grams the languages of that script that are near, and
function words which of the near ones it is. Rule and measurements: docs/decisions/0039.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

from resiliparse.parse.lang import detect_fast, supported_langs

from gossamer.core.index.languages import SAME_LANGUAGE, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterator

MIN_GUESSED: Final = 200  # characters; what is shorter has no language of its own
MIN_CORRECTED: Final = 400  # characters; what is shorter does not overrule the page
# Of the first 20,000 characters, 1,500 in long lines: short ones are menus, names and code.
LOOKED_AT, SAMPLE, LONG_LINE = 20_000, 1_500, 60
FARTHEST: Final = 900  # resiliparse's distance; beyond it a text is no prose
NEAR: Final = 1.1  # times the least distance: n-grams do not tell such languages apart
# Of all words; half of what prose has of function words that no other language has. It spares most
# pages the comparison of n-grams, which takes twice as long as all the rest.
CLEARLY: Final = 0.15
FUNCTION_WORDS: Final = 0.2  # of all words; prose has twice as many
MIN_FUNCTION_WORDS: Final = 0.1  # of all words, where no language is declared
# Latin letters are in code and names of any page, so another script need not have most of them.
OTHER_SCRIPT: Final = 0.3
DENSE: Final = 3  # Latin letters that say as much as one Chinese, Japanese or Korean sign
JAPANESE: Final = 0.1  # of the signs are kana; Chinese has none

# With all that resiliparse knows it takes twice as long, and takes manuals for Latin.
_LATIN: Final = tuple(
    str.split("ca cs da de en es et fi fr hr hu id it lt lv nl no pl pt ro sk sl sv tr vi")
)
_HAN: Final = ("zh",)  # or Japanese
_HANGUL: Final = ("ko",)
# Where the letters of a script begin, and what is written in it; none where nothing is told apart.
_BLOCKS: Final[tuple[tuple[int, tuple[str, ...]], ...]] = (
    (0x0370, ("el",)),
    (0x0400, ("be", "bg", "mk", "ru", "sr", "uk")),
    (0x0530, ("hy",)),
    (0x0590, ("he",)),
    (0x0600, ("ar", "fa", "ur")),
    (0x0700, ()),
    (0x0900, ("hi", "mr", "ne")),
    (0x0980, ("bn",)),
    (0x0A00, ("pa",)),
    (0x0A80, ("gu",)),
    (0x0B00, ("or",)),
    (0x0B80, ("ta",)),
    (0x0C00, ("te",)),
    (0x0C80, ("kn",)),
    (0x0D00, ("ml",)),
    (0x0D80, ("si",)),
    (0x0E00, ("th",)),
    (0x0E80, ()),
    (0x1000, ("my",)),
    (0x10A0, ("ka",)),
    (0x1100, _HANGUL),
    (0x1200, ()),
    (0x1780, ("km",)),
    (0x1800, ()),
    (0x1F00, ("el",)),
    (0x2000, ()),
    (0x2E80, _HAN),
    (0xAC00, _HANGUL),
    (0xD7B0, ()),
    (0xF900, _HAN),
    (0xFB00, ()),
)
_STARTS: Final = [start for start, _ in _BLOCKS]
_OTHER_SCRIPTS: Final = frozenset(name for _, names in _BLOCKS for name in names) | {"ja"}
# Catalan is no language of the analyzer's, but is taken for Spanish without these.
_CATALAN: Final = (
    "a això al als amb aquest aquesta aquestes aquests com d de del dels des el els en entre és"
    " està estan fer ha han hi i l la les més molt n no o on pel pels per però perquè poden pot"
    " qual quan que què s se sense ser seu seva si sobre són també tant tot tota totes tots un una"
    " unes uns va van"
)
_KNOWN: Final = frozenset(supported_langs())

_find_letters = re.compile(r"[^\W\d_]+").findall
_find_other_letters = re.compile(r"[^\W\d_\x00-\u036f\u1e00-\u1eff]+").findall
_find_kana = re.compile(r"[\u3040-\u30ff\uff66-\uff9f]").findall
_LATIN_WORD: Final = re.compile(r"[A-Za-z\u00c0-\u024f]+")


def language_of(text: str, declared: str = "") -> str:
    """The language as ISO 639 has it; empty if none is declared and the text does not tell it.

    What is declared stays if the text is short, or not clearly in another language. Where nothing
    is declared, a text in Latin letters needs function words of its language.
    """
    sample = _sample(text)
    if len(sample) < (MIN_CORRECTED if declared else MIN_GUESSED):
        return declared
    known = SAME_LANGUAGE.get(declared, declared)
    if declared and known not in _KNOWN:  # it cannot be compared with others
        return declared
    if known in _LATIN and _is_clearly(known, sample):
        return declared
    languages = _written_in(sample)
    if languages is not _LATIN:
        sample = _LATIN_WORD.sub(" ", sample)
    near = _near(sample, {*languages, known} if known else languages)
    if not near or known in near:
        return declared
    found = _most_function_words(sample, near)
    is_told = declared or languages is not _LATIN or _has_function_words(found, sample)
    return found if is_told else ""


def may_be_in(language: str, text: str) -> bool:
    """Return whether a text has the letters of a language; anything may have Latin ones."""
    name = SAME_LANGUAGE.get(language, language)
    languages = _written_in(text[:LOOKED_AT])
    if languages is _LATIN:
        return name not in _OTHER_SCRIPTS
    return name in languages or (languages == _HAN and name == "ja")


def without_code(text: str, code: Container[str]) -> str:
    """Return a text without its lines of code; the whole text if hardly anything else is left."""
    prose = "\n".join([line for line in text.splitlines() if line.strip() not in code])
    return prose if len(prose) >= MIN_GUESSED else text


def _sample(text: str) -> str:
    """The part of a text by which its language is told."""
    sample = "\n".join(_long_lines(text))
    return (sample if len(sample) >= MIN_GUESSED else text)[:SAMPLE]


def _long_lines(text: str) -> Iterator[str]:
    """The first long lines; Chinese and Korean ones say as much in half the length."""
    size = 0
    for line in text[:LOOKED_AT].splitlines():
        if len(line) >= LONG_LINE or (len(line) >= LONG_LINE // 2 and not line.isascii()):
            yield line
            size += len(line)
        if size >= SAMPLE:
            return


def _written_in(sample: str) -> tuple[str, ...]:
    """The languages that are written in the script of a text."""
    others = [] if sample.isascii() else _find_other_letters(sample)
    if not others:
        return _LATIN
    languages, weight = _most_frequent(others)
    latin = _size(_find_letters(sample)) - _size(others)
    if not languages or weight < OTHER_SCRIPT * (latin + weight):
        return _LATIN
    if languages == _HAN and DENSE * len(_find_kana(sample)) >= JAPANESE * weight:
        return ("ja",)
    return languages


def _most_frequent(words: list[str]) -> tuple[tuple[str, ...], int]:
    """The languages of the script that most words are in, and how much they say."""
    weights: Counter[tuple[str, ...]] = Counter()
    for word in words:
        languages = _BLOCKS[bisect_right(_STARTS, ord(word[0])) - 1][1]
        weights[languages] += len(word) * (DENSE if languages in (_HAN, _HANGUL) else 1)
    return weights.most_common(1)[0]


def _size(words: list[str]) -> int:
    return sum(map(len, words))


def _near(sample: str, languages: Collection[str]) -> list[str]:
    """The languages that a text could be in by its n-grams, the nearest first."""
    found = detect_fast(sample, cutoff=FARTHEST, n_results=len(languages), langs=list(languages))
    if isinstance(found, tuple):  # of one language
        found = [found]
    named = [(language, distance) for language, distance in found if language != "unknown"]
    return [language for language, distance in named if distance <= NEAR * named[0][1]]


def _is_clearly(language: str, sample: str) -> bool:
    """Whether a text has so many words of a language that it is in no other one."""
    own, words = _own_words(language), sample.lower().split()
    return bool(own) and sum(map(own.__contains__, words)) >= CLEARLY * len(words)


def _most_function_words(sample: str, near: list[str]) -> str:
    """Of languages the one whose function words a text has; the first if it has no one's."""
    if len(near) == 1:
        return near[0]
    words = _find_letters(sample.lower())
    counts = {
        language: sum(map(_function_words(language).__contains__, words)) for language in near
    }
    best = max(near, key=counts.__getitem__)
    return best if counts[best] >= FUNCTION_WORDS * len(words) else near[0]


def _has_function_words(language: str, sample: str) -> bool:
    """Return whether a text may be prose of a language: tables and lists have few such words."""
    own, words = _function_words(language), _find_letters(sample.lower())
    return not own or sum(map(own.__contains__, words)) >= MIN_FUNCTION_WORDS * len(words)


@cache
def _function_words(language: str) -> frozenset[str]:
    words = _CATALAN if language == "ca" else STOP_WORDS.get(language, "")
    return frozenset(words.split())


@cache
def _own_words(language: str) -> frozenset[str]:
    """The function words that no other language has whose function words we know."""
    others = (other for other in ("ca", *STOP_WORDS) if other != language)
    return _function_words(language).difference(*map(_function_words, others))
