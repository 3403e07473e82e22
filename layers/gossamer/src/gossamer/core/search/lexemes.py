"""The pieces of a query: words, phrases, prefixes, fields and signs, each with its place."""

from __future__ import annotations

import re
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.errors import QueryError
from gossamer.core.index.character_pairs import CHARACTERS
from gossamer.core.search.spans import day_range, number_range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

MAX_LENGTH: Final = 1_000  # characters of a query in the exact language
MAX_TEXT: Final = 32_000  # characters of a query that is searched as text
MAX_TERMS: Final = 64
# Fields whose values are text, and those whose values are days.
FIELDS: Final = ("site", "host", "domain", "title", "url", "lang", "kind", "template")
DAYS: Final = ("date", "before", "after")

QUOTES: Final = '"“”„‟«»\uff02'
_ENDS: Final = rf"\s()|{QUOTES}"
# An address keeps its "&", and so does a word that has one between letters: AT&T, R&D.
_word_at = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.-]*://[^{_ENDS}]*|(?:[^&{_ENDS}]++|(?<=[^\W_])&(?=[^\W_]))+"
).match
_closing = re.compile(f"[{QUOTES}]").search
# A value of a column may have quotes in it: brand:"27\" screens".
_quoted_value = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL).match
_unescape = partial(re.compile(r'\\(["\\])').sub, r"\1")
_negates = re.compile(rf"-[\w.({QUOTES}]").match
_field_of = re.compile(r"([A-Za-z][A-Za-z0-9_]*):(.*)", re.DOTALL).fullmatch
# Words; of scripts without spaces, characters.
find_terms = re.compile(rf"[{CHARACTERS}]|[^\W_{CHARACTERS}]+").findall
has_word = re.compile(r"[^\W_]").search
similar_to = re.compile(r"(.*[^\W_].*)~(\d*)", re.DOTALL).fullmatch
# White space may be of any kind; other control characters and half characters mean nothing.
_find_control = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]").search
_SCHEMES: Final = frozenset(str.split("about data file mailto news tel urn view-source"))


def check(text: str, most: int = MAX_LENGTH) -> None:
    """Refuse what is too long or has control characters."""
    if len(text) > most:
        raise QueryError(
            f"a query has at most {most:,} characters; this one has {len(text):,}", most
        )
    if control := _find_control(text):
        raise QueryError("a query cannot have control characters", control.start())


class LexemeKind(Enum):
    """What a lexeme is."""

    WORD = "a word"
    PREFIX = "a prefix"
    SIMILAR = "a word with a tilde"
    PHRASE = "a phrase"
    ALL = "*"
    FIELD = "a field"
    AND = "and"
    OR = "or"
    NOT = "not"
    OPEN = "("
    CLOSE = ")"


class Lexeme(NamedTuple):
    """A piece of a query, and where it stands."""

    kind: LexemeKind
    text: str
    start: int
    end: int


SIGNS: Final = {
    "(": LexemeKind.OPEN,
    ")": LexemeKind.CLOSE,
    "&": LexemeKind.AND,
    "|": LexemeKind.OR,
}
OPERATORS: Final = {"AND": LexemeKind.AND, "OR": LexemeKind.OR, "NOT": LexemeKind.NOT}
TERMS: Final = (LexemeKind.WORD, LexemeKind.PREFIX, LexemeKind.SIMILAR, LexemeKind.PHRASE)


class FieldNames:
    """The fields that a query may name, and how their values are read."""

    def __init__(self, declared: Mapping[str, str]) -> None:
        self._declared = declared

    def all(self) -> list[str]:
        """Every name."""
        return [*FIELDS, *DAYS, *self._declared]

    def reader(self, name: str) -> Callable[[str], tuple[float, float]] | None:
        """What reads a value as a range; None for a field of text."""
        if name in DAYS or self._declared.get(name) == "day":
            return day_range
        return number_range if self._declared.get(name) in ("int", "float") else None

    def is_column(self, name: str) -> bool:
        """Whether its values are compared as they are, and not as words."""
        return (name in FIELDS and name != "title") or self._declared.get(name) == "keyword"

    def is_truth(self, name: str) -> bool:
        """Whether its values are true and false."""
        return self._declared.get(name) == "bool"


def lexemes(text: str, fields: FieldNames) -> Iterator[Lexeme]:
    """The pieces of a query, from left to right."""
    at = 0
    field = ""  # whose value begins here
    while at < len(text):
        if text[at].isspace():
            at, field = at + 1, ""
            continue
        lexeme = (field and value_lexeme(text, at, fields, field)) or _lexeme(text, at, fields)
        at = lexeme.end
        field = lexeme.text if lexeme.kind is LexemeKind.FIELD else ""
        # Signs that stand alone, as a dash, are neither searched for nor an error.
        if lexeme.kind is not LexemeKind.WORD or has_word(lexeme.text):
            yield lexeme


def value_lexeme(text: str, at: int, fields: FieldNames, field: str) -> Lexeme | None:
    """The value of a field, where it is read otherwise than other words.

    In a range "-" is a sign, and the quotes around a value of a column may have quotes inside.
    """
    if text[at] == "-" and fields.reader(field):
        return _word(text, at, fields)
    quoted = _quoted_value(text, at) if fields.is_column(field) else None
    if quoted and quoted[1].strip():
        return Lexeme(LexemeKind.PHRASE, _unescape(quoted[1]), at, quoted.end())
    return None


def _lexeme(text: str, at: int, fields: FieldNames) -> Lexeme:
    sign = text[at]
    if sign in SIGNS:
        return sign_lexeme(text, at)
    if (sign == "!" and not text.startswith("=", at + 1)) or _negates(text, at):
        return Lexeme(LexemeKind.NOT, sign, at, at + 1)
    if sign in QUOTES:
        return phrase_lexeme(text, at)
    return _word(text, at, fields)


def sign_lexeme(text: str, at: int) -> Lexeme:
    """Return a parenthesis, "|" or "&"; the last two may be doubled."""
    doubled = text[at] in "&|" and text.startswith(text[at], at + 1)
    end = at + 1 + doubled
    return Lexeme(SIGNS[text[at]], text[at:end], at, end)


def phrase_lexeme(text: str, at: int) -> Lexeme:
    """Return the phrase whose quote opens here; raise QueryError if it has no end or no words."""
    closing = _closing(text, at + 1)
    if closing is None:
        raise QueryError("this quote is never closed", at)
    phrase = text[at + 1 : closing.start()]
    if not has_word(phrase):
        raise QueryError("there are no words between the quotes", at)
    return Lexeme(LexemeKind.PHRASE, phrase, at, closing.end())


def word_at(text: str, at: int) -> str:
    """Return the word that begins here; a quote that opens nothing is one by itself."""
    match = _word_at(text, at)
    return match[0] if match else text[at]


def _word(text: str, at: int, fields: FieldNames) -> Lexeme:
    word = word_at(text, at)
    end = at + len(word)
    if word in OPERATORS:
        return Lexeme(OPERATORS[word], word, at, end)
    if word == "*":
        return Lexeme(LexemeKind.ALL, word, at, end)
    if field := _field(word, at, fields):
        return Lexeme(LexemeKind.FIELD, field, at, at + len(field) + 1)
    beginning = word.rstrip("*")
    if beginning != word and has_word(beginning):
        return Lexeme(LexemeKind.PREFIX, beginning, at, end)
    if found := similar_to(word):
        if found[2] not in ("", "1", "2"):
            raise QueryError('behind "~" stands how many letters may differ: 1 or 2', at)
        return Lexeme(LexemeKind.SIMILAR, word, at, end)
    return Lexeme(LexemeKind.WORD, word, at, end)


def _field(word: str, at: int, fields: FieldNames) -> str:
    """The name of the field that a word begins with, "" if it is just a word with a colon."""
    name = unknown_field(word, fields)
    if not name:
        return field_name(word, fields)
    raise QueryError(
        f'there is no field "{name}", only {", ".join(fields.all())}; quotes make "{name}:…" text',
        at,
    )


def field_name(word: str, fields: FieldNames) -> str:
    """Return the known field that a word begins with, or ""."""
    name = word.partition(":")[0].lower() if ":" in word else ""
    return name if name in fields.all() else ""


def unknown_field(word: str, fields: FieldNames) -> str:
    """Return the name before a colon that is likely meant for a field that is not there, or ""."""
    match = _field_of(word) if ":" in word else None
    name, value = match.groups() if match else ("", "")
    is_other = name.lower() in fields.all() or name.lower() in _SCHEMES
    if is_other or not has_word(value) or value[0] in "/\\:" or value[0].isdigit():
        return ""
    return name


def check_terms(lexemes: Iterable[Lexeme]) -> None:
    """Refuse more words than a query may have."""
    terms = 0
    for lexeme in lexemes:
        if lexeme.kind in TERMS:
            terms += len(find_terms(lexeme.text))
        if terms > MAX_TERMS:
            raise QueryError(f"a query has at most {MAX_TERMS} words", lexeme.start)
