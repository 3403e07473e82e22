"""The query language: its grammar and its parser.

    query    = or
    or       = and { ("|" | "OR") and }
    and      = not { [ "&" | "AND" ] not }
    not      = ("!" | "NOT" | "-") not | operand
    operand  = "(" or ")" | field ":" value | value | "*"
    value    = word | word "*" | '"' words '"'           a field also takes "(" or ")"
    span     = low ".." high | low ".." | ".." high | "<" high | ">" low | "<=" | ">=" | value

A field of days or numbers (date, before, after, and columns that the collection declares) takes a
span. A day may be a year or a month: date:2024 is all of it, date:2024-05..2024-07 three months.

Plain words are a ranked query: any of them, more is better. Everything else makes it boolean. "-"
negates only in front of an operand, "!" too; AND, OR and NOT are operators only in capitals. Words
are kept as typed: what they mean is the analyzer's business, so "well-known" is one word here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, NoReturn, TypeAlias

from gossamer.core.errors import QueryError
from gossamer.core.search.spans import day_range, number_range, span_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

MAX_LENGTH: Final = 1_000  # characters
MAX_TERMS: Final = 64
MAX_DEPTH: Final = 32  # parentheses, negations and fields inside each other
FIELDS: Final = ("site", "title", "url", "lang", "kind")  # whose values are text
DAYS: Final = ("date", "before", "after")  # whose values are days

Mode: TypeAlias = Literal["ranked", "boolean"]


@dataclass(frozen=True, slots=True)
class Word:
    """Documents with a word."""

    text: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """Documents with a word that begins so."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Documents with these words in sequence."""

    text: str


@dataclass(frozen=True, slots=True)
class All:
    """All documents."""


@dataclass(frozen=True, slots=True)
class Span:
    """Documents whose day or number is in a range, both ends included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Field:
    """Documents where a part of them matches: one of `FIELDS`, `DAYS` or a declared column."""

    name: str
    node: Node


@dataclass(frozen=True, slots=True)
class And:
    """Documents that match all parts, of which there are at least two."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Documents that match any part, of which there are at least two."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Documents that do not match."""

    part: Node


Node: TypeAlias = Word | Prefix | Phrase | All | Span | Field | And | Or | Not


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was understood."""

    node: Node
    mode: Mode
    text: str  # as typed


def parse_query(text: str, columns: Mapping[str, str] = {}) -> Query:
    """Reads a query; raises QueryError, which says where, for one that cannot be read.

    `columns`: the fields that the collection declares, with the types of their values.
    """
    _check(text)
    fields = _Fields(columns)
    lexemes = list(_lexemes(text, fields))
    if not lexemes:
        raise QueryError("type something to search for", 0)
    _check_terms(lexemes)
    if all(lexeme.kind is _Kind.WORD for lexeme in lexemes):
        return Query(_joined(Or, [Word(lexeme.text) for lexeme in lexemes]), "ranked", text)
    return Query(_Parser(lexemes, fields).parse(), "boolean", text)


def _joined(kind: type[And | Or], parts: Sequence[Node]) -> Node:
    """Parts of one kind in one row: (a & b) & c is a & b & c."""
    row: list[Node] = []
    for part in parts:
        row.extend(part.parts if isinstance(part, And | Or) and type(part) is kind else [part])
    return row[0] if len(row) == 1 else kind(tuple(row))


_QUOTES: Final = '"“”„‟«»\uff02'
_ENDS: Final = rf"\s()|{_QUOTES}"
# An address keeps its "&".
_word_at = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*://[^{_ENDS}]*|[^&{_ENDS}]+").match
_closing = re.compile(f"[{_QUOTES}]").search
_negates = re.compile(rf"-[\w.({_QUOTES}]").match
_field_of = re.compile(r"([A-Za-z]+):(.*)", re.DOTALL).fullmatch
_find_terms = re.compile(r"[^\W_]+").findall
_has_word = re.compile(r"[^\W_]").search
# White space may be of any kind; other control characters and half characters mean nothing.
_find_control = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]").search
_SCHEMES: Final = frozenset(str.split("about data file mailto news tel urn view-source"))


def _check(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise QueryError(
            f"a query has at most {MAX_LENGTH:,} characters; this one has {len(text):,}", MAX_LENGTH
        )
    if control := _find_control(text):
        raise QueryError("a query cannot have control characters", control.start())


class _Kind(Enum):
    WORD = "a word"
    PREFIX = "a prefix"
    PHRASE = "a phrase"
    ALL = "*"
    FIELD = "a field"
    AND = "and"
    OR = "or"
    NOT = "not"
    OPEN = "("
    CLOSE = ")"


class _Lexeme(NamedTuple):
    kind: _Kind
    text: str
    start: int
    end: int


_SIGNS: Final = {"(": _Kind.OPEN, ")": _Kind.CLOSE, "&": _Kind.AND, "|": _Kind.OR}
_OPERATORS: Final = {"AND": _Kind.AND, "OR": _Kind.OR, "NOT": _Kind.NOT}
_TERMS: Final = (_Kind.WORD, _Kind.PREFIX, _Kind.PHRASE)


class _Fields:
    """The fields that a query may name."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        self._columns = columns

    def names(self) -> list[str]:
        return [*FIELDS, *DAYS, *self._columns]

    def reader(self, name: str) -> Callable[[str], tuple[float, float]] | None:
        """What reads a value as a range; None for a field of text."""
        if name in DAYS or self._columns.get(name) == "day":
            return day_range
        return number_range if self._columns.get(name) in ("int", "float") else None


def _lexemes(text: str, fields: _Fields) -> Iterator[_Lexeme]:
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        lexeme = _lexeme(text, at, fields)
        at = lexeme.end
        # Signs that stand alone, as a dash, are neither searched for nor an error.
        if lexeme.kind is not _Kind.WORD or _has_word(lexeme.text):
            yield lexeme


def _lexeme(text: str, at: int, fields: _Fields) -> _Lexeme:
    sign = text[at]
    if sign in _SIGNS:
        doubled = sign in "&|" and text.startswith(sign, at + 1)
        end = at + 1 + doubled
        return _Lexeme(_SIGNS[sign], text[at:end], at, end)
    if (sign == "!" and not text.startswith("=", at + 1)) or _negates(text, at):
        return _Lexeme(_Kind.NOT, sign, at, at + 1)
    if sign in _QUOTES:
        return _phrase(text, at)
    return _word(text, at, fields)


def _phrase(text: str, at: int) -> _Lexeme:
    closing = _closing(text, at + 1)
    if closing is None:
        raise QueryError("this quote is never closed", at)
    phrase = text[at + 1 : closing.start()]
    if not _has_word(phrase):
        raise QueryError("there are no words between the quotes", at)
    return _Lexeme(_Kind.PHRASE, phrase, at, closing.end())


def _word(text: str, at: int, fields: _Fields) -> _Lexeme:
    found = _word_at(text, at)
    word = found[0] if found else text[at]
    end = at + len(word)
    if word in _OPERATORS:
        return _Lexeme(_OPERATORS[word], word, at, end)
    if word == "*":
        return _Lexeme(_Kind.ALL, word, at, end)
    if field := _field(word, at, fields):
        return _Lexeme(_Kind.FIELD, field, at, at + len(field) + 1)
    beginning = word.rstrip("*")
    if beginning != word and _has_word(beginning):
        return _Lexeme(_Kind.PREFIX, beginning, at, end)
    return _Lexeme(_Kind.WORD, word, at, end)


def _field(word: str, at: int, fields: _Fields) -> str:
    """The name of the field that a word begins with, "" if it is just a word with a colon."""
    found = _field_of(word)
    if not found:
        return ""
    name, value = found.groups()
    if name.lower() in fields.names():
        return name.lower()
    if name.lower() in _SCHEMES or not _has_word(value) or value[0] in "/\\:" or value[0].isdigit():
        return ""
    raise QueryError(
        f'there is no field "{name}", only {", ".join(fields.names())};'
        f' quotes make "{name}:…" text',
        at,
    )


def _check_terms(lexemes: Iterable[_Lexeme]) -> None:
    terms = 0
    for lexeme in lexemes:
        if lexeme.kind in _TERMS:
            terms += len(_find_terms(lexeme.text))
        if terms > MAX_TERMS:
            raise QueryError(f"a query has at most {MAX_TERMS} words", lexeme.start)


class _Parser:
    """Reads lexemes from left to right; every method takes what its rule of the grammar says."""

    def __init__(self, lexemes: list[_Lexeme], fields: _Fields) -> None:
        self._lexemes = lexemes
        self._fields = fields
        self._at = 0
        self._depth = 0

    def parse(self) -> Node:
        node = self._or()
        if self._at < len(self._lexemes):
            raise QueryError('this ")" closes nothing', self._lexemes[self._at].start)
        return node

    def _or(self) -> Node:
        parts = [self._and()]
        while self._take(_Kind.OR):
            parts.append(self._and())
        return _joined(Or, parts)

    def _and(self) -> Node:
        parts = [self._not()]
        while self._take(_Kind.AND) or self._kind() not in (None, _Kind.OR, _Kind.CLOSE):
            parts.append(self._not())
        return _joined(And, parts)

    def _not(self) -> Node:
        if self._take(_Kind.NOT):
            return Not(self._deeper(self._not))
        return self._operand()

    def _operand(self) -> Node:
        if opening := self._take(_Kind.OPEN):
            return self._group(opening)
        if field := self._take(_Kind.FIELD):
            return Field(field.text, self._deeper(lambda: self._value(field)))
        return self._leaf() or self._nothing()

    def _group(self, opening: _Lexeme) -> Node:
        if self._kind() is _Kind.CLOSE:
            raise QueryError("there is nothing between the parentheses", opening.start)
        node = self._deeper(self._or) if self._kind() else None
        if node is None or not self._take(_Kind.CLOSE):
            raise QueryError('this "(" is never closed', opening.start)
        return node

    def _value(self, field: _Lexeme) -> Node:
        if read := self._fields.reader(field.text):
            return self._span(field, read)
        node: Node | None = None
        if self._at < len(self._lexemes) and self._lexemes[self._at].start == field.end:
            opening = self._take(_Kind.OPEN)
            node = self._group(opening) if opening else self._leaf()
        if node is None or isinstance(node, All):
            raise QueryError(f'"{field.text}:" needs a word, a phrase or parentheses', field.start)
        if _has_field(node):
            raise QueryError(f'"{field.text}:" cannot have a field inside', field.start)
        return node

    def _span(self, field: _Lexeme, read: Callable[[str], tuple[float, float]]) -> Node:
        value = self._lexemes[self._at] if self._at < len(self._lexemes) else None
        if value is None or value.start != field.end or value.kind is not _Kind.WORD:
            raise QueryError(f'"{field.text}:" needs a value', field.start)
        self._at += 1
        try:
            return Span(*span_of(field.text, value.text, read))
        except ValueError as error:
            raise QueryError(f'"{field.text}:{value.text}": {error}', value.start) from error

    def _leaf(self) -> Node | None:
        if word := self._take(_Kind.WORD):
            return Word(word.text)
        if prefix := self._take(_Kind.PREFIX):
            return Prefix(prefix.text)
        if phrase := self._take(_Kind.PHRASE):
            return Phrase(phrase.text)
        return All() if self._take(_Kind.ALL) else None

    def _nothing(self) -> NoReturn:
        """Says what lacks an operand: the operator before this place, or the one that is here."""
        if self._at:
            before = self._lexemes[self._at - 1]
            if before.kind in (_Kind.AND, _Kind.OR, _Kind.NOT):
                raise QueryError(f'"{before.text}" has nothing after it', before.start)
        here = self._lexemes[self._at]
        if here.kind is _Kind.CLOSE:
            raise QueryError('this ")" closes nothing', here.start)
        raise QueryError(f'"{here.text}" has nothing before it', here.start)

    def _deeper(self, rule: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            place = self._lexemes[self._at - 1].start
            raise QueryError(f"a query is nested at most {MAX_DEPTH} deep", place)
        node = rule()
        self._depth -= 1
        return node

    def _kind(self) -> _Kind | None:
        return self._lexemes[self._at].kind if self._at < len(self._lexemes) else None

    def _take(self, kind: _Kind) -> _Lexeme | None:
        if self._kind() is not kind:
            return None
        self._at += 1
        return self._lexemes[self._at - 1]


def _has_field(node: Node) -> bool:
    match node:
        case Field():
            return True
        case Not(part):
            return _has_field(part)
        case And(parts) | Or(parts):
            return any(_has_field(part) for part in parts)
        case _:
            return False
