"""The query plan: a parsed query, analysed once.

Scoring, boolean matching, snippets and explanations all read this and never see the analyzer's view
of the query again. Stop words say nothing beside other words, so they are gone from the plan:
`the & cat` asks for cats. Alone they are asked for as they are written: `the`.

What signs join, as C++ or node.js, is asked for by its parts and, for the score, as it is written
or by its parts side by side (`joined_words` says which). Where the parts say nothing (stop words,
single letters), a document must have it as it is written to match.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias

from gossamer.core.index.anchors import NAMED
from gossamer.core.index.field_terms import field_term, split_term
from gossamer.core.index.joined_words import (
    is_ended,
)
from gossamer.core.index.postings import AS_WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.search.query import (
        Mode,
    )


TITLE: Final = "title"  # the one field of all documents whose words are analysed


@dataclass(frozen=True, slots=True)
class Written:
    """A word that is joined by signs, as it is written, and the terms of its parts."""

    term: str
    parts: tuple[str, ...]  # "" is a gap
    is_quoted: bool = False  # words in quotes, which no sign joins


@dataclass(frozen=True, slots=True)
class Words:
    """Documents with these terms side by side; "" is a gap: any one word."""

    terms: tuple[str, ...]
    field: str = ""  # where: in the title or in a declared field; "" is anywhere
    written: tuple[Written, ...] = ()  # joined words among these, which add to a score
    synonyms: tuple[Synonym, ...] = ()  # a document with one of them counts as having these
    are_apart: bool = False  # wherever in a document they are, not side by side

    @property
    def placed(self) -> list[tuple[int, str]]:
        """The terms with their offsets, without the gaps."""
        return [(offset, term) for offset, term in enumerate(self.terms) if term]

    @property
    def is_as_written(self) -> bool:
        """Whether these are stop words: they have no weight."""
        return self.terms[0].startswith(AS_WRITTEN)

    @property
    def looked_up(self) -> list[tuple[int, str]]:
        """The same, as the index has them."""
        return [(offset, looked_up_as(self.field, term)) for offset, term in self.placed]

    @property
    def parts(self) -> tuple[str, ...]:
        """The terms, or those of its parts where a joined word is required as it is written."""
        is_required = bool(self.written) and self.terms == (self.written[0].term,)
        return self.written[0].parts if is_required else self.terms


@dataclass(frozen=True, slots=True)
class Synonym:
    """Other words that count as some of the query, if less."""

    words: Words
    text: str  # as the list of synonyms has it
    stands_for: str  # as typed
    weight: float  # of what the words themselves would add
    is_spelling: bool = False  # another spelling: documents with the word as typed come first
    languages: tuple[str, ...] = ()  # the same words, by the rules of these languages


@dataclass(frozen=True, slots=True)
class Beginning:
    """Documents with a word that, folded, begins so, and with the words typed before it."""

    prefix: str
    before: tuple[Words, ...] = ()
    field: str = ""  # as in Words

    @property
    def looked_up(self) -> str:
        """The prefix as the index has words."""
        return looked_up_as(self.field, self.prefix)


def looked_up_as(field: str, term: str) -> str:
    """Words of titles are told from others by their positions, those of declared fields by name."""
    if field in ("", TITLE):
        return term
    if term.startswith(AS_WRITTEN):
        return AS_WRITTEN + field_term(field, term.removeprefix(AS_WRITTEN))
    return field_term(field, term)


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
    JOINED = "joined"  # a term of its own
    TOGETHER = "together"  # the parts of a joined word, side by side


@dataclass(frozen=True, slots=True)
class Asked:
    """A term, a beginning of words or a whole name that adds to a document's score."""

    kind: Kind
    text: str
    times: int = 1  # in the query
    parts: tuple[str, ...] = ()  # of a joined word: the terms of its parts; "" is a gap
    factor: float = 1.0  # of the weight that its IDF gives it
    synonyms: tuple[Synonym, ...] = ()  # of a term; the one that weighs most in a document counts

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
    anywhere if it stands nowhere. "" in a phrase is a gap: any one word. Where a joined word does
    not occur as it is written, its parts count.
    """

    terms: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    written: tuple[Written, ...] = ()
    synonyms: tuple[tuple[str, ...], ...] = ()  # phrases whose words count only where they stand


@dataclass(frozen=True, slots=True)
class Plan:
    """A query as the rest of the search sees it."""

    mode: Mode
    match: Match | None  # None: there are only stop words
    asked: tuple[Asked, ...]
    name: Asked | None  # of plain words: together they may be what a page is called
    wanted: Wanted
    notes: tuple[str, ...] = ()  # what was understood otherwise than it may have been meant
    filters: tuple[Match | None, ...] = ()  # what documents must match besides, whatever they score
    phrases: tuple[Words, ...] = ()  # quoted words of a ranked query; some may be required

    @property
    def main_phrases(self) -> list[int]:
        """Return the places of quoted phrases that have two thirds of the words of the query."""
        words = sum(asked.times for asked in self.asked if asked.kind in (Kind.TERM, Kind.PREFIX))
        sizes = [len(phrase.placed) for phrase in self.phrases]
        return [place for place, size in enumerate(sizes) if 3 * size >= 2 * words]

    def leaves(self) -> Iterator[Match]:
        """What is looked up for matching, by the query and by its filters."""
        for match in (self.match, *self.filters):
            yield from leaves(match)

    def must_be_first(self, asked: Asked) -> bool:
        """Whether who has a joined word comes before those with its parts.

        That is so if nothing else is asked, and of words that are others without their signs (C++).
        Beside other words one more word is enough: more made judged rankings worse.
        """
        if is_ended(split_term(asked.text)[1]):
            return True
        joined = [each for each in self.asked if each.kind in (Kind.JOINED, Kind.TOGETHER)]
        parts = {(Kind.TERM, part) for each in joined for part in each.parts}
        others = {(each.kind, each.text) for each in self.asked if each not in joined}
        return len(joined) == 1 and others <= parts


def leaves(match: Match | None) -> Iterator[Match]:
    """What a plan looks up, excluded or not; words before a beginning and synonyms, too."""
    match match:
        case None:
            return
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from leaves(part)
        case Excluded(part):
            yield from leaves(part)
        case Beginning(before=before):
            yield match
            yield from before
        case Words(synonyms=synonyms):
            yield match
            yield from [each.words for each in synonyms]
        case _:
            yield match
