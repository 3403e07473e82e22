"""Does `word~` find what a look at every word of every page finds, before and after merging?"""

from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.batch.compact import compact
from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import QueryError
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.ports.documents import Version
from gossamer.search.searcher import Searcher
from tests.groups import groups_of
from tests.indexing import index_all, writer_of

WORDS = st.text("abcs", min_size=3, max_size=6)
PLAIN = Analyzer(language="")  # as it is written, so that the oracle needs no stems


class Collection:
    """Documents of some words, as many segments as there are batches."""

    def __init__(
        self, batches: list[list[str]], analyzer: Analyzer = PLAIN, index: Any = None
    ) -> None:
        self.store = Store(None)
        self.index = index or LocalSegmentStore(self.store, None)
        self.texts: list[str] = []
        for batch in batches:
            versions = [version(len(self.texts) + n, text) for n, text in enumerate(batch)]
            self.texts += batch
            index_all(writer_of(self.index), versions, analyzer=analyzer)
        documents: Any = SimpleNamespace(reads=0.0, peek=lambda _ids: ())
        asked = self.index, documents, analyzer, CollectionSettings()
        self.one = Searcher(*asked, lambda: 0.0)
        self.groups = Searcher(*asked, lambda: 0.0, groups=groups_of(*asked))

    def found(self, query: str, *, strict: bool = False) -> list[int]:
        hits = self.one.search(query, limit=100, correct=False, strict=strict).hits
        return [int(hit.url.rpartition("/")[2]) for hit in hits]


def version(n: int, text: str) -> Version:
    document = Document(url=f"http://a.test/{n}", title="", text=text)
    return Version(document_id(UrlId(b"%016d" % n)), 1.0, document)


def edits(typed: str, word: str) -> int:
    distance = OSA.distance(typed, word)
    return distance + (distance > 0 and typed[0] != word[0])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=2, max_size=8), WORDS)
def test_similar_words_find_what_a_look_at_every_word_finds(texts, typed):
    check_similar(texts, typed)


def check_similar(texts: list[list[str]], typed: str, index: Any = None) -> None:
    """The same words, by the search and by a look at every word, before and after merging."""
    lines = [" ".join(text) for text in texts]
    made = Collection([lines[::2], lines[1::2]], index=index)
    order = [*lines[::2], *lines[1::2]]
    for merged in (False, True):
        if merged:
            compact(writer_of(made.index), whole=True)
        for most in (1, 2):
            expected = {
                n
                for n, text in enumerate(order)
                if any(edits(typed, word) <= most for word in text.split())
            }
            assert set(made.found(f"{typed}~{most}")) == expected
            total = made.groups.search(f"{typed}~{most}", correct=False, similar="all").total
            assert total == len(expected)
    made.store.close()


@pytest.fixture
def collection():
    texts = ["a spyder " + "web " * 50, "spider spider spider", "spiders and silk", "a moth"]
    made = Collection([texts[:2], texts[2:]], Analyzer())
    yield made
    made.store.close()


def test_a_word_as_typed_comes_before_those_spelt_alike(collection):
    assert collection.found("spyder~")[0] == 0
    assert sorted(collection.found("spyder~")) == [0, 1, 2]


def test_similar_words_count_less_the_more_they_differ(collection):
    near, far = (
        collection.one.search(query, correct=False).hits[0].score
        for query in ("spidre~", "spdire~2")
    )

    assert 0 < far < near


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("spidre~ & silk", [2]),
        ("spidre~ -silk", [1]),
        ("-spidre~ & *", [0, 3]),
        ("silk | moht~1", [2, 3]),
        ("mth~", [3]),
        ("spi3er~", []),
        ("title:spidre~", []),
    ],
)
def test_similar_words_work_with_operators_and_fields(collection, query, expected):
    assert sorted(collection.found(query, strict=True)) == expected


def test_snippets_mark_the_word_that_was_found(collection):
    hits = collection.one.search("spidre~ & silk", correct=False).hits

    assert next(piece.text for piece in hits[0].highlights if piece.hit) == "spiders"


@pytest.mark.parametrize("query", ["x" * 900 + "~2", "e\u0301" * 50 + "~", "蜘蛛~1"])
def test_hostile_tildes_are_answered(collection, query):
    assert collection.one.search(query).total == 0


@pytest.mark.parametrize("query", ["~", "~1"])
def test_a_tilde_without_a_word_asks_for_nothing_similar(collection, query):
    with suppress(QueryError):
        assert collection.one.search(query).total == 0
