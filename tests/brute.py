"""Which answer would a search give that looks at every word of every page, every time?

The oracle of the search tests: dictionaries and loops, no arrays, no segments, nothing remembered.
It shares the analyzer and the parser with the real search, and with them what a word is.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gossamer.core.ids import page_of
from gossamer.core.search.query import (
    All,
    And,
    Field,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
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

    def copy(self) -> Brute:
        return Brute(self.analyzer, self.weights, dict(self.pages), dict(self.gone))

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
        query = parse_query(text)
        is_named = query.mode == "ranked" and profile != "tfidf"
        scores = self._scores(query.node, profile, is_named)
        if query.mode == "ranked":
            found = {page.id for page in self.pages.values() if scores[page.id] > 0}
        else:
            found = self._match(query.node, in_title=False) or set()
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
        words = {name: [self.analyzer.words(text) for text in of] for name, of in texts.items()}
        return Page(version.id, version.fetched_at, document.url, document.language, words)

    # Which pages match? None is said of stop words: they ask for nothing.

    def _match(self, node: Node, *, in_title: bool) -> set[bytes] | None:  # noqa: C901 one line each
        match node:
            case All():
                return self._pages_where(lambda page: True)
            case Word(text) | Phrase(text):
                return self._phrase(text, in_title)
            case Prefix(text):
                return self._prefix(text, in_title)
            case Field("title", inner):
                return self._match(inner, in_title=True)
            case Field(name, inner):
                return self._address(name, inner)
            case Not(inner):
                found = self._match(inner, in_title=in_title)
                return None if found is None else self._pages_where(lambda page: True) - found
            case And(parts):
                found_all = self._heard(parts, in_title)
                return set.intersection(*found_all) if found_all else None
            case Or(parts):
                found_all = self._heard(parts, in_title)
                return set.union(*found_all) if found_all else None
        raise TypeError(node)

    def _heard(self, parts: tuple[Node, ...], in_title: bool) -> list[set[bytes]]:
        found = [self._match(part, in_title=in_title) for part in parts]
        return [pages for pages in found if pages is not None]

    def _pages_where(self, test: Callable[[Page], bool]) -> set[bytes]:
        return {page.id for page in self.pages.values() if test(page)}

    def _phrase(self, text: str, in_title: bool) -> set[bytes] | None:
        wanted = [self.analyzer.term(word) for word in self.analyzer.words(text)]
        while wanted and not wanted[-1]:
            wanted.pop()
        while wanted and not wanted[0]:
            wanted.pop(0)
        if not wanted:
            return None
        return self._pages_where(
            lambda page: any(self._stands(wanted, words) for words in _texts(page, in_title))
        )

    def _stands(self, wanted: list[str], words: list[str]) -> bool:
        """Whether the terms stand side by side; "" is any one word."""
        terms = [self.analyzer.term(word) for word in words]
        return any(
            all(term in ("", there) for term, there in zip(wanted, terms[at:], strict=False))
            for at in range(len(terms) - len(wanted) + 1)
        )

    def _prefix(self, text: str, in_title: bool) -> set[bytes] | None:
        *before, last = self.analyzer.words(text) or [""]
        beginning = self.analyzer.fold(last)
        if not beginning:
            return None
        found = self._pages_where(lambda page: self._begins(page, beginning, in_title))
        others = [self._phrase(word, in_title) for word in before]
        return found.intersection(*(pages for pages in others if pages is not None))

    def _begins(self, page: Page, beginning: str, in_title: bool = False) -> bool:
        return any(
            self.analyzer.fold(word).startswith(beginning)
            for words in _texts(page, in_title)
            for word in words
        )

    def _address(self, name: str, node: Node) -> set[bytes]:
        """Pages by their site, URL or language."""
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
            case Word(text) | Phrase(text):
                return self._pages_where(lambda page: _has(page, name, text.casefold(), False))
            case Prefix(text):
                return self._pages_where(lambda page: _has(page, name, text.casefold(), True))
        raise TypeError(node)

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

    def _asked(self, node: Node) -> Iterator[str]:
        """The terms that add to a score; a prefix ends with a star."""
        match node:
            case Word(text) | Phrase(text):
                terms = [self.analyzer.term(word) for word in self.analyzer.words(text)]
                yield from [term for term in terms if term]
            case Prefix(text):
                yield from [f"{self.analyzer.fold(w)}*" for w in self.analyzer.words(text)[-1:]]
            case And(parts) | Or(parts):
                for part in parts:
                    yield from self._asked(part)
            case Field("title", inner):
                yield from self._asked(inner)

    def _idf(self, df: int) -> float:
        return math.log(1.0 + (len(self.pages) - df + 0.5) / (df + 0.5))

    def _impacts(self, name: str | tuple[str, ...]) -> dict[bytes, int]:
        """How heavy a term, or all of them as a name, is in each page that has it: 1 to 255."""
        if isinstance(name, str) and name.endswith("*"):
            begins = self._pages_where(lambda page: self._begins(page, name[:-1]))
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
        for name, texts in page.fields.items():
            given = self.weights.of(name)
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


def _texts(page: Page, in_title: bool) -> list[list[str]]:
    chosen = [page.fields["title"]] if in_title else page.fields.values()
    return [words for texts in chosen for words in texts]


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
