"""The terms of words: small letters of the usual kind, without accents, by the stem of a language.

What writers of a language may leave out or write in several ways is one: accents, vowel points,
alef with and without hamza, Persian and Arabic yeh and kaf, digits of other scripts.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import Stemmer

from gossamer.core.index.character_pairs import is_character
from gossamer.core.index.languages import (
    ANY_ELISION,
    ANY_ENCLITIC,
    ELISIONS,
    ENCLITICS,
    NEW_STEMMERS,
    SAME_LANGUAGE,
    STEMMERS,
    STOP_WORDS,
    default_of,
)
from gossamer.core.index.letters import APOSTROPHES, INVISIBLE, MARKS, SINGLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

VERSION: Final = 3
MAX_TERM: Final = 64  # characters; what is longer is data, not language
_MAX_WORD: Final = 4 * MAX_TERM  # of a word as written, with its accents and joiners
# Letters at the end of an English stem that its words need not have: "di|e" of dying, "a|ble" of
# ability. What comes before begins every word with that stem. (Not so in Arabic or Irish.)
REPLACED: Final = 2
MAX_CACHED: Final = 100_000  # words, about 15 MB; the common ones are back after one page
_SIGNS: Final = str.maketrans(dict.fromkeys(INVISIBLE, "") | dict.fromkeys(APOSTROPHES, "'"))
_LETTERS: Final = str.maketrans(
    {"æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "œ": "oe"}
)
# Combining classes of accents and of vowel points that are optional in writing. Others, as the
# vowels of Indic scripts and the voicing of kana, are letters to those who write them.
_POINTS: Final = range(10, 37)
_ACCENTS: Final = range(200, 241)
# Letters that Arabic and Persian write in several ways, and digits of other scripts; in Persian the
# stemmer knows its own yeh and kaf. Tatweel only stretches a word.
_TATWEEL: Final = "\u0640"
_ARABIC: Final = str.maketrans(
    {"ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ہ": "ه", "ە": "ه"}
)
_PERSIAN: Final = str.maketrans({"ي": "ی", "ى": "ی", "ك": "ک"})
TURKISH: Final = str.maketrans({"I": "ı", "İ": "i"})


class Vocabulary(dict[str, str]):
    """The terms of words as they are written, remembered by all analyzers of one description."""

    def __init__(
        self, language: str, stem: bool, stop_words: bool, smallest: int, version: int
    ) -> None:
        super().__init__()
        language = re.split("[-_]", default_of(language.lower()))[0]
        language = SAME_LANGUAGE.get(language, language)
        self._stem = _stemmer(language, version) if stem else None
        self._is_single = is_character if version > 2 else re.compile(f"[{SINGLES}]").match
        self._smallest = smallest
        # Other stemmers than the English one know endings by their accents.
        self._is_english = language == "en"
        self.accents_first = self._is_english or self._stem is None
        self._enclitics = frozenset(ENCLITICS.get(language, ANY_ENCLITIC).split())
        self._elisions = frozenset(ELISIONS.get(language, ANY_ELISION).split())
        self._has_old_folding = version < VERSION
        self._language = language
        self.folded: dict[str, str] = {}
        words = STOP_WORDS.get(language, "").split() if stop_words else ()
        self._stop_words = frozenset([self.fold(word) for word in words])

    def __missing__(self, word: str) -> str:
        term = self._term(word)
        if len(word) <= MAX_TERM:
            if len(self) >= MAX_CACHED:
                self.clear()
            self[word] = term
        return term

    def beginnings(self, terms: AbstractSet[str], prefixes: tuple[str, ...]) -> tuple[str, ...]:
        """How every plain word begins that is wanted; nothing if that is not known."""
        if self._stem is None:
            return (*terms, *prefixes)
        if not self._is_english:
            return ()
        return (*[term[: max(1, len(term) - REPLACED)] for term in terms], *prefixes)

    def wanted(
        self, words: list[str], terms: AbstractSet[str], prefixes: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Those of some words that are wanted, each with the space behind it."""
        if not prefixes and terms.isdisjoint(map(self.__getitem__, words)):
            return ()  # most texts; no loop of ours
        return tuple(
            [
                f"{word} "
                for word in set(words)
                if self[word] in terms or (prefixes and self.begins(word, prefixes))
            ]
        )

    def begins(self, word: str, prefixes: tuple[str, ...]) -> bool:
        """Whether a word that is no stop word, folded, begins so."""
        return bool(self[word]) and self.fold(word).startswith(prefixes)

    def fold(self, word: str) -> str:
        """A word as it is compared by its beginning."""
        folded = self.folded.get(word)
        if folded is None:
            folded = self._bare(self._plain(word))[:MAX_TERM]
            if len(word) <= MAX_TERM:
                if len(self.folded) >= MAX_CACHED:
                    self.folded.clear()
                self.folded[word] = folded
        return folded

    def fold_all(self, words: Iterable[str]) -> list[str]:
        """The same of many words, most of which were folded before."""
        known = self.folded
        return [known[word] if word in known else self.fold(word) for word in words]

    def _term(self, word: str) -> str:
        bare = self.fold(word)
        if bare in self._stop_words or (len(bare) < self._smallest and not self._is_single(bare)):
            return ""
        if self._stem is None:
            return bare
        if self.accents_first:
            return self._stem(bare) or bare
        return self._bare(self._stem(self._plain(word)[:MAX_TERM])) or bare

    def _bare(self, word: str) -> str:
        if self._has_old_folding or word.isascii():
            return _bare(word)
        bare = _bare(word).translate(_ARABIC)
        return "".join([str(unicodedata.decimal(c, c)) for c in bare])

    def _small(self, word: str) -> str:
        if self._has_old_folding:
            return word.lower() if word.isascii() else _compatible(word)
        if self._language == "tr":
            word = word.translate(TURKISH)
        if word.isascii():
            return word.lower()
        plain = _compatible(word).replace(_TATWEEL, "") or word
        return plain.translate(_PERSIAN) if self._language == "fa" else plain

    def _plain(self, word: str) -> str:
        """In small letters of the usual kind, freed of what melted with it."""
        word = word[:_MAX_WORD]
        plain = self._small(word)
        if "'" not in plain:
            return plain
        plain = plain.strip("'")
        before, _, enclitic = plain.rpartition("'")
        if before and enclitic in self._enclitics:
            plain = before
        elided, _, behind = plain.partition("'")
        if behind and elided in self._elisions:
            plain = behind
        return plain.replace("'", "")


@lru_cache(maxsize=64)
def vocabulary_of(
    language: str, stem: bool, stop_words: bool, smallest: int = 1, version: int = VERSION
) -> Vocabulary:
    """The terms of all analyzers of one description."""
    return Vocabulary(language, stem, stop_words, smallest, version)


def _stemmer(language: str, version: int) -> Callable[[str], str] | None:
    if language not in STEMMERS or (version < VERSION and language in NEW_STEMMERS):
        return None
    stem: Callable[[str], str] = Stemmer.Stemmer(STEMMERS[language], 0).stemWord
    return stem


def _compatible(word: str) -> str:
    """Full-width, ligature and styled letters as usual ones; small; invisible characters gone."""
    folded = unicodedata.normalize("NFKC", word).casefold()
    folded = unicodedata.normalize("NFKC", folded).translate(_SIGNS)
    return "".join([c for c in folded if c.isalnum() or c in _JOINED]) or word


def _bare(word: str) -> str:
    """Without accents and vowel points."""
    if word.isascii():
        return word
    letters = [c for c in unicodedata.normalize("NFKD", word) if not _is_accent(c)]
    return unicodedata.normalize("NFKC", "".join(letters).translate(_LETTERS)) or word


def _is_accent(character: str) -> bool:
    combining = unicodedata.combining(character)
    return combining in _POINTS or combining in _ACCENTS


_JOINED: Final = frozenset(MARKS + "'")
