"""Read what people type: which of its signs are operators, and which are just text.

Ordinary text has quotes, parentheses, dashes and exclamation marks, too, and a command line has
options. So only what is unmistakably an operator makes a query boolean (docs/query.md).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.errors import QueryError
from gossamer.core.index.character_pairs import CHARACTERS
from gossamer.core.search.lexemes import (
    OPERATORS,
    QUOTES,
    SIGNS,
    Lexeme,
    LexemeKind,
    field_name,
    has_word,
    phrase_lexeme,
    sign_lexeme,
    similar_to,
    value_lexeme,
    word_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.search.lexemes import FieldNames

MIN_SIGNED_LETTERS: Final = 4  # of a word behind "-" or "+": rm -rf and tar -xzf are text
MAX_EDITS: Final = 2

_begins_operand = re.compile(rf"[^\W_]|[({QUOTES}]").match
_is_long_word = re.compile(rf"[^\W\d_]{{{MIN_SIGNED_LETTERS}}}").match
# An inch sign: a quote behind a letter or a digit opens nothing, but in scripts without spaces.
_is_attached = re.compile(rf"(?![{CHARACTERS}])[^\W_]").match
_STRAIGHT: Final = '"\uff02'
_BINARY: Final = (LexemeKind.AND, LexemeKind.OR)


class TypedText(NamedTuple):
    """The lexemes of a typed query."""

    lexemes: list[Lexeme]
    is_exact: bool  # whether it has an operator, or is one phrase as a whole
    notes: tuple[str, ...] = ()

    def operands(self) -> list[Lexeme]:
        """Return the words and phrases, in order."""
        return [lexeme for lexeme in self.lexemes if lexeme.kind in _OPERANDS]


_OPERANDS: Final = (
    LexemeKind.WORD,
    LexemeKind.PREFIX,
    LexemeKind.SIMILAR,
    LexemeKind.PHRASE,
)


def read_typed(text: str, fields: FieldNames) -> TypedText:
    """Return the lexemes of a typed query, and whether some of them are operators."""
    reader = _Reader(text, fields)
    lexemes = list(reader.lexemes())
    return TypedText(lexemes, reader.has_operator or _is_whole(lexemes, text), tuple(reader.notes))


def _is_whole(lexemes: list[Lexeme], text: str) -> bool:
    """Whether a query is one phrase, or a star, and nothing else."""
    if len(lexemes) != 1 or lexemes[0].kind not in (LexemeKind.PHRASE, LexemeKind.ALL):
        return False
    return lexemes[0].end - lexemes[0].start == len(text.strip())


class _Reader:
    def __init__(self, text: str, fields: FieldNames) -> None:
        self._text, self._fields = text, fields
        self.has_operator = False
        self.notes: list[str] = []

    def lexemes(self) -> Iterator[Lexeme]:
        at, field = 0, ""  # the field whose value begins here
        while at < len(self._text):
            if self._text[at].isspace():
                at, field = at + 1, ""
                continue
            value = value_lexeme(self._text, at, self._fields, field) if field else None
            lexeme = value or self._lexeme(at)
            at = lexeme.end
            field = lexeme.text if lexeme.kind is LexemeKind.FIELD else ""
            if lexeme.kind is not LexemeKind.WORD or has_word(lexeme.text):
                yield lexeme

    def _lexeme(self, at: int) -> Lexeme:
        sign = self._text[at]
        if sign in SIGNS:
            lexeme = sign_lexeme(self._text, at)
            self.has_operator |= lexeme.kind in _BINARY
            return lexeme
        if sign in "!-+":
            return self._signed(at)
        if sign in QUOTES:
            return self._phrase(at)
        return self._word(at)

    def _signed(self, at: int) -> Lexeme:
        """Return a NOT, a "+", which asks for no more than a blank does, or a word with a sign."""
        sign = self._text[at]
        is_operator = self._negates(at) if sign == "!" else self._is_operand(at + 1)
        if not is_operator or (sign != "!" and not self._is_behind_blank(at)):
            return self._word(at)
        # A group is negated only where something else makes the query boolean: f(a) -(b) is text.
        self.has_operator |= not self._text.startswith("(", at + 1)
        if sign == "+":
            return Lexeme(LexemeKind.WORD, "", at, at + 1)
        return Lexeme(LexemeKind.NOT, sign, at, at + 1)

    def _is_behind_blank(self, at: int) -> bool:
        """Whether a blank stands before a place, or one and a parenthesis."""
        before = self._text[:at].removesuffix("(")
        return not before or before[-1].isspace()

    def _negates(self, at: int) -> bool:
        is_behind = at and _is_attached(self._text, at - 1) is not None
        return not is_behind and _begins_operand(self._text, at + 1) is not None

    def _is_operand(self, at: int) -> bool:
        """Whether a word of some letters, a field, a phrase or a group begins here."""
        following = self._text[at : at + 1]
        if following in QUOTES and following:
            return self._phrase(at).kind is LexemeKind.PHRASE
        is_word = _is_long_word(self._text, at) is not None
        return following == "(" or is_word or bool(self._field_at(at))

    def _phrase(self, at: int) -> Lexeme:
        sign = self._text[at]
        if sign not in _STRAIGHT or not at or not _is_attached(self._text, at - 1):
            try:
                return phrase_lexeme(self._text, at)
            except QueryError:
                pass
        return Lexeme(LexemeKind.WORD, sign, at, at + 1)

    def _field_at(self, at: int) -> str:
        """Return the name of the known field that has a value here, or ""."""
        if at >= len(self._text) or not self._text[at].isalpha():
            return ""
        name = field_name(word_at(self._text, at), self._fields)
        value = self._text[at + len(name) + 1 : at + len(name) + 2]
        return name if name and value and not value.isspace() and value not in ")|&" else ""

    def _word(self, at: int) -> Lexeme:
        word = word_at(self._text, at)
        end = at + len(word)
        if word in OPERATORS:
            self.has_operator = True
            return Lexeme(OPERATORS[word], word, at, end)
        if word == "*":
            return Lexeme(LexemeKind.ALL, word, at, end)
        if field := self._field_at(at):
            self.has_operator = True
            return Lexeme(LexemeKind.FIELD, field, at, at + len(field) + 1)
        return self._open_word(word, at)

    def _open_word(self, word: str, at: int) -> Lexeme:
        """Return a word; with a star or a tilde behind it, it stands for several."""
        end, beginning = at + len(word), word.rstrip("*")
        if not word[0].isalnum():
            return Lexeme(LexemeKind.WORD, word, at, end)
        if beginning != word:
            return Lexeme(LexemeKind.PREFIX, beginning, at, end)
        match = similar_to(word)
        if match and match[2] in ("", "1", "2"):
            return Lexeme(LexemeKind.SIMILAR, word, at, end)
        if match and match[2]:
            self.notes.append(
                f'"{word}" was searched as text: behind "~" stands how many letters may differ,'
                f" 1 to {MAX_EDITS}"
            )
        return Lexeme(LexemeKind.WORD, word, at, end)
