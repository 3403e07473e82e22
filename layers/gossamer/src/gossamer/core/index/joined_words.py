"""Words that are joined by signs, as they are written: C++, utf-8, node.js, __init__, std::vector.

The analyzer parts words at signs, so that UTF-8 is found by those who type "utf 8". A joined word
is made of

    runs of letters and digits, joined by one of - . & + # _ or by ++ __ ::
    before the first a dot or underscores (.NET, __init__), behind the last + ++ # __ (C++, C#)
    two runs and nothing else joined by a slash (TCP/IP)

A dot that ends a sentence is no part of a word. URLs, paths, e-mail addresses, words that are
longer than a term, "e.g." and "i.e." are none. In a query, `addresses` are found by their words
side by side.

Where ordinary words are joined (node.js, std::vector, well-known), they say it by standing side by
side, and the index has that already. Where a part is a single letter or a number, or a sign stands
at an end, they do not: such a word has a term of its own beside its parts, as it is written but for
capitals and accents. On python3.11-doc these are 3 % more postings, and terms for all joined words
would be 14 %. Where such a term stands is not kept, only in which field: phrases are found by the
parts.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from gossamer.core.arrays import is_first
from gossamer.core.index.letters import LETTER, RUN, plainer
from gossamer.core.index.vocabulary import MAX_CACHED, MAX_TERM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from gossamer.core.index.segments.numbers import Ints

_SIGNS: Final = b"-.&+#_:/"
_ENDING: Final = b"+#_"  # signs that may end a word
_BETWEEN: Final = r"(?:[-.&#]|\+{1,2}|_{1,2}|::)"
# Words and letters, as in well-known, x-ray and and/or. Some write them apart, and mean the same.
_is_compound = re.compile(r"[^\W\d_]+(?:[-/][^\W\d_]+)+").fullmatch
_ASCII_LETTER: Final = "[A-Za-z0-9]"
_ASCII_RUN: Final = rf"{_ASCII_LETTER}++(?:'{_ASCII_LETTER}++)*+"
_SIGN: Final = f"[{re.escape(_SIGNS.decode())}]"
_has_sign = re.compile(_SIGN).search
_is_own = re.compile(rf"^{_SIGN}|{_SIGN}$|(?:^|{_SIGN})(?:\d+|[^\W_])(?:{_SIGN}|$)").search
_is_ended = re.compile(rf"^{_SIGN}|{_SIGN}$").search
# An e-mail address, a URL, or a path of three parts or more.
_is_address = re.compile(r"@|\\|/[^/]*/").search
_runs_without_spaces = re.compile(r"\S+").finditer
_between_letters = re.compile(rf"{LETTER}(?:.*{LETTER})?").search
LONGEST_ADDRESS: Final = 200  # characters
_COMMON: Final = frozenset({"e.g", "i.e"})
_IS_SIGN: Final = bytes([code in _SIGNS for code in range(256)])
_IS_ENDING: Final = np.array([code in _ENDING for code in range(256)])
_IS_WORD: Final = np.array([chr(code).isalnum() and code < 128 for code in range(256)])
# Digits, and what stands for all that is not ASCII.
_IS_ODD: Final = np.array([chr(code) in "0123456789?" for code in range(256)])
_DOT: Final = ord(".")
_SPACE: Final = ord(" ")  # and what is below


class Joined(NamedTuple):
    """A joined word where it stands."""

    written: str
    start: int
    end: int


def joined_words(text: str) -> Iterator[Joined]:
    """The joined words of a text."""
    text = plainer(text)
    if not _has_sign(text):  # most queries
        return
    starts, ends = _cut(text)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        for found in _joined_in(text[start:end]):
            yield Joined(found.written, start + found.start, start + found.end)


def addresses(text: str) -> Iterator[Joined]:
    """URLs, paths and e-mail addresses of a query, without signs at their ends."""
    for run in _runs_without_spaces(text):
        if len(run[0]) <= LONGEST_ADDRESS and _is_address(run[0]):
            found = _between_letters(run[0])
            if found:
                yield Joined(found[0], run.start() + found.start(), run.start() + found.end())


def own_of_each(texts: Sequence[str]) -> tuple[Ints, list[str]]:
    """The joined words that may have terms of their own in some texts, and in which each is.

    Of words with apostrophes, accents and the like only the term shows whether it is one.
    """
    together = "\n".join(map(plainer, texts))
    starts, ends = _cut(together, only_own=True)
    runs = [together[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    found = list(map(_REMEMBERED.__getitem__, runs))
    begins = np.cumsum([0, *(len(text) + 1 for text in texts)])
    owners = np.searchsorted(begins, starts, side="right") - 1
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    return np.repeat(owners, sizes), list(chain.from_iterable(found))


def joined_term(written: str, fold: Callable[[str], str]) -> str:
    """What a joined word is looked up by; `fold` is the analyzer's."""
    if _is_plain(written):
        return written.lower()
    return re.sub(RUN, lambda run: fold(run[0]), written)


def is_joined(term: str) -> bool:
    """Whether a term is a joined word: others have no signs."""
    return not term.isalnum() and bool(_has_sign(term))


def is_own(term: str) -> bool:
    """Whether a joined word has a term of its own in the index; addresses have none."""
    return bool(_is_own(term)) and not _is_address(term)


def is_ended(term: str) -> bool:
    """Whether a sign stands at an end, as in C++ and .NET: without it, it is another word."""
    return bool(_is_ended(term))


def is_compound(term: str) -> bool:
    """Whether a joined word is made of words and letters by hyphens or slashes."""
    return bool(_is_compound(term))


def _cut(text: str, only_own: bool = False) -> tuple[Ints, Ints]:
    """Where runs without spaces begin and end that may have joined words.

    These have a sign with something behind it, or one that may end a word.
    """
    padded = b"  %b  " % text.encode("ascii", "replace")
    plain = np.frombuffer(padded, np.uint8)
    signs = np.flatnonzero(np.frombuffer(padded.translate(_IS_SIGN), np.bool_))
    signs = signs[_IS_ENDING[plain[signs]] | (plain[signs + 1] > _SPACE)]
    if only_own:
        signs = signs[_may_be_own(plain, signs)]
    spaces = np.flatnonzero(plain <= _SPACE)
    behind = np.searchsorted(spaces, signs)
    behind = behind[is_first(behind)]
    return spaces[behind - 1] - 1, spaces[behind] - 2  # the text begins behind two spaces


def _may_be_own(plain: npt.NDArray[np.uint8], signs: Ints) -> npt.NDArray[np.bool_]:
    """Which signs may be in a word with a term of its own; of ordinary words few are.

    They stand beside a single letter, a digit or what is not ASCII, or at an end.
    """
    sign, before, behind = plain[signs], plain[signs - 1], plain[signs + 1]
    was_word, is_word = _IS_WORD[before], _IS_WORD[behind]
    found: npt.NDArray[np.bool_] = (
        (was_word & ~_IS_WORD[plain[signs - 2]])
        | (is_word & ~_IS_WORD[plain[signs + 2]])
        | _IS_ODD[before]
        | _IS_ODD[behind]
        | (_IS_ENDING[sign] & ~(was_word & is_word))
        | ((sign == _DOT) & is_word & ~was_word)
    )
    return found


@cache
def _pattern(is_ascii: bool) -> re.Pattern[str]:
    """What a joined word is, or any word.

    Most texts are ASCII: that pattern is found faster, and the other takes 30 ms to compile.
    """
    letter, run = (_ASCII_LETTER, _ASCII_RUN) if is_ascii else (LETTER, RUN)
    return re.compile(
        rf"(?<!{letter})(?<![-.&+#_:/]){run}/{run}(?![-.&+#_:/]*{letter})(?![+#_])"
        rf"|(?<!{letter})(?:(?<![_.])\.|(?<!_)_{{1,2}}|(?<!_)(?!(?<=\d,)\d))"  # not in 1,000.50
        rf"{run}(?:{_BETWEEN}{run})*+"
        rf"(?:(?:_{{1,2}}|(?<=[^\W\d_])(?:\+{{1,2}}|\#))(?![+#_])(?!{letter}))?"
    )


def _joined_in(run: str) -> Iterator[Joined]:
    """The joined words of a run without spaces; none of a URL, a path and an e-mail address."""
    if _is_address(run):
        return
    for found in _pattern(run.isascii()).finditer(run):
        written = found[0]
        is_short = len(written) <= MAX_TERM
        if is_short and _has_sign(written) and written.lower() not in _COMMON:
            yield Joined(written, found.start(), found.end())


def _is_plain(written: str) -> bool:
    return written.isascii() and "'" not in written


class _Remembered(dict[str, tuple[str, ...]]):
    """The joined words of runs that were met before, without those that have no own terms."""

    def __missing__(self, run: str) -> tuple[str, ...]:
        every = [each.written for each in _joined_in(run)]
        found = tuple([word for word in every if is_own(word) or not _is_plain(word)])
        if len(run) <= MAX_TERM:
            if len(self) >= MAX_CACHED:
                self.clear()
            self[run] = found
        return found


_REMEMBERED: Final = _Remembered()
