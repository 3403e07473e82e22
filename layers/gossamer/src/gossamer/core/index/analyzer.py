"""The analyzer: it turns a text into terms.

A word is a run of letters, digits and the marks that belong to them. Apostrophes join (don't,
O'Reilly); hyphens, underscores and all other signs part. Scripts that are written without spaces
(Han, kana, Thai, Lao, Khmer, Burmese) and Hangul give one word per character, so that every part of
a sentence can be found; two that stand side by side are also a term (`character_pairs`). What signs
join is also a term as it is written (`joined_words`).

Every word has a position, also one without a term: a stop word is a gap. Pages and queries go
through the same analyzer, whose description is kept with the collection.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import numpy as np

from gossamer.core.errors import ConfigurationError
from gossamer.core.index import character_pairs
from gossamer.core.index.character_pairs import CHARACTER, is_character, paired
from gossamer.core.index.found_words import AnyWords, PlainWords, padded
from gossamer.core.index.languages import analysed_as, default_of, is_auto
from gossamer.core.index.letters import (
    MARK,
    RUN,
    SINGLES,
    plainer,
)
from gossamer.core.index.vocabulary import VERSION, Vocabulary, vocabulary_of
from gossamer.core.index.word_numbers import number_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from gossamer.core.index.word_numbers import Numbered

_KNOWN: Final = (1, 2, VERSION)  # the first knew no joined words, the second no pairs
_PIECE: Final = 1_000  # characters


@cache
def _word_pattern(has_pairs: bool) -> re.Pattern[str]:
    """Most words by far; any word; a character of a script without spaces."""
    run, character = RUN, rf"(?=\w)[{SINGLES}]{MARK}*+"
    if has_pairs:
        run, character = character_pairs.RUN, CHARACTER
    plain = r"[a-zA-Z0-9]++(?:'[a-zA-Z0-9]++)*+(?![^\x00-\x7f]|'[^\W_])"
    return re.compile(f"{plain}|{run}|{character}")


# Signs as spaces. Bytes are translated in a tenth of the time that a string takes.
_SPACED: Final = bytes(
    [code if chr(code).isalnum() or code == ord("'") else ord(" ") for code in range(128)]
).ljust(256)
_SMALL: Final = _SPACED.lower()

# Where a text may be cut: behind a space, before a character of Chinese and Japanese.
_find_cut = re.compile(r"\s|(?=[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff])").search


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

    @cached_property
    def is_auto(self) -> bool:
        """Whether each document is analysed by its own language."""
        return is_auto(self.language)

    def of_language(self, language: str) -> Analyzer:
        """The analyzer of documents in a language: this one, unless each has its own."""
        return _of_language(self, language) if self.is_auto else self

    def by_rules_of(self, language: str) -> Analyzer:
        """The same analyzer by the rules of a language, "" for none."""
        return _by_rules_of(self, language)

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
        find = self._pattern.findall
        return [
            word
            for _, piece in _pieces(text)
            for word in (_plain_words(_spaced(piece)) if piece.isascii() else find(piece))
        ]

    def numbered(self, texts: Sequence[str]) -> Numbered:
        """The words of each text, as numbers: for many texts this is several times as fast.

        The texts went through `plainer`.
        """
        if all(map(str.isascii, texts)):
            return number_plain(texts)
        cut = [[text] if text.isascii() else _in_pieces(text) for text in texts]
        pieces = [piece for each in cut for piece in each]
        is_plain = np.array([piece.isascii() for piece in pieces], np.bool_)
        found = number_plain([piece for piece in pieces if piece.isascii()])
        others = [self._pattern.findall(piece) for piece in pieces if not piece.isascii()]
        return found.beside(is_plain, others).joined(list(map(len, cut)))

    def find(
        self,
        text: str,
        terms: AbstractSet[str],
        prefixes: tuple[str, ...] = (),
        *,
        counted: bool = True,
    ) -> Iterator[Token]:
        """The tokens of these terms, and of words that, folded, begin so.

        Reads no further than asked, and is fast where they are few. If words need not be `counted`,
        which takes a third of the time, positions mean nothing.
        """
        vocabulary = self._vocabulary
        terms = terms - {""}
        beginnings = vocabulary.beginnings(terms, prefixes)
        position, pairs = 0, _PairFinder(terms if self.has_pairs else ())
        counted = counted or pairs.are_wanted  # neighbours are known by their positions
        for at, piece in _pieces(text):
            piece = plainer(piece)
            if piece.isascii():
                spaced = _spaced(piece, _SMALL)
                known = beginnings or vocabulary.wanted(_plain_words(spaced), terms, prefixes)
                found: PlainWords | AnyWords = PlainWords(spaced, known)
            else:
                found = AnyWords(self._pattern, piece)
            for begin, word in found.words():
                term = vocabulary[word]
                is_wanted = term in terms or bool(prefixes and vocabulary.begins(word, prefixes))
                if is_wanted or pairs.may_have(term):
                    start, end = found.span(begin, word)
                    place = position + found.number(begin) if counted else 0
                    yield from pairs.beside(Token(term, place, at + start, at + end), is_wanted)
            if counted:
                position += found.count()

    def terms_of(self, words: Iterable[str]) -> list[str]:
        """The term of each word, as `words` cuts them; "" for a stop word."""
        return list(map(self._vocabulary.__getitem__, words))

    def asked(self, words: Sequence[str]) -> tuple[str, ...]:
        """What words that stand side by side are looked up by; "" is a gap."""
        terms = self.terms_of(words)
        return paired(terms) if self.has_pairs else tuple(terms)

    def folded(self, words: Iterable[str]) -> list[str]:
        """Each word as `fold` has it."""
        return self._vocabulary.fold_all(words)

    def term(self, word: str) -> str:
        """The term of one word; "" for a stop word and for what is no word.

        Of several words, as in "well-known", the first counts.
        """
        known = self._vocabulary.get(word)
        if known is None:
            first = self._first_word(word)
            return self._vocabulary[first] if first else ""
        return known

    def fold(self, word: str) -> str:
        """A word as it is compared by its beginning: no accents and capitals, but its ending."""
        known = self._vocabulary.folded.get(word)
        if known is None:
            first = self._first_word(word)
            return self._vocabulary.fold(first) if first else ""
        return known

    @property
    def knows_accents(self) -> bool:
        """Whether the accents of a word may decide how it is stemmed."""
        return not self._vocabulary.accents_first

    @property
    def has_joined(self) -> bool:
        """Whether words that are joined by signs are terms as they are written."""
        return self.version > 1

    @property
    def has_pairs(self) -> bool:
        """Whether characters of scripts without spaces are also terms in pairs."""
        return self.version > 2

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

    def _first_word(self, text: str) -> str:
        if text.isascii() and text.isalnum():
            return text
        found = self._pattern.search(text)
        return found[0] if found else ""

    @property
    def _pattern(self) -> re.Pattern[str]:
        return _word_pattern(self.has_pairs)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return vocabulary_of(
            self.language, self.stem, self.stop_words, self.smallest_word, self.version
        )


_FIELDS: Final = tuple(Analyzer.__dataclass_fields__)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """A text in pieces that part no word, and where they begin.

    Most pieces of most texts are plain, and those are read faster.
    """
    at = 0
    while at < len(text):
        space = _find_cut(text, at + _PIECE)
        end = space.end() if space else len(text)
        yield at, text[at:end]
        at = end


def _in_pieces(text: str) -> list[str]:
    return [piece for _, piece in _pieces(text)]


def _plain_words(spaced: str) -> list[str]:
    return padded(spaced).split()


def _spaced(text: str, table: bytes = _SPACED) -> str:
    """Plain text with spaces in place of all signs but single apostrophes."""
    return text.encode("ascii").translate(table).decode("ascii").replace("''", "  ")


class _PairFinder:
    """Finds wanted pairs of characters among words that come one after the other."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = frozenset([term for term in terms if is_character(term)])
        self.are_wanted = bool(self._terms)
        self._last: Token | None = None  # the one before

    def may_have(self, term: str) -> bool:
        """Whether a term may be in a wanted pair."""
        return self.are_wanted and is_character(term) is not None

    def beside(self, token: Token, is_wanted: bool) -> Iterator[Token]:
        """The wanted pair that ends with a token, and the token itself if it is wanted."""
        last, self._last = self._last, token
        if last is not None and last.position + 1 == token.position:
            pair = last.term + token.term
            if pair in self._terms:
                yield Token(pair, last.position, last.start, token.end)
        if is_wanted:
            yield token


@lru_cache(maxsize=256)
def _of_language(analyzer: Analyzer, language: str) -> Analyzer:
    return analyzer.by_rules_of(analysed_as(language, default_of(analyzer.language)))


@lru_cache(maxsize=256)
def _by_rules_of(analyzer: Analyzer, language: str) -> Analyzer:
    return replace(analyzer, language=language)
