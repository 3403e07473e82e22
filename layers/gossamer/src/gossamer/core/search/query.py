"""The query language: its grammar and its parser.

    query    = or
    or       = and { ("|" | "OR") and }
    and      = not { [ "&" | "AND" ] not }
    not      = ("!" | "NOT" | "-") not | operand
    operand  = "(" or ")" | field ":" value | value | "*"
    value    = word | word "*" | word "~" [ "1" | "2" ] | '"' words '"'
                                                        a field also takes "(" or ")"
    span     = low ".." high | low ".." | ".." high | "<" high | ">" low | "<=" | ">=" | value

A field of days or numbers (date, before, after, and columns that the collection declares) takes a
span. A day may be a year or a month: date:2024 is all of it, date:2024-05..2024-07 three months. A
declared truth takes true or false. Around a value of a column quotes are kept as they are behind a
backslash.

A filter is a query of fields alone: it chooses documents and adds nothing to their scores.

This is the exact language; `core.search.plain_text` finds out what of a typed query is meant so.
Here plain words are a ranked query: any of them, more is better. Everything else makes it boolean.
"-" negates only in front of an operand, "!" too; AND, OR and NOT are operators only in capitals,
and "&" is none between two letters. Words are kept as typed: what they mean is the analyzer's
business, so "well-known" is one word here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NoReturn, TypeAlias

from gossamer.core.errors import QueryError
from gossamer.core.search.lexemes import FieldNames, Lexeme, LexemeKind, check, check_terms, lexemes
from gossamer.core.search.spans import span_of, truth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MAX_DEPTH: Final = 32  # parentheses, negations and fields inside each other

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
class Similar:
    """Documents with a word or one that is spelt alike."""

    text: str
    edits: int | None = None  # letters that may differ; None: as many as its length allows


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
    """Documents where a part of them matches: a field of every document, or a declared one."""

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


Node: TypeAlias = Word | Prefix | Similar | Phrase | All | Span | Field | And | Or | Not


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was understood."""

    node: Node
    mode: Mode
    text: str  # as typed
    notes: tuple[str, ...] = ()  # what was understood otherwise than it may have been meant


def parse_query(text: str, declared: Mapping[str, str] = {}) -> Query:
    """Reads a query; raises QueryError, which says where, for one that cannot be read.

    `declared`: the fields that the collection declares, with the types of their values.
    """
    check(text)
    fields = FieldNames(declared)
    found = list(lexemes(text, fields))
    if not found:
        raise QueryError("type something to search for", 0)
    check_terms(found)
    if all(lexeme.kind is LexemeKind.WORD for lexeme in found):
        return Query(_joined(Or, [Word(lexeme.text) for lexeme in found]), "ranked", text)
    return Query(parse_lexemes(found, fields), "boolean", text)


def parse_lexemes(lexemes: list[Lexeme], fields: FieldNames) -> Node:
    """Read a boolean query; raise QueryError for one that breaks the grammar."""
    return _Parser(lexemes, fields).parse()


def parse_filter(text: str, declared: Mapping[str, str] = {}) -> Node:
    """Reads a filter: conditions on fields, in the language of queries; raises QueryError."""
    try:
        check(text)
        fields = FieldNames(declared)
        found = list(lexemes(text, fields))
        if not found:
            raise QueryError("a filter needs a condition, as lang:en", 0)
        check_terms(found)
        return _Parser(found, fields, has_words=False).parse()
    except QueryError as error:
        raise QueryError(error.message, error.position, "filter", text) from error


def _joined(kind: type[And | Or], parts: Sequence[Node]) -> Node:
    """Parts of one kind in one row: (a & b) & c is a & b & c."""
    row: list[Node] = []
    for part in parts:
        row.extend(part.parts if isinstance(part, And | Or) and type(part) is kind else [part])
    return row[0] if len(row) == 1 else kind(tuple(row))


class _Parser:
    """Reads lexemes from left to right; every method takes what its rule of the grammar says."""

    def __init__(
        self, lexemes: list[Lexeme], fields: FieldNames, *, has_words: bool = True
    ) -> None:
        """`has_words`: whether there may be words outside of fields."""
        self._lexemes = lexemes
        self._fields = fields
        self._has_words = has_words
        self._at = 0
        self._depth = 0

    def parse(self) -> Node:
        node = self._or()
        if self._at < len(self._lexemes):
            raise QueryError('this ")" closes nothing', self._lexemes[self._at].start)
        return node

    def _or(self) -> Node:
        parts = [self._and()]
        while self._take(LexemeKind.OR):
            parts.append(self._and())
        return _joined(Or, parts)

    def _and(self) -> Node:
        parts = [self._not()]
        while self._take(LexemeKind.AND) or self._kind() not in (
            None,
            LexemeKind.OR,
            LexemeKind.CLOSE,
        ):
            parts.append(self._not())
        return _joined(And, parts)

    def _not(self) -> Node:
        if self._take(LexemeKind.NOT):
            return Not(self._deeper(self._not))
        return self._operand()

    def _operand(self) -> Node:
        if opening := self._take(LexemeKind.OPEN):
            return self._group(opening)
        if field := self._take(LexemeKind.FIELD):
            return Field(field.text, self._deeper(lambda: self._value(field)))
        begin = self._at
        leaf = self._leaf() or self._nothing()
        if not self._has_words:
            lexeme = self._lexemes[begin]
            raise QueryError(
                f'a filter has conditions on fields, as lang:en; "{lexeme.text}" is none',
                lexeme.start,
            )
        return leaf

    def _group(self, opening: Lexeme) -> Node:
        if self._kind() is LexemeKind.CLOSE:
            raise QueryError("there is nothing between the parentheses", opening.start)
        node = self._deeper(self._or) if self._kind() else None
        if node is None or not self._take(LexemeKind.CLOSE):
            raise QueryError('this "(" is never closed', opening.start)
        return node

    def _group_of_words(self, opening: Lexeme) -> Node:
        """Parentheses behind a field."""
        before, self._has_words = self._has_words, True
        node = self._group(opening)
        self._has_words = before
        return node

    def _value(self, field: Lexeme) -> Node:
        if read := self._fields.reader(field.text):
            return self._span(field, read)
        if self._fields.is_truth(field.text):
            return self._read(field, lambda text: Word(truth_of(text)))
        node: Node | None = None
        if self._at < len(self._lexemes) and self._lexemes[self._at].start == field.end:
            opening = self._take(LexemeKind.OPEN)
            node = self._group_of_words(opening) if opening else self._leaf()
        if node is None or isinstance(node, All):
            raise QueryError(f'"{field.text}:" needs a word, a phrase or parentheses', field.start)
        if _has_field(node):
            raise QueryError(f'"{field.text}:" cannot have a field inside', field.start)
        return node

    def _span(self, field: Lexeme, read: Callable[[str], tuple[float, float]]) -> Node:
        return self._read(field, lambda text: Span(*span_of(field.text, text, read)))

    def _read(self, field: Lexeme, read: Callable[[str], Node]) -> Node:
        value = self._lexemes[self._at] if self._at < len(self._lexemes) else None
        if value is None or value.start != field.end or value.kind is not LexemeKind.WORD:
            raise QueryError(f'"{field.text}:" needs a value', field.start)
        self._at += 1
        try:
            return read(value.text)
        except ValueError as error:
            raise QueryError(f'"{field.text}:{value.text}": {error}', value.start) from error

    def _leaf(self) -> Node | None:
        if word := self._take(LexemeKind.WORD):
            return Word(word.text)
        if prefix := self._take(LexemeKind.PREFIX):
            return Prefix(prefix.text)
        if similar := self._take(LexemeKind.SIMILAR):
            return similar_word(similar.text)
        if phrase := self._take(LexemeKind.PHRASE):
            return Phrase(phrase.text)
        return All() if self._take(LexemeKind.ALL) else None

    def _nothing(self) -> NoReturn:
        """Says what lacks an operand: the operator before this place, or the one that is here."""
        if self._at:
            before = self._lexemes[self._at - 1]
            if before.kind in (LexemeKind.AND, LexemeKind.OR, LexemeKind.NOT):
                raise QueryError(f'"{before.text}" has nothing after it', before.start)
        here = self._lexemes[self._at]
        if here.kind is LexemeKind.CLOSE:
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

    def _kind(self) -> LexemeKind | None:
        return self._lexemes[self._at].kind if self._at < len(self._lexemes) else None

    def _take(self, kind: LexemeKind) -> Lexeme | None:
        if self._kind() is not kind:
            return None
        self._at += 1
        return self._lexemes[self._at - 1]


def similar_word(text: str) -> Similar:
    """Return a word with a tilde and, behind it, how many letters may differ."""
    word, _, edits = text.rpartition("~")
    return Similar(word, int(edits) if edits else None)


def similar_words(node: Node) -> list[Similar]:
    """The words of a query for which others that are spelt alike are looked for."""
    match node:
        case Similar():
            return [node]
        case Field(_, part) | Not(part):
            return similar_words(part)
        case And(parts) | Or(parts):
            return [each for part in parts for each in similar_words(part)]
        case _:
            return []


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
