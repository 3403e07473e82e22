"""The query plan: a parsed query, analysed once.

Scoring, boolean matching, snippets and explanations all read this and never see the analyzer's view
of the query again. Stop words say nothing, so they are gone from the plan: `not the` asks for
nothing, and `the & cat` asks for cats.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias

from gossamer.core.index.anchors import NAMED, whole_name
from gossamer.core.index.field_terms import field_term, split_term
from gossamer.core.search.fields import WORDS, SearchFields
from gossamer.core.search.query import (
    All,
    And,
    Field,
    Mode,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Span,
    Word,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.index.analyzer import Analyzer

TITLE: Final = "title"  # the one field of all documents whose words are analysed


@dataclass(frozen=True, slots=True)
class Words:
    """Documents with these terms side by side; "" is a gap: any one word."""

    terms: tuple[str, ...]
    field: str = ""  # where: in the title or in a declared field; "" is anywhere

    @property
    def placed(self) -> list[tuple[int, str]]:
        """The terms with their offsets, without the gaps."""
        return [(offset, term) for offset, term in enumerate(self.terms) if term]

    @property
    def looked_up(self) -> list[tuple[int, str]]:
        """The same, as the index has them."""
        return [(offset, _looked_up(self.field, term)) for offset, term in self.placed]


@dataclass(frozen=True, slots=True)
class Beginning:
    """Documents with a word that, folded, begins so, and with the words typed before it."""

    prefix: str
    before: tuple[Words, ...] = ()
    field: str = ""  # as in Words

    @property
    def looked_up(self) -> str:
        """The prefix as the index has words."""
        return _looked_up(self.field, self.prefix)


def _looked_up(field: str, term: str) -> str:
    """Words of titles are told from others by their positions, those of declared fields by name."""
    return field_term(field, term) if field not in ("", TITLE) else term


@dataclass(frozen=True, slots=True)
class Filter:
    """Documents with this keyword in a column, or one that begins so."""

    field: str  # site, url, lang, … or a column that the collection declares
    text: str  # case-folded
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Between:
    """Documents whose day or number is in a range, both ends included."""

    field: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Everything:
    """All documents."""


@dataclass(frozen=True, slots=True)
class AllOf:
    """Documents that match every part."""

    parts: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Documents that match a part."""

    parts: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class Excluded:
    """Documents that do not match the part."""

    part: Match


Match: TypeAlias = Words | Beginning | Filter | Between | Everything | AllOf | AnyOf | Excluded


class Kind(Enum):
    """How an asked text is looked up."""

    TERM = "term"
    PREFIX = "prefix"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Asked:
    """A term, a beginning of words or a whole name that adds to a document's score."""

    kind: Kind
    text: str
    times: int = 1  # in the query

    @property
    def shown(self) -> str:
        """What people read: a beginning has a star, a whole name stands in quotes."""
        if self.kind is Kind.NAME:
            return f'"{self.text.removeprefix(NAMED)}"'
        field, bare = split_term(self.text)
        text = f"{field}:{bare}" if field else bare
        return f"{text}*" if self.kind is Kind.PREFIX else text


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a snippet should show.

    Words that only a phrase asks for are not among `terms`: they count where the phrase stands, or
    anywhere if it stands nowhere. "" in a phrase is a gap: any one word.
    """

    terms: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A query as the rest of the search sees it."""

    mode: Mode
    match: Match | None  # None: there are only stop words
    asked: tuple[Asked, ...]
    name: Asked | None  # of plain words: together they may be what a page is called
    wanted: Wanted


def plan_query(query: Query, analyzer: Analyzer, fields: SearchFields | None = None) -> Plan:
    """Analyses a query; `fields` are those that the collection declares."""
    match = _Planner(analyzer, fields or SearchFields()).match(query.node)
    leaves = list(_counted(match))
    asked = tuple([Asked(*key, times) for key, times in Counter(_asked(leaves)).items()])
    name = _name(leaves) if query.mode == "ranked" else None
    return Plan(query.mode, match, asked, name, _wanted(leaves))


class _Planner:
    def __init__(self, analyzer: Analyzer, fields: SearchFields) -> None:
        self._analyzer, self._fields = analyzer, fields

    def match(self, node: Node, field: str = "") -> Match | None:
        """The part of the plan for a node; None if it has only stop words."""
        match node:
            case Word(text) | Phrase(text):
                return self._words(text, field)
            case Prefix(text):
                return self._beginning(text, field)
            case Field(name, inner):
                if name == TITLE or self._fields.types.get(name) == WORDS:
                    return self.match(inner, name)
                return _filter(self._fields.columns.get(name, name), inner)
            case Not(inner):
                part = self.match(inner, field)
                return part and Excluded(part)
            case And(parts) | Or(parts):
                kind = AllOf if isinstance(node, And) else AnyOf
                return _join(kind, [self.match(part, field) for part in parts])
            case All() | Span():  # only fields have spans
                return Everything()

    def _words(self, text: str, field: str) -> Words | None:
        terms = tuple(map(self._analyzer.term, self._analyzer.words(text)))
        return Words(terms, field) if any(terms) else None

    def _beginning(self, text: str, field: str) -> Beginning | None:
        *before, last = self._analyzer.words(text) or [""]
        prefix = self._analyzer.fold(last)
        words = [self._words(word, field) for word in before]
        return Beginning(prefix, tuple(filter(None, words)), field) if prefix else None


def _join(kind: type[AllOf | AnyOf], parts: list[Match | None]) -> Match | None:
    left = tuple([part for part in parts if part is not None])
    return kind(left) if len(left) > 1 else next(iter(left), None)


def _filter(field: str, node: Node) -> Match:
    """A condition on an address or a language, whose words are compared as they are."""
    match node:
        case Span(low, high):
            return Between(field, low, high)
        case Word(text) | Phrase(text) | Prefix(text):
            return Filter(field, text.casefold(), isinstance(node, Prefix))
        case Not(inner):
            return Excluded(_filter(field, inner))
        case And(parts):
            return AllOf(tuple([_filter(field, part) for part in parts]))
        case Or(parts):
            return AnyOf(tuple([_filter(field, part) for part in parts]))
        case All() | Field():
            return Everything()


def _counted(match: Match | None) -> Iterator[Words | Beginning]:
    """The leaves that a document should have: neither excluded nor filters."""
    match match:
        case Words() | Beginning():
            yield match
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from _counted(part)
        case _:
            return


def _asked(leaves: list[Words | Beginning]) -> Iterator[tuple[Kind, str]]:
    for leaf in leaves:
        if isinstance(leaf, Beginning):
            yield Kind.PREFIX, leaf.looked_up
        else:
            yield from [(Kind.TERM, term) for _, term in leaf.looked_up]


def _name(leaves: list[Words | Beginning]) -> Asked | None:
    whole = whole_name(text for _, text in _asked(leaves))
    return Asked(Kind.NAME, whole) if whole else None


def _wanted(leaves: list[Words | Beginning]) -> Wanted:
    words = [leaf for leaf in leaves if isinstance(leaf, Words)]
    single = [leaf.placed[0][1] for leaf in words if len(leaf.placed) == 1]
    phrases = tuple([leaf.terms for leaf in words if len(leaf.placed) > 1])
    prefixes = tuple([leaf.prefix for leaf in leaves if isinstance(leaf, Beginning)])
    return Wanted(frozenset(single), prefixes, phrases)
