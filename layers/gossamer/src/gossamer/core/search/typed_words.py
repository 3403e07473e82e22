"""The words of a query that may be misspelt, and where they stand in it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.errors import QueryError
from gossamer.core.index.joined_words import joined_words
from gossamer.core.search.lexemes import FieldNames, Lexeme, LexemeKind, lexemes
from gossamer.core.search.plan import TITLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gossamer.core.index.analyzer import Analyzer


class TypedWord(NamedTuple):
    """A word of a query."""

    text: str  # as typed
    word: str  # as the index has words that are written so
    term: str
    start: int


def typed_words(text: str, analyzer: Analyzer, declared: Mapping[str, str]) -> list[TypedWord]:
    """The words that a page should have, but for common ones and those that signs join.

    `declared`: the fields that the collection declares. What is excluded or the value of a filter
    is left out.
    """
    found = (_word(*piece, analyzer) for piece in _pieces(text, declared))
    return [each for each in found if each is not None]


def replaced(text: str, words: Sequence[tuple[TypedWord, str]]) -> str:
    """A query with other words in place of some."""
    for typed, other in sorted(words, key=lambda pair: -pair[0].start):
        text = text[: typed.start] + other + text[typed.start + len(typed.text) :]
    return text


def _word(piece: str, start: int, analyzer: Analyzer) -> TypedWord | None:
    words = [] if any(joined_words(piece)) else analyzer.words(piece)
    at = piece.find(words[0]) if len(words) == 1 else -1
    if at < 0 or not analyzer.term(words[0]):
        return None
    return TypedWord(words[0], analyzer.fold(words[0]), analyzer.term(words[0]), start + at)


def _pieces(text: str, declared: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """What stands between spaces, with its place."""
    try:
        known = list(lexemes(text, FieldNames(declared)))
    except QueryError:  # it was searched as plain words
        known = [Lexeme(LexemeKind.PHRASE, text, -1, len(text))]
    for lexeme in _wanted(known):
        is_phrase = lexeme.kind is LexemeKind.PHRASE
        at = lexeme.start + is_phrase  # behind the quote
        for piece in lexeme.text.split():
            at = text.index(piece, at)
            yield piece, at
            at += len(piece)


def _wanted(known: Sequence[Lexeme]) -> Iterator[Lexeme]:
    """Words and phrases but for those of filters and behind a NOT, with all in its parentheses."""
    depth, skipped = 0, -1  # parentheses, and how many there were where the skipped ones began
    for before, lexeme in pairwise([Lexeme(LexemeKind.AND, "", -1, -1), *known]):
        if lexeme.kind is LexemeKind.OPEN:
            if skipped < 0 and _skips(before, lexeme):
                skipped = depth
            depth += 1
        elif lexeme.kind is LexemeKind.CLOSE:
            depth -= 1
            skipped = -1 if depth <= skipped else skipped
        elif skipped < 0 and not _skips(before, lexeme) and lexeme.kind in _OF_WORDS:
            yield lexeme


_OF_WORDS = (LexemeKind.WORD, LexemeKind.PHRASE)


def _skips(before: Lexeme, lexeme: Lexeme) -> bool:
    is_value = before.kind is LexemeKind.FIELD and before.end == lexeme.start
    return before.kind is LexemeKind.NOT or (is_value and before.text != TITLE)
