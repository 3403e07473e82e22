"""A tiny analyzer and random documents, for laws that do not depend on language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from gossamer.core.index.postings import read
from gossamer.core.index.word_numbers import Numbered
from gossamer.core.page.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gossamer.core.collection import Weights
    from gossamer.core.index.postings import Analyzes
    from gossamer.core.index.segments.table import Postings

WORDS = (
    "cat",
    "cats",
    "dog",
    "dogs",
    "the",
    "a",
    "fish",
    "fishy",
    "é",
    "x" * 40,
    "x-2",
    "x-ab",
    "ab-cd",
)


class Splitter:
    """Words are split at signs; "the" and "a" are stop words; a final s is no part of a term."""

    has_joined = True
    has_pairs = False

    def of_language(self, language: str) -> Splitter:
        return self

    def asked(self, words: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.terms_of(words))

    def words(self, text: str) -> list[str]:
        return re.findall(r"[^\W_]+", text)

    def numbered(self, texts: Sequence[str]) -> Numbered:
        found = [self.words(text) for text in texts]
        none = Numbered([], np.zeros(0, np.int32), np.zeros(0, np.int64))
        return none.beside(np.zeros(len(found), np.bool_), found)

    def terms_of(self, words: Iterable[str]) -> list[str]:
        return [self.term(word) for word in words]

    def folded(self, words: Iterable[str]) -> list[str]:
        return [self.fold(word) for word in words]

    def fold(self, word: str) -> str:
        return word

    def term(self, word: str) -> str:
        return "" if word in ("the", "a") else word.removesuffix("s")


texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
documents = st.builds(
    Document,
    url=st.just("http://a.test/"),
    title=texts,
    text=texts,
    headings=st.lists(st.tuples(st.just(1), texts), max_size=3),
    images=st.lists(texts, max_size=2),
)
batches = st.lists(documents, max_size=6)


def invert(
    documents: Sequence[Document],
    analyzer: Analyzes,
    weights: Weights,
    anchors: Sequence[Sequence[str]] = (),
) -> Postings:
    """The postings of a batch of documents, which are numbered from 0."""
    return read(documents, analyzer, anchors).postings(analyzer, weights)


def by_term(table: Postings) -> Iterator[tuple[str, Postings]]:
    """Each term of a table with its postings."""
    for row, term in enumerate(table.terms):
        yield term, table.rows(row, row + 1)
