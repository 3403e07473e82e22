"""However many segments there are, a query waits for the index a few times only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from gossamer.adapters.local.database import Store
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.batch.compact import merge
from gossamer.bolts.heads import heads_of
from gossamer.core.collection import CollectionSettings
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.ports.documents import Version
from gossamer.search import rounds, segment_view, small_files
from gossamer.search.scores import top
from gossamer.search.searcher import Searcher
from tests.indexing import index_all, remove, writer_of
from tests.unit.core.index.segments.making import use_small_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

SEGMENTS = 6
DOCUMENTS = 30  # of each


class FarStore:
    """A store that counts how often it is waited for, and keeps heads."""

    is_far = True

    def __init__(self, inner: LocalSegmentStore) -> None:
        self._inner = inner
        self.kept: dict[tuple[str, str], Any] = {}
        self.rounds: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def read(self, ranges):
        if ranges:
            self.rounds.append("read")
        return self._inner.read(ranges)

    def put_heads(self, heads):
        self.kept |= {(head.term, head.segment): head for head in heads}

    def heads(self, terms, segments, *, are_all=True):
        self.rounds.append("heads")
        return {
            key: replace(head, rest=b"")
            for key, head in self.kept.items()
            if key[0] in terms and key[1] in segments
        }

    def rests(self, keys, *, are_all=True):
        self.rounds.append("rests")
        return {key: self.kept[key].rest for key in keys}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[FarStore]:
    use_small_parts(monkeypatch)
    monkeypatch.setattr(small_files, "SMALL", 0)
    monkeypatch.setattr(small_files, "MOST_LISTS", 0)
    opened = Store(None)
    far = FarStore(LocalSegmentStore(opened, None))
    for number in range(SEGMENTS):
        first = number * DOCUMENTS
        index_all(writer_of(far), [version(n) for n in range(first, first + DOCUMENTS)])
    yield far
    opened.close()


def version(n: int) -> Version:
    id = document_id(UrlId(b"%016d" % n))
    # No two are equally long: equal scores of several segments would have to be told apart.
    words = f"silk moth{n % 2} thread web{n % 3} rare{n} " + "filler " * n
    document = Document(url=f"http://{n % 4}.test/{n}", text=words, language="en")
    return Version(id, 1.0, document)


def searcher(store: Any) -> Searcher:
    found = Searcher(store, None, Analyzer(), CollectionSettings(), lambda: 0.0)  # type: ignore[arg-type]
    found.search("nothing")  # opens the segments
    store.rounds.clear()
    return found


@pytest.mark.parametrize(
    ("query", "most"),
    [
        ("silk", 3),
        ("silk moth1", 3),
        ("silk moth1 web2 rare7", 3),
        ('"silk moth1"', 3),
        ('"silk moth1" -web2', 3),
        ("title:silk | rare9", 3),
        ("silk site:2.test lang:en", 3),
        ("silk -moth0", 3),
        ("silk.moth1", 3),
        ("silk.moth1 web2 C++", 3),
    ],
)
def test_new_words_wait_for_blocks_for_lists_and_for_documents(store, query, most):
    asked = searcher(store)

    found = asked.search(query, similar="all", strict=True)

    assert found.total
    assert len(store.rounds) <= most


def test_filters_facets_and_another_order_are_not_waited_for_one_by_one(store):
    asked = searcher(store)

    found = asked.search(
        "silk moth1",
        similar="all",
        filters=["host:1.test", "lang:en -title:web2"],
        facets=("*",),
        sort="-published",
    )

    assert found.total
    assert len(store.rounds) <= 3


def test_words_that_were_asked_for_before_are_not_waited_for(store):
    asked = searcher(store)
    queries = ("silk moth1", '"silk moth1"', "silk site:2.test", "silk")
    first = [asked.search(query, similar="all") for query in queries]
    store.rounds.clear()

    again = [asked.search(query, similar="all") for query in queries]

    assert store.rounds == []
    assert [[hit.id for hit in one.hits] for one in again] == [
        [hit.id for hit in one.hits] for one in first
    ]


def test_opening_takes_two_rounds_however_many_segments_there_are(store):
    found = Searcher(store, None, Analyzer(), CollectionSettings(), lambda: 0.0)  # type: ignore[arg-type]
    store.rounds.clear()

    found.snapshot()

    assert len(store.rounds) <= 2


def test_a_word_that_is_a_name_waits_for_the_depths_of_its_lists_once(store, monkeypatch):
    """Documents called by the word are among the best, wherever in its list they are."""
    for module in (rounds, top):
        monkeypatch.setattr(module, "WORTHWHILE", 5)
    monkeypatch.setattr(rounds, "LIKELY", 2)
    first = SEGMENTS * DOCUMENTS
    for number in range(3):
        fresh = [version(n) for n in range(first + number * 30, first + number * 30 + 29)]
        page = Document(url="http://5.test/", title="Silk", text="moth " * 90, language="en")
        called = Version(document_id(UrlId(b"%016d" % (first + number * 30 + 29))), 1.0, page)
        index_all(writer_of(store), [*fresh, called])
    infos = store.manifest().segments
    for few in (infos[0:3], infos[3:6], infos[6:9]):
        merge(writer_of(store, heads_from=1), few)
    asked = searcher(store)

    found = asked.search("silk", similar="all")

    assert found.hits[0].title == "Silk"
    assert len(store.rounds) <= 4  # heads, blocks, layers, texts


def test_heads_are_asked_for_where_segments_have_them(store):
    infos = store.manifest().segments
    merge(writer_of(store, heads_from=1), infos[:3])
    plain = searcher(store).search("silk moth1", similar="all")
    asked = searcher(store)

    found = asked.search("silk moth1", similar="all")

    assert store.rounds[0] == "heads"
    assert len(store.rounds) <= 4
    assert [(hit.id, hit.score) for hit in found.hits] == [
        (hit.id, hit.score) for hit in plain.hits
    ]


def test_answers_do_not_depend_on_heads(store):
    merge(writer_of(store, heads_from=10**9), store.manifest().segments)
    queries = ("silk", "silk moth1", "moth0 web1 rare5", '"silk moth1"', "silk.moth1 web2")
    without = [searcher(store).search(query, similar="all") for query in queries]
    [info] = store.manifest().segments
    writer = writer_of(store)
    merge(writer_of(store, heads_from=1), store.manifest().segments)
    [info] = store.manifest().segments
    assert info.has_heads
    assert {key[0] for key in store.kept} >= {"silk", "moth1"}
    assert list(heads_of(writer.opened.segment(info)))

    with_heads = [searcher(store).search(query, similar="all") for query in queries]

    for one, other in zip(without, with_heads, strict=True):
        assert one.total == other.total
        assert [(h.id, h.score) for h in one.hits] == [(h.id, h.score) for h in other.hits]


@pytest.mark.parametrize("few", [0, 1000])
def test_equal_scores_of_several_segments_cost_one_round_more(store, monkeypatch, few):
    monkeypatch.setattr(segment_view, "FEW_IDS", few)
    for number in (1000, 2000, 3000):
        text = Document(url=f"http://9.test/{number}", text="equal")
        id = document_id(UrlId(b"%016d" % number))
        index_all(writer_of(store), [Version(id, 1.0, text)])
    asked = searcher(store)

    found = asked.search("equal", similar="all")
    rounds = len(store.rounds)
    again = asked.search("equal", similar="all")

    assert [hit.url for hit in found.hits] == [f"http://9.test/{n}" for n in (1000, 2000, 3000)]
    assert [hit.url for hit in again.hits] == [hit.url for hit in found.hits]
    assert rounds <= 4
    assert len(store.rounds) == rounds


def test_dead_documents_cost_no_round(store):
    remove(writer_of(store), UrlId(b"%016d" % 4), UrlId(b"%016d" % 40), at=2.0)
    asked = searcher(store)

    found = asked.search("silk moth0", similar="all")

    assert len(store.rounds) <= 3
    assert found.total == SEGMENTS * DOCUMENTS - 2


def test_a_manifest_is_used_for_as_long_as_it_may_be_old(store):
    now = [0.0]
    found = Searcher(store, None, Analyzer(), CollectionSettings(), lambda: now[0], max_age=1.0)  # type: ignore[arg-type]
    first = found.snapshot()
    index_all(writer_of(store), [version(5000)])

    now[0] = 0.9
    assert found.snapshot() is first
    now[0] = 1.1
    assert found.snapshot().size == first.size + 1
