"""The analyzer: it turns a text into terms.

A word is a run of letters, digits and the marks that belong to them. Apostrophes join (don't,
O'Reilly); hyphens, underscores and all other signs part. Scripts that are written without spaces
(Han, kana, Thai, Lao, Khmer, Burmese) give one word per character, so that every part of a sentence
can be found as a phrase. What signs join is also a term as it is written (`joined_words`).

Every word has a position, also one without a term: a stop word is a gap. Pages and queries go
through the same analyzer, whose description is kept with the collection.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import Stemmer

from gossamer.core.errors import ConfigurationError
from gossamer.core.index.languages import (
    ANY_ELISION,
    ANY_ENCLITIC,
    ELISIONS,
    ENCLITICS,
    SAME_LANGUAGE,
    STEMMERS,
    STOP_WORDS,
)
from gossamer.core.index.letters import (
    APOSTROPHES,
    INVISIBLE,
    MARK,
    MARKS,
    RUN,
    SINGLES,
    is_single,
    plainer,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

VERSION: Final = 2
_KNOWN: Final = (1, VERSION)  # the first one knew no joined words
MAX_TERM: Final = 64  # characters; what is longer is data, not language
_MAX_WORD: Final = 4 * MAX_TERM  # of a word as written, with its accents and joiners
_PIECE: Final = 1_000  # characters
MAX_CACHED: Final = 100_000  # words, about 15 MB; the common ones are back after one page


_WORD: Final = re.compile(
    # Most words by far; any word; a character of a script without spaces.
    r"[a-zA-Z0-9]++(?:'[a-zA-Z0-9]++)*+(?![^\x00-\x7f]|'[^\W_])"
    rf"|{RUN}"
    rf"|(?=\w)[{SINGLES}]{MARK}*+"
)
_ASCII: Final = str.maketrans(
    {chr(code): " " for code in range(128) if not chr(code).isalnum() and code != ord("'")}
)
_TEXT_END: Final = "\x03"  # as ASCII has it; stands between texts that are read together
_SEVERAL: Final = {code: sign for code, sign in _ASCII.items() if code != ord(_TEXT_END)}

_find_space = re.compile(r"\s").search

_SIGNS: Final = str.maketrans(dict.fromkeys(INVISIBLE, "") | dict.fromkeys(APOSTROPHES, "'"))
_LETTERS: Final = str.maketrans(
    {"æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "œ": "oe"}
)
# Combining classes of accents and of vowel points that are optional in writing. Others, as the
# vowels of Indic scripts and the voicing of kana, are letters to those who write them.
_POINTS: Final = range(10, 37)
_ACCENTS: Final = range(200, 241)


class Token(NamedTuple):
    """A term where it stands: which word of the text it is, and its characters."""

    term: str
    position: int
    start: int
    end: int


@dataclass(frozen=True)
class Analyzer:
    """Turns text into terms. An unknown language has no stop words and keeps its endings."""

    language: str = "en"
    stem: bool = True
    stop_words: bool = True
    smallest_word: int = 1  # characters; a shorter one is a gap, as a stop word is
    version: int = VERSION

    def terms(self, text: str) -> list[str]:
        """The term at each position; "" for a stop word."""
        return self.terms_of(self.words(text))

    def words(self, text: str) -> list[str]:
        """The words of a text as they are written, one per position.

        Those of plain text may keep apostrophes around them.
        """
        text = plainer(text)
        if text.isascii():
            return _plain_words(_spaced(text))
        return [
            word
            for _, piece in _pieces(text)
            for word in (_plain_words(_spaced(piece)) if piece.isascii() else _WORD.findall(piece))
        ]

    def words_of_each(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """The words of each text; many short texts are read together, which is faster."""
        plain: list[str] = []
        for text in texts:
            text = plainer(text)
            if text.isascii() and _TEXT_END not in text:
                plain.append(text)
            else:
                yield from _words_of_plain(plain)
                plain = []
                yield self.words(text)
        yield from _words_of_plain(plain)

    def find(
        self, text: str, terms: AbstractSet[str], prefixes: tuple[str, ...] = ()
    ) -> Iterator[Token]:
        """The tokens of these terms, and of words that, folded, begin so.

        Reads no further than asked, and is fast where they are few.
        """
        vocabulary = self._vocabulary
        terms = terms - {""}
        position = 0
        for at, piece in _pieces(plainer(text)):
            spaced = _spaced(piece) if piece.isascii() else ""
            words = _plain_words(spaced) if spaced else _WORD.findall(piece)
            if places := vocabulary.places(words, terms, prefixes):
                found = _in_plain(spaced, words, places) if spaced else _in_any(piece, places)
                for place, start, end in found:
                    term = vocabulary[words[place]]
                    yield Token(term, position + place, at + start, at + end)
            position += len(words)

    def terms_of(self, words: Iterable[str]) -> list[str]:
        """The term of each word, as `words` cuts them; "" for a stop word."""
        return list(map(self._vocabulary.__getitem__, words))

    def folded(self, words: Iterable[str]) -> list[str]:
        """Each word as `fold` has it."""
        return list(map(self._vocabulary.fold, words))

    def term(self, word: str) -> str:
        """The term of one word; "" for a stop word and for what is no word.

        Of several words, as in "well-known", the first counts.
        """
        known = self._vocabulary.get(word)
        if known is None:
            first = _first_word(word)
            return self._vocabulary[first] if first else ""
        return known

    def fold(self, word: str) -> str:
        """A word as it is compared by its beginning: no accents and capitals, but its ending."""
        known = self._vocabulary.folded.get(word)
        if known is None:
            first = _first_word(word)
            return self._vocabulary.fold(first) if first else ""
        return known

    @property
    def has_joined(self) -> bool:
        """Whether words that are joined by signs are terms as they are written."""
        return self.version > 1

    def describe(self) -> dict[str, str | int | bool]:
        """What is kept with a collection, so that its queries are read as its pages were."""
        return asdict(self)

    @classmethod
    def from_description(cls, description: Mapping[str, str | int | bool]) -> Analyzer:
        """The analyzer of an existing collection."""
        version = description.get("version", VERSION)
        if version not in _KNOWN:
            raise ConfigurationError(
                f"the collection was analysed by version {version}, this program has {VERSION}: "
                "index it again by `gossamer reindex`"
            )
        known = {name: description[name] for name in _FIELDS if name in description}
        return msgspec.convert(known, cls)

    @cached_property
    def _vocabulary(self) -> _Vocabulary:
        return _vocabulary(self.language, self.stem, self.stop_words, self.smallest_word)


_FIELDS: Final = tuple(Analyzer.__dataclass_fields__)


def _first_word(text: str) -> str:
    if text.isascii() and text.isalnum():
        return text
    found = _WORD.search(text)
    return found[0] if found else ""


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """A text in pieces that part no word, and where they begin.

    Most pieces of most texts are plain, and those are read faster.
    """
    at = 0
    while at < len(text):
        space = _find_space(text, at + _PIECE)
        end = space.end() if space else len(text)
        yield at, text[at:end]
        at = end


def _words_of_plain(texts: list[str]) -> Iterator[list[str]]:
    """The words of each of some plain texts, cut at a mark that is no part of any of them."""
    words = _plain_words(_spaced(f" {_TEXT_END} ".join([*texts, ""]), _SEVERAL))
    begin = 0
    for _ in texts:
        end = words.index(_TEXT_END, begin)
        yield words[begin:end]
        begin = end + 1


def _plain_words(spaced: str) -> list[str]:
    if "'" in spaced:  # one that stands alone is no word; of a row of them every other is met
        spaced = f" {spaced} ".replace(" ' ", "   ").replace(" ' ", "   ")
    return spaced.split()


def _spaced(text: str, signs: Mapping[int, str] = _ASCII) -> str:
    """Plain text with spaces in place of all signs but single apostrophes."""
    return text.translate(signs).replace("''", "  ")


def _in_any(text: str, places: list[int]) -> list[tuple[int, int, int]]:
    """The characters of some of the words of a text."""
    found = list(_WORD.finditer(text))
    return [(place, found[place].start(), found[place].end()) for place in places]


def _in_plain(spaced: str, words: list[str], places: list[int]) -> Iterator[tuple[int, int, int]]:
    """The same for a plain text with spaces in place of its signs.

    They are all the words that are spelt like one of them, so that the next one is where its
    letters are next.
    """
    spaced = f" {spaced} "
    at = 0
    for place in places:
        word = words[place]
        at = spaced.index(f" {word} ", at)
        bare = word.strip("'")
        start = at + word.index(bare)
        yield place, start, start + len(bare)
        at += 1 + len(word)


class _Vocabulary(dict[str, str]):
    """The terms of words as they are written, remembered by all analyzers of one description."""

    def __init__(self, language: str, stem: bool, stop_words: bool, smallest: int) -> None:
        super().__init__()
        language = re.split("[-_]", language.lower())[0]
        language = SAME_LANGUAGE.get(language, language)
        self._stem = _stemmer(language) if stem else None
        self._smallest = smallest
        # Other stemmers than the English one know endings by their accents.
        self._accents_first = language == "en" or self._stem is None
        self._enclitics = frozenset(ENCLITICS.get(language, ANY_ENCLITIC).split())
        self._elisions = frozenset(ELISIONS.get(language, ANY_ELISION).split())
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

    def places(
        self, words: list[str], terms: AbstractSet[str], prefixes: tuple[str, ...]
    ) -> list[int]:
        """Which of the words have one of the terms, or begin so."""
        if not prefixes:
            found: list[str | None] = list(map(self.get, words))
            if None in found:
                found = list(map(self.__getitem__, words))
            if terms.isdisjoint(found):  # most pieces of most texts; no loop of ours
                return []
            return [place for place, term in enumerate(found) if term in terms]
        wanted = {
            word
            for word in set(words)
            if self[word] and (self[word] in terms or self.fold(word).startswith(prefixes))
        }
        return [place for place, word in enumerate(words) if word in wanted]

    def fold(self, word: str) -> str:
        folded = self.folded.get(word)
        if folded is None:
            folded = _bare(self._plain(word))[:MAX_TERM]
            if len(word) <= MAX_TERM:
                if len(self.folded) >= MAX_CACHED:
                    self.folded.clear()
                self.folded[word] = folded
        return folded

    def _term(self, word: str) -> str:
        bare = self.fold(word)
        if bare in self._stop_words or (len(bare) < self._smallest and not is_single(bare)):
            return ""
        if self._stem is None:
            return bare
        if self._accents_first:
            return self._stem(bare) or bare
        return _bare(self._stem(self._plain(word)[:MAX_TERM])) or bare

    def _plain(self, word: str) -> str:
        """In small letters of the usual kind, freed of what melted with it."""
        word = word[:_MAX_WORD]
        plain = word.lower() if word.isascii() else _compatible(word)
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
def _vocabulary(language: str, stem: bool, stop_words: bool, smallest: int = 1) -> _Vocabulary:
    return _Vocabulary(language, stem, stop_words, smallest)


def _stemmer(language: str) -> Callable[[str], str] | None:
    if language not in STEMMERS:
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
