"""A query reads heads first, and the lists themselves only where the heads are not enough."""

from __future__ import annotations

from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.batch.compact import merge
from gossamer.bolts import heads
from gossamer.bolts.manifest import put_levels
from gossamer.core.collection import CollectionSettings
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.ports.documents import Version
from gossamer.search.searcher import Searcher
from tests.effort import often
from tests.indexing import index_all, remove, writer_of
from tests.unit.search.test_rounds import FarStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

PAGES = 200
NAMES = ("silk", "web", "thread", "moth")  # some pages are called so
WORDS = (*NAMES, "spider", "orb", "claw")


def page(n: int, random: Random, repeats: int = 12) -> Version:
    words = [word for word in WORDS for _ in range(max(0, random.randrange(-3, repeats)))]
    title = random.choice([*NAMES, f"page {n}", "silk web"])
    text = " ".join([*words, f"rare{n // 3}", *["filler"] * random.randrange(40)])
    document = Document(url=f"http://{n % 3}.test/{n}", title=title, text=text, language="en")
    return Version(document_id(UrlId(b"%016d" % n)), 1.0, document)


@contextmanager
def stores() -> Iterator[tuple[Any, Any]]:
    """A store that is far and keeps heads, and one beside it."""
    one, other = Store(None), Store(None)
    try:
        yield FarStore(LocalSegmentStore(one, None)), LocalSegmentStore(other, None)
    finally:
        one.close()
        other.close()


def searcher(store: Any) -> Searcher:
    settings: Any = CollectionSettings()
    return Searcher(store, None, Analyzer(), settings, lambda: 0.0)  # type: ignore[arg-type]


def merged(store: Any, count: int, seed: int) -> None:
    random = Random(seed)
    versions = [page(n, random) for n in range(count)]
    for some in (versions[::2], versions[1::2]):
        index_all(writer_of(store), some)
    merge(writer_of(store), store.manifest().segments)


@pytest.fixture
def far() -> Iterator[FarStore]:
    with stores() as (store, _):
        merged(store, PAGES, 1)
        yield store


def opened(store: FarStore) -> Searcher:
    found = searcher(store)
    found.snapshot()
    store.rounds.clear()
    return found


def test_the_heaviest_postings_of_a_word_are_enough(far: FarStore, monkeypatch):
    """The page of results is shown from the segment; its lists are not read, nor are rests."""
    read: list[Any] = []
    inner = far._inner.read

    def noted(ranges: Any) -> Any:
        read.extend(ranges)
        return inner(ranges)

    monkeypatch.setattr(far._inner, "read", noted)
    asked = opened(far)
    [part] = asked.snapshot().parts
    lists = part.view.segment.list_ranges(range(len(part.view.segment.sparse)))

    found = asked.search("spider", similar="all", facets=())

    assert far.rounds[0] == "heads"
    assert "rests" not in far.rounds
    assert found.total == part.view.term("spider").df > heads.FIRST_POSTINGS
    assert not any(_overlap(one, other) for one in lists for other in read[1:])


def _overlap(one: Any, other: Any) -> bool:
    end = min(one.offset + one.size, other.offset + other.size)
    return bool(one.file == other.file and max(one.offset, other.offset) < end)


def test_two_words_are_counted_from_heads_and_rests(far: FarStore):
    asked = opened(far)

    asked.search("spider claw", similar="all")

    assert far.rounds[:2] == ["heads", "rests"]
    assert far.rounds.count("read") <= 1  # texts


def test_a_word_without_a_head_brings_all_lists_into_memory_once(far: FarStore, monkeypatch):
    monkeypatch.setattr(heads, "MAX_HEADS", 3)
    merge(writer_of(far), far.manifest().segments)
    asked = opened(far)
    asked.search("rare7 moth", similar="all")
    assert far.rounds.count("read") <= 2  # lists, texts
    far.rounds.clear()

    asked.search("rare9 silk", similar="all")
    asked.search("orb claw", similar="all")

    assert "heads" not in far.rounds
    assert far.rounds.count("read") <= 2  # texts


QUERIES = st.lists(st.sampled_from([*WORDS, "rare3", "nowhere"]), min_size=1, max_size=3)


@often(40)
@given(
    st.integers(70, 150),
    st.integers(0, 1000),
    st.lists(QUERIES, min_size=1, max_size=5),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1, 8, 2000]),
)
def test_answers_are_those_of_a_home_without_heads(count, seed, queries, ranked, removed, most):
    """Whatever is dead, ranked, or without a head; a phrase and a filter need more than heads."""
    with pytest.MonkeyPatch.context() as patch, stores() as (far, near):
        patch.setattr(heads, "MAX_HEADS", most)
        patch.setattr(heads, "FIRST_POSTINGS", 40)
        for store in (far, near):
            merged(store, count, seed)
            if ranked:
                put_levels(writer_of(store), _levels(store, seed))
            if removed:
                remove(writer_of(store), UrlId(b"%016d" % (seed % count)), at=2.0)
        one, other = searcher(far), searcher(near)
        for words in queries:
            text = " ".join(words)
            for query in (text, f'"{text}"', f"{text} site:1.test"):
                assert said(one, query) == said(other, query)


def _levels(store: Any, seed: int) -> dict[str, np.ndarray]:
    import numpy as np

    [info] = store.manifest().segments
    random = np.random.default_rng(seed)
    return {info.name: random.integers(0, 256, info.documents, np.uint8)}


def said(asked: Searcher, query: str) -> Any:
    found = asked.search(query, similar="all", limit=20)
    return found.total, found.total_is_exact, [(hit.id, hit.score) for hit in found.hits]
