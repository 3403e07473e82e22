"""Which answer would a search give that looks at every word of every page, every time?

The oracle of the search tests: dictionaries and loops, no arrays, no segments, nothing remembered.
It shares the analyzer and the parser with the real search, and with them what a word is.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from gossamer.core.collection import IndexSchema
from gossamer.core.ids import page_of
from gossamer.core.index.character_pairs import is_character
from gossamer.core.index.joined_words import (
    is_compound,
    is_ended,
    is_own,
    joined_term,
    joined_words,
)
from gossamer.core.page.values import Date, Image, Link, Money
from gossamer.core.search.fields import fields_of
from gossamer.core.search.plain_text import read_query
from gossamer.core.search.query import (
    All,
    And,
    Field,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Span,
    Word,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gossamer.core.collection import Weights
    from gossamer.core.ids import DocumentId
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.ports.documents import Version

MIDDLING = 127  # what a word that begins as asked weighs, of 255
UNIT = 1 << 40  # of scores: as fine as those of the search, or rounding tells equal ones apart


@dataclass(frozen=True)
class Page:
    """A version of a page, cut into words."""

    id: bytes
    fetched_at: float
    url: str
    language: str
    fields: dict[str, list[list[str]]]  # body, title, headings, images, anchors: texts of words
    joined: dict[str, list[str]]  # by field, the terms of words that signs join
    kind: str = "page"
    template: str = ""
    values: dict[str, Any] = field(default_factory=dict)


class Joined(NamedTuple):
    """A word of a query that signs join, the terms of its parts, and the field to look in."""

    term: str
    parts: tuple[str, ...]
    where: str = ""


Asked: TypeAlias = "str | Joined | tuple[str, ...]"  # a term, a joined word, a name


@dataclass(frozen=True)
class Answer:
    """All results of a query, best first."""

    scores: dict[str, float]

    @property
    def urls(self) -> list[str]:
        return list(self.scores)


@dataclass
class Brute:
    """Documents by id, and how they are searched."""

    analyzer: Analyzer
    weights: Weights
    pages: dict[bytes, Page] = field(default_factory=dict)
    gone: dict[bytes, float] = field(default_factory=dict)  # pages that were removed, since when
    schema: IndexSchema = field(default_factory=IndexSchema)  # only what is declared
    literal: bool = False  # whether stop words are asked for
    alone: Node | None = None  # what is asked, if it is one word or phrase

    def copy(self) -> Brute:
        return Brute(self.analyzer, self.weights, dict(self.pages), dict(self.gone), self.schema)

    def index(self, batch: Sequence[Version]) -> None:
        """Take versions of pages; one older than what is there or was removed changes nothing."""
        for page in {page_of(version.id): None for version in batch}:
            parts = [version for version in batch if page_of(version.id) == page]
            at = max(version.fetched_at for version in parts)
            known = [self.pages[id].fetched_at for id in self._parts_of(page)]
            if at >= max(known, default=at) and at > self.gone.get(page, at - 1):
                self._drop(page)
                for version in parts:
                    self.pages[version.id] = self._read(version)

    def remove(self, gone: Mapping[DocumentId, float]) -> None:
        """Take pages out, unless what is there is newer."""
        for id, at in gone.items():
            page = page_of(id)
            self.gone[page] = max(at, self.gone.get(page, at))
            if all(self.pages[known].fetched_at <= at for known in self._parts_of(page)):
                self._drop(page)

    def _parts_of(self, page: bytes) -> list[bytes]:
        return [id for id in self.pages if id.startswith(page)]

    def _drop(self, page: bytes) -> None:
        for id in self._parts_of(page):
            del self.pages[id]

    def search(self, text: str, profile: str = "bm25") -> Answer:
        """Every page that matches, with its score."""
        query = read_query(text, fields_of(self.schema).types, is_strict=True)
        self.alone = query.node.node if isinstance(query.node, Field) else query.node
        matching = self._match(query.node)
        is_ranked = query.mode == "ranked" and matching is not None
        scores = self._scores(query.node, profile, is_ranked and profile != "tfidf")
        if is_ranked:
            found = {page.id for page in self.pages.values() if scores[page.id] > 0}
        elif matching is None:  # only stop words: they are asked for as they are written
            found = self._literal(query.node)
        else:
            found = matching
        pages = [page for page in self.pages.values() if page.id in found]
        pages.sort(key=lambda page: (-scores[page.id], page.id))
        return Answer({page.url: scores[page.id] / UNIT for page in pages})

    def _literal(self, node: Node) -> set[bytes]:
        self.literal = True
        try:
            return self._match(node) or set()
        finally:
            self.literal = False

    def _read(self, version: Version) -> Page:
        document = version.document
        texts = {
            "body": [document.text],
            "title": [document.title],
            "headings": [heading for _, heading in document.headings],
            "images": document.images,
            "anchors": list(version.anchors),
        }
        for name in self.schema.fields:
            texts[name] = [text_of(value) for value in listed(document.values.get(name, []))]
        words = {name: [self.analyzer.words(text) for text in of] for name, of in texts.items()}
        joined = {
            name: [self._joined_term(each.written) for text in of for each in joined_words(text)]
            for name, of in texts.items()
        }
        return Page(
            version.id,
            version.fetched_at,
            document.url,
            document.language,
            words,
            joined,
            document.kind or "page",
            document.template,
            document.values,
        )

    # Which pages match? None is said of stop words: they ask for nothing.

    def _match(self, node: Node, where: str = "") -> set[bytes] | None:  # noqa: C901 one line each
        match node:
            case All():
                return self._pages_where(lambda page: True)
            case Word(text) | Phrase(text):
                literal = self.literal or isinstance(node, Phrase)
                required = self._required(node)
                found = (
                    self._pages_where(lambda page: required in self._joined_of(page, where))
                    if required
                    else self._phrase(text, where)
                )
                return self._as_written(text, where) if found is None and literal else found
            case Prefix(text):
                return self._prefix(text, where)
            case Field(name, inner) if self._has_words(name):
                return self._match(inner, name)
            case Field(name, inner):
                return self._address(name, inner)
            case Not(inner):
                found = self._match(inner, where)
                return None if found is None else self._pages_where(lambda page: True) - found
            case And(parts):
                found_all = self._heard(parts, where)
                return set.intersection(*found_all) if found_all else None
            case Or(parts):
                found_all = self._heard(parts, where)
                return set.union(*found_all) if found_all else None
        raise TypeError(node)

    def _has_words(self, name: str) -> bool:
        declared = name in self.schema.fields and name not in self.schema.columns
        return name == "title" or declared

    def _heard(self, parts: tuple[Node, ...], where: str) -> list[set[bytes]]:
        found = [self._match(part, where) for part in parts]
        return [pages for pages in found if pages is not None]

    def _pages_where(self, test: Callable[[Page], bool]) -> set[bytes]:
        return {page.id for page in self.pages.values() if test(page)}

    def _phrase(self, text: str, where: str) -> set[bytes] | None:
        wanted = [self.analyzer.term(word) for word in self.analyzer.words(text)]
        while wanted and not wanted[-1]:
            wanted.pop()
        while wanted and not wanted[0]:
            wanted.pop(0)
        if not wanted:
            return None
        return self._pages_where(
            lambda page: any(self._stands(wanted, words) for words in self._texts(page, where))
        )

    # Words that signs join: at their places as they are written, beside their parts.

    def _joined_term(self, written: str) -> str:
        return joined_term(written, self.analyzer.fold)

    def _joined_of(self, page: Page, where: str) -> list[str]:
        chosen = [where] if where else [name for name in page.joined if self._is_searched(name)]
        return [term for name in chosen for term in page.joined[name]]

    def _joined_in(self, node: Word | Phrase) -> list[Joined]:
        """Those that are asked for; ordinary compounds only if they are all that is asked."""
        found = []
        size = len(self.analyzer.words(node.text))
        for each in joined_words(node.text):
            words = self.analyzer.words(each.written)
            term = self._joined_term(each.written)
            parts = tuple(map(self.analyzer.term, words))
            counts = not is_compound(term) or (node is self.alone and len(words) == size)
            says_nothing = is_own(term) and all(len(part) <= 1 for part in parts)
            is_said = is_own(term) or len([part for part in parts if part]) > 1
            if says_nothing or (counts and is_said):
                found.append(Joined(term, parts))
        return found

    def _side_by_side(self, word: Joined) -> set[bytes]:
        """Pages with the parts of a joined word side by side."""
        parts = [part.rpartition(":")[2] for part in word.parts]
        return self._pages_where(
            lambda page: any(self._stands(parts, words) for words in self._texts(page, word.where))
        )

    def _required(self, node: Word | Phrase) -> str:
        """The joined word that pages must have: what is asked, if its parts say nothing."""
        words = map(self.analyzer.term, self.analyzer.words(node.text))
        terms = tuple(term for term in words if term)
        joined = self._joined_in(node)
        is_whole = [tuple(part for part in each.parts if part) for each in joined] == [terms]
        is_required = is_whole and is_own(joined[0].term) and all(len(term) == 1 for term in terms)
        return joined[0].term if is_required else ""

    def _as_written(self, text: str, where: str) -> set[bytes] | None:
        """Pages that have all of some stop words, wherever they stand."""
        words = self.analyzer.words(text)
        wanted = {folded for word in words if (folded := self.analyzer.fold(word))}
        if not wanted:
            return None
        return self._pages_where(
            lambda page: (
                wanted
                <= {self.analyzer.fold(w) for words in self._texts(page, where) for w in words}
            )
        )

    def _stands(self, wanted: list[str], words: list[str]) -> bool:
        """Whether the terms stand side by side; "" is any one word."""
        terms = [self.analyzer.term(word) for word in words]
        pairs = [*self._pairs(terms), ""]
        there = list(zip(terms, pairs, strict=True)) if terms else []
        return any(
            all(not term or term in some for term, some in zip(wanted, there[at:], strict=False))
            for at in range(len(there) - len(wanted) + 1)
        )

    # Characters of scripts without spaces: beside themselves, what two that are neighbours make.

    def _pairs(self, terms: list[str]) -> list[str]:
        """By place, the pair that begins there."""
        if not self.analyzer.has_pairs:
            return [""] * (len(terms) - 1)
        return [
            one + other if is_character(one) and is_character(other) else ""
            for one, other in pairwise(terms)
        ]

    def _looked_up(self, text: str) -> list[str]:
        """The terms of a query's word; of several characters, their pairs."""
        terms = [self.analyzer.term(word) for word in self.analyzer.words(text)]
        pairs = ["", *self._pairs(terms), ""]
        return [
            behind or ("" if before else term)
            for term, before, behind in zip(terms, pairs, pairs[1:], strict=False)
        ]

    def _several(self, text: str) -> Iterator[Joined]:
        """Three to twelve characters that stand side by side."""
        terms = [self.analyzer.term(word) for word in self.analyzer.words(text)]
        run: list[str] = []
        for term, pair in zip(terms, [*self._pairs(terms), ""], strict=False):
            run.append(term)
            if not pair:
                if 3 <= len(run) <= 12:
                    yield Joined("".join(run), tuple(self._pairs(run)))
                run = []

    def _prefix(self, text: str, where: str) -> set[bytes] | None:
        *before, last = self.analyzer.words(text) or [""]
        beginning = self.analyzer.fold(last)
        if not beginning:
            return None
        if self.analyzer.has_pairs and is_character(beginning):
            return self._phrase(text, where)
        found = self._pages_where(lambda page: self._begins(page, beginning, where))
        runs = [
            ["".join(group)] if are and self.analyzer.has_pairs else list(group)
            for are, group in groupby(before, lambda word: bool(is_character(word)))
        ]
        others = [self._phrase(word, where) for run in runs for word in run]
        return found.intersection(*(pages for pages in others if pages is not None))

    def _texts(self, page: Page, where: str) -> list[list[str]]:
        """The texts of a field, or of all in which plain words are looked for."""
        chosen = [where] if where else [name for name in page.fields if self._is_searched(name)]
        return [words for name in chosen for words in page.fields[name]]

    def _is_searched(self, name: str) -> bool:
        return name not in self.schema.fields or self.schema.fields[name].searched

    def _begins(self, page: Page, beginning: str, where: str = "") -> bool:
        return any(
            self.analyzer.fold(word).startswith(beginning)
            for words in self._texts(page, where)
            for word in words
        )

    def _address(self, name: str, node: Node) -> set[bytes]:
        """Pages by their site, URL, language or values."""
        everything = self._pages_where(lambda page: True)
        match node:
            case All():
                return everything
            case Not(inner):
                return everything - self._address(name, inner)
            case And(parts):
                return set.intersection(*(self._address(name, part) for part in parts))
            case Or(parts):
                return set.union(*(self._address(name, part) for part in parts))
            case Span(low, high):
                numbers = self._numbers(name)
                return self._pages_where(lambda page: low <= numbers(page) <= high)
            case Word(text) | Phrase(text):
                return self._pages_where(lambda page: self._has(page, name, text.casefold(), False))
            case Prefix(text):
                return self._pages_where(lambda page: self._has(page, name, text.casefold(), True))
        raise TypeError(node)

    def _numbers(self, name: str) -> Callable[[Page], float]:
        """What a page has in a column of numbers or days; not a number for nothing."""
        return lambda page: next(iter(self.values(page, name)), math.nan)

    def _has(self, page: Page, name: str, wanted: str, only_begins: bool) -> bool:
        if name in fields_of(self.schema).types or name in ("kind", "template"):
            values = [value.casefold() for value in self.values(page, name)]
            return any(v.startswith(wanted) if only_begins else v == wanted for v in values)
        return _has(page, name, wanted, only_begins)

    def values(self, page: Page, name: str) -> list[Any]:
        """What a page has in a column."""
        if name in ("kind", "template"):
            return [value for value in [getattr(page, name)] if value]
        if name.endswith("_currency"):
            money = listed(page.values.get(name.removesuffix("_currency"), []))
            return [v.currency for v in money if isinstance(v, Money) and v.currency][:1]
        type, given = self.schema.columns[name].type, listed(page.values.get(name, []))
        if type in ("number", "money"):
            numbers = [v.amount if isinstance(v, Money) else v for v in given]
            return [v for v in numbers if isinstance(v, int | float) and not isinstance(v, bool)][
                :1
            ]
        if type == "date":
            days = [day_of(v.on if isinstance(v, Date) else v) for v in given]
            return [day for day in days if day is not None][:1]
        if type == "bool":
            return [str(v).lower() for v in given if isinstance(v, bool)][:1]
        words = [text for v in given if (text := " ".join(keyword_of(v).split()))]
        return words if type == "keywords" else words[:1]

    # How well do they match?

    def _scores(self, node: Node, profile: str, is_named: bool) -> dict[bytes, int]:
        """In whole units, so that equal scores are equal in whichever order they are added."""
        found = list(self._asked(node))
        terms = [name for name in found if isinstance(name, str)]
        asked: Counter[Asked] = Counter(found)
        if is_named and terms:
            asked[tuple(terms)] = 1
        impacts = {name: self._impacts(name) for name in asked}
        idfs = {name: self._idf(len(impacts[name])) for name in asked if impacts[name]}
        if is_named and len(terms) == 1 and (terms[0],) in idfs:
            idfs[terms[0],] = min(idfs[terms[0],], idfs[terms[0]])
        weights = {name: asked[name] * idf for name, idf in idfs.items()}
        joined = [name for name in asked if isinstance(name, Joined)]
        is_alone = len(joined) == 1 and set(terms) <= set(joined[0].parts)
        extras = {
            name: asked[name] * self._of_parts(name, idfs)
            if isinstance(name, Joined) and (is_alone or is_ended(name.term))
            else 0.0
            for name in idfs
        }
        total = sum(weight + extras[name] for name, weight in weights.items())
        scores = dict.fromkeys((page.id for page in self.pages.values()), 0)
        for name, weight in weights.items():
            extra = extras[name]
            if profile == "tfidf":
                weight, extra = 0.6 * weight / total, 0.6 * extra / total
            for id, impact in impacts[name].items():
                scores[id] += round(impact * (weight / 255 * UNIT)) + round(extra * UNIT)
        return scores

    def _of_parts(self, name: Joined, idfs: Mapping[Asked, float]) -> float:
        """Who has a joined word has the most that its parts can add: as words, and as a name."""
        parts = tuple(part for part in name.parts if part)
        whole: list[Asked] = [*parts, parts]
        return sum(idfs.get(each, 0.0) for each in whole)

    def _asked(self, node: Node, where: str = "") -> Iterator[str | Joined]:  # noqa: C901 one line each
        """The terms that add to a score; a prefix ends with a star."""
        match node:
            case Word(text) | Phrase(text):
                yield from [where + term for term in self._looked_up(text) if term]
                for each in [*self._joined_in(node), *self._several(text)]:
                    parts = tuple(part and where + part for part in each.parts)
                    yield Joined(each.term, parts, where.removesuffix(":"))
            case Prefix(text):
                folded = [self.analyzer.fold(word) for word in self.analyzer.words(text)[-1:]]
                if self.analyzer.has_pairs and folded and is_character(folded[0]):
                    yield from self._asked(Word(text), where)
                else:
                    yield from [f"{where}{word}*" for word in folded]
            case And(parts) | Or(parts):
                for part in parts:
                    yield from self._asked(part, where)
            case Field("title", inner):
                yield from self._asked(inner)
            case Field(name, inner) if self._has_words(name):
                yield from self._asked(inner, f"{name}:")

    def _idf(self, df: int) -> float:
        return math.log(1.0 + (len(self.pages) - df + 0.5) / (df + 0.5))

    def _impacts(self, name: Asked) -> dict[bytes, int]:
        """How heavy a term, or all of them as a name, is in each page that has it: 1 to 255."""
        if isinstance(name, str) and name.endswith("*"):
            where, _, bare = name[:-1].rpartition(":")
            begins = self._pages_where(lambda page: self._begins(page, bare, where))
            return dict.fromkeys(sorted(begins), MIDDLING)
        if isinstance(name, Joined) and not is_own(name.term):
            return dict.fromkeys(sorted(self._side_by_side(name)), MIDDLING)
        x: Callable[[Page, Any], float] = self._x if isinstance(name, str) else self._x_of_name
        if isinstance(name, Joined):
            x = self._x_of_joined
        found = {page.id: x(page, name) for page in self.pages.values()}
        return {
            id: min(255, max(1, round(255 * x / (self.weights.k1 + x))))
            for id, x in found.items()
            if x
        }

    def _x(self, page: Page, term: str) -> float:
        x = 0.0
        where, _, term = term.rpartition(":")
        for name, texts in page.fields.items():
            if where != name and (where or not self._is_searched(name)):
                continue
            given = self.schema.fields.get(name) or self.weights.of(name)
            words = [word for text in texts for word in text]
            norm = 1.0 - given.b + given.b * len(words) / given.pivot
            there = [[self.analyzer.term(word) for word in text] for text in texts]
            found = [each for text in there for each in (*text, *self._pairs(text))]
            for _ in range(found.count(term)):
                x += given.weight / norm
        return x

    def _x_of_joined(self, page: Page, word: Joined) -> float:
        x = 0.0
        for name, terms in page.joined.items():
            if word.where != name and (word.where or not self._is_searched(name)):
                continue
            given = self.schema.fields.get(name) or self.weights.of(name)
            norm = 1.0 - given.b + given.b * sum(map(len, page.fields[name])) / given.pivot
            for term in terms:
                if term == word.term:
                    x += given.weight / norm
        return x

    def _x_of_name(self, page: Page, terms: tuple[str, ...]) -> float:
        x = 0.0
        for name in ("title", "anchors"):
            for text in page.fields[name]:
                said = [term for term in self._looked_up(" ".join(text)) if term]
                if tuple(said) == terms:
                    x += self.weights.of(name).weight
        return x


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def text_of(value: Any) -> str:
    """The text of a value that is searched for words."""
    return value.text if isinstance(value, Link | Image) else keyword_of(value)


def keyword_of(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Money():
            return f"{value.amount:.15g} {value.currency}".strip()
        case Date():
            return value.on
        case Link() | Image():
            return value.url
        case int() | float():
            return f"{value:.15g}"
    return str(value)


def day_of(text: Any) -> int | None:
    try:
        return date.fromisoformat(str(text)[:10]).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return None


def _has(page: Page, name: str, wanted: str, only_begins: bool) -> bool:
    if name == "url":
        return wanted in page.url.casefold()
    if name == "lang":
        return page.language.startswith(wanted) if only_begins else page.language == wanted
    address = urlsplit(page.url)
    if name == "host":
        return address.netloc.startswith(wanted) if only_begins else address.netloc == wanted
    names = [address.netloc, address.hostname or ""]
    if only_begins:
        return any(host.startswith(wanted) for host in names)
    return wanted in names or names[1].endswith(f".{wanted}")
