"""Which answer would a search give that looks at every word of every page, every time?

The oracle of the search tests: dictionaries and loops, no arrays, no segments, nothing remembered.
It shares the analyzer and the parser with the real search, and with them what a word is.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gossamer.core.collection import IndexSchema
from gossamer.core.ids import page_of
from gossamer.core.page.values import Date, Image, Link, Money
from gossamer.core.search.fields import fields_of
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
    parse_query,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gossamer.core.collection import Weights
    from gossamer.core.ids import DocumentId
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.ports.documents import Version

MIDDLING = 127  # what a word that begins as asked weighs, of 255
UNIT = 1 << 32  # of scores


@dataclass(frozen=True)
class Page:
    """A version of a page, cut into words."""

    id: bytes
    fetched_at: float
    url: str
    language: str
    fields: dict[str, list[list[str]]]  # body, title, headings, images, anchors: texts of words
    kind: str = "page"
    template: str = ""
    values: dict[str, Any] = field(default_factory=dict)


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
        query = parse_query(text, fields_of(self.schema).types)
        is_named = query.mode == "ranked" and profile != "tfidf"
        scores = self._scores(query.node, profile, is_named)
        if query.mode == "ranked":
            found = {page.id for page in self.pages.values() if scores[page.id] > 0}
        else:
            found = self._match(query.node) or set()
        pages = [page for page in self.pages.values() if page.id in found]
        pages.sort(key=lambda page: (-scores[page.id], page.id))
        return Answer({page.url: scores[page.id] / UNIT for page in pages})

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
        return Page(
            version.id,
            version.fetched_at,
            document.url,
            document.language,
            words,
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
                return self._phrase(text, where)
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

    def _stands(self, wanted: list[str], words: list[str]) -> bool:
        """Whether the terms stand side by side; "" is any one word."""
        terms = [self.analyzer.term(word) for word in words]
        return any(
            all(term in ("", there) for term, there in zip(wanted, terms[at:], strict=False))
            for at in range(len(terms) - len(wanted) + 1)
        )

    def _prefix(self, text: str, where: str) -> set[bytes] | None:
        *before, last = self.analyzer.words(text) or [""]
        beginning = self.analyzer.fold(last)
        if not beginning:
            return None
        found = self._pages_where(lambda page: self._begins(page, beginning, where))
        others = [self._phrase(word, where) for word in before]
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
        terms = list(self._asked(node))
        asked: Counter[str | tuple[str, ...]] = Counter(terms)
        if is_named and terms:
            asked[tuple(terms)] = 1
        impacts = {name: self._impacts(name) for name in asked}
        weights = {
            name: times * self._idf(len(impacts[name]))
            for name, times in asked.items()
            if impacts[name]
        }
        total = sum(weights.values())
        scores = dict.fromkeys((page.id for page in self.pages.values()), 0)
        for name, weight in weights.items():
            scale = 0.6 * weight / total if profile == "tfidf" else weight
            for id, impact in impacts[name].items():
                scores[id] += round(impact * (scale / 255 * UNIT))
        return scores

    def _asked(self, node: Node, where: str = "") -> Iterator[str]:
        """The terms that add to a score; a prefix ends with a star."""
        match node:
            case Word(text) | Phrase(text):
                terms = [self.analyzer.term(word) for word in self.analyzer.words(text)]
                yield from [where + term for term in terms if term]
            case Prefix(text):
                folded = [self.analyzer.fold(word) for word in self.analyzer.words(text)[-1:]]
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

    def _impacts(self, name: str | tuple[str, ...]) -> dict[bytes, int]:
        """How heavy a term, or all of them as a name, is in each page that has it: 1 to 255."""
        if isinstance(name, str) and name.endswith("*"):
            where, _, bare = name[:-1].rpartition(":")
            begins = self._pages_where(lambda page: self._begins(page, bare, where))
            return dict.fromkeys(sorted(begins), MIDDLING)
        x: Callable[[Page, Any], float] = self._x if isinstance(name, str) else self._x_of_name
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
            for word in words:
                if self.analyzer.term(word) == term:
                    x += given.weight / norm
        return x

    def _x_of_name(self, page: Page, terms: tuple[str, ...]) -> float:
        x = 0.0
        for name in ("title", "anchors"):
            for text in page.fields[name]:
                said = [term for word in text if (term := self.analyzer.term(word))]
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
    names = [address.netloc, address.hostname or ""]
    if only_begins:
        return any(host.startswith(wanted) for host in names)
    return wanted in names or names[1].endswith(f".{wanted}")
