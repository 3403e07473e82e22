"""Similar pages, and only they, share a cluster and a place in the results."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import homes
from gossamer.adapters.local.collection_settings import SqliteCollectionSettings
from gossamer.adapters.local.content_owners import SqliteContentStore
from gossamer.adapters.local.database import Store
from gossamer.adapters.local.documents import SqliteDocumentStore
from gossamer.adapters.local.home import TABLES
from gossamer.adapters.local.segments import LocalSegmentStore
from gossamer.batch.near_duplicates import clusters_of, prints_of
from gossamer.bolts.index import words_of
from gossamer.core.ids import document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.near_duplicates.hashing_many import hashed
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.ports.documents import Version
from gossamer.search import searcher
from gossamer.search.results import similar_results
from tests.aws_backend import by_resource
from tests.effort import often
from tests.indexing import index_all, remove, writer_of

if TYPE_CHECKING:
    from gossamer.ports.content_owners import Founder

ANALYZER = Analyzer()


def article(seed: object, sentences: int = 40) -> str:
    """A text of its own: ten words in each sentence, of which no two articles share many."""
    chance = random.Random(str(seed))
    words = [f"w{chance.randrange(10**6)}" for _ in range(sentences * 10)]
    rows = [" ".join(words[n : n + 10]) for n in range(0, len(words), 10)]
    return "silk thread. " + ". ".join(rows)


def edited(text: str, place: int = 20) -> str:
    """The same with another sentence."""
    rows = text.split(". ")
    return ". ".join(
        [*rows[:place], "this one sentence alone is new here and nowhere else", *rows[place + 1 :]]
    )


def give_all_one_key(patch: pytest.MonkeyPatch, value: int | None = None) -> None:
    """Every text has the same key, and a value of its own if none is given."""

    def same(words: Any, starts: Any) -> Any:
        return [(value or own, (b"the same",)) for own, _ in hashed(words, starts)]

    patch.setattr("gossamer.batch.near_duplicates.hashed", same)


@dataclass
class Collection:
    """Pages, indexed as the two homes do it."""

    store: Any = field(default_factory=lambda: Store(None, TABLES))
    at: float = 0.0

    def __post_init__(self) -> None:
        self.index = LocalSegmentStore(self.store, None)
        self.documents = SqliteDocumentStore(self.store)
        self.contents = SqliteContentStore(self.store)
        self.settings = SqliteCollectionSettings(self.store)
        home: Any = self
        self.searcher = homes.searcher(home)

    def put(self, *documents: Document) -> dict[str, int]:
        """Index some pages in one batch; the clusters by URL."""
        self.at += 100.0
        for document in documents:
            self.documents.put(url_id(document.url), [document], self.at)
        return self.index_again(*(document.url for document in documents))

    def index_again(self, *urls: str) -> dict[str, int]:
        batch = self.documents.read([document_id(url_id(url)) for url in urls])
        words = words_of(batch, ANALYZER)
        clusters = clusters_of(prints_of(batch, words), self.contents, self.documents)
        index_all(writer_of(self.index), batch, clusters=clusters)
        return {version.document.url: clusters[version.id] for version in batch}

    def founders(self) -> list[tuple[bytes, Founder]]:
        """Each key with each of its founders."""
        entries = (entry for _, entry in self.contents.entries())
        return [(entry.key, founder) for entry in entries for founder in entry.founders]

    def answer(self, query: str = "silk", **options: Any) -> list[tuple[str, int]]:
        found = self.searcher.search(query, **options)
        return [(hit.url[-1], hit.similar) for hit in found.hits]


def page(name: str, text: str, **more: Any) -> Document:
    return Document(url=f"http://a.test/{name}", text=text, **more)


@pytest.fixture
def collection() -> Collection:
    return Collection()


class TestClusters:
    def test_pages_that_differ_by_a_sentence_are_in_one(self, collection):
        text = article(1)

        found = collection.put(page("1", text), page("2", edited(text)), page("3", article(2)))

        one, two, three = found.values()
        assert one == two != three

    def test_it_does_not_matter_in_which_batch_a_page_comes(self, collection):
        text = article(1)

        first = collection.put(page("1", text), page("3", article(2)))
        later = collection.put(page("2", edited(text)))

        assert later["http://a.test/2"] == first["http://a.test/1"]

    def test_a_page_that_comes_twice_finds_itself_and_writes_nothing(self, collection):
        first = collection.put(page("1", article(1)))
        rows = collection.founders()

        again = collection.index_again("http://a.test/1")

        assert again == first
        assert collection.founders() == rows

    def test_a_similar_page_writes_nothing(self, collection):
        text = article(1)
        collection.put(page("1", text))
        rows = collection.founders()

        collection.put(page("2", edited(text)))

        assert len(rows) == 4
        assert collection.founders() == rows

    def test_a_page_that_says_something_else_now_leaves_its_cluster(self, collection):
        text = article(1)
        before = collection.put(page("1", text), page("2", edited(text)))

        after = collection.put(page("2", article(2)))

        assert after["http://a.test/2"] != before["http://a.test/1"]
        assert sorted(collection.answer()) == [("1", 0), ("2", 0)]

    def test_a_founder_that_was_rewritten_attracts_no_page(self, collection):
        text = article(1)
        before = collection.put(page("1", text))
        changed = collection.put(page("1", article(2)))

        copies = collection.put(page("2", text), page("3", edited(text)))

        two, three = copies.values()
        assert two == three != changed["http://a.test/1"]
        assert before["http://a.test/1"] != changed["http://a.test/1"]

    def test_a_founder_whose_document_is_gone_is_forgotten(self, collection):
        text = article(1)
        collection.put(page("1", text))
        collection.store.write("DELETE FROM documents")

        collection.put(page("2", text))

        ids = {founder.id for _, founder in collection.founders()}
        assert ids == {url_id("http://a.test/2")}

    def test_a_founder_that_is_hardly_changed_keeps_its_cluster(self, collection):
        text = article(1, 200)
        before = collection.put(page("1", text), page("2", edited(text)))

        after = collection.put(page("1", text.replace("silk thread", "thread of silk")))

        assert after["http://a.test/1"] == before["http://a.test/2"]

    def test_pages_with_the_same_hash_are_not_similar_for_that(self, collection, monkeypatch):
        monkeypatch.setattr("gossamer.core.near_duplicates.hashing.simhash", lambda _: 7)
        give_all_one_key(monkeypatch, 7)

        found = collection.put(*(page(str(n), article(n)) for n in range(6)))

        assert len(set(found.values())) == 6

    def test_a_key_takes_no_fifth_founder(self, collection, monkeypatch):
        give_all_one_key(monkeypatch)

        found = collection.put(*(page(str(n), article(n)) for n in range(6)))

        assert len(set(found.values())) == 6
        assert len(collection.founders()) == 4

    @pytest.mark.parametrize(
        ("canonicals", "texts", "together"),
        [
            (("http://a.test/1", "http://a.test/1"), ("a few words", "a few words"), True),
            (("", "http://a.test/1"), ("a few words", "a few words"), True),
            (("", ""), ("a few words", "a few words"), False),
            (("", "http://a.test/1"), ("a few words", "some more words"), False),
            (("", "http://a.test/1"), ("", ""), False),
        ],
    )
    def test_a_short_text_is_known_by_its_canonical_url(
        self, collection, canonicals, texts, together
    ):
        pairs = zip(canonicals, texts, strict=True)
        pages = [page(str(n), text, canonical=to) for n, (to, text) in enumerate(pairs, 1)]

        one, two = collection.put(*pages).values()

        assert (one == two != 0) is together


class TestResults:
    def test_similar_pages_are_one_result(self, collection):
        text = article(1)
        collection.put(page("1", text), page("2", article(2)), page("3", edited(text)))

        assert sorted(collection.answer()) == [("1", 1), ("2", 0)]
        assert sorted(collection.answer(similar="all")) == [("1", 0), ("2", 0), ("3", 0)]

    @pytest.mark.parametrize("query", ["silk", "silk & thread", "site:a.test", "!wool", '"silk'])
    def test_whatever_is_asked(self, collection, query):
        text = article(1)
        collection.put(page("1", text), page("2", article(2)), page("3", edited(text)))
        query = query + ' thread"' if query.startswith('"') else query

        found = collection.searcher.search(query)

        assert (found.total, found.similar, len(found.hits)) == (3, 1, 2)

    def test_the_best_is_shown_with_its_score(self, collection):
        text = article(1)
        collection.put(page("1", text), page("2", text, title="silk"), page("3", article(2)))

        everything = collection.searcher.search("silk", similar="all").hits
        found = collection.searcher.search("silk").hits

        assert [hit.url[-1] for hit in found] == ["2", "3"]
        scores = {hit.url: hit.score for hit in everything}
        assert [hit.score for hit in found] == [scores[hit.url] for hit in found]

    def test_the_canonical_page_is_shown_where_the_best_would_be(self, collection):
        text = article(1)
        canonical = "http://a.test/1"
        collection.put(
            page("1", text),
            page("2", text, title="silk", canonical=canonical),
            page("3", article(2)),
        )

        assert collection.answer() == [("1", 1), ("3", 0)]

    def test_a_canonical_page_that_says_something_else_is_not_believed(self, collection):
        home = "http://a.test/1"
        others = [page(str(n), article(n), canonical=home) for n in (2, 3, 4)]
        collection.put(page("1", article(1), canonical=home), *others)

        assert sorted(collection.answer()) == [("1", 0), ("2", 0), ("3", 0), ("4", 0)]

    def test_a_canonical_page_that_does_not_match_is_not_shown(self, collection):
        text = article(1)
        canonical = "http://a.test/1"
        collection.put(page("1", text), page("2", text, title="moth", canonical=canonical))

        assert collection.answer("moth") == [("2", 0)]

    @pytest.mark.parametrize("canonical", ["", "http://a.test/fr/1"])
    def test_a_page_that_is_not_translated_does_not_stand_for_the_original(
        self, collection, canonical
    ):
        text = article(1)
        collection.put(
            page("1", text, language="en"),
            page("fr/1", text, title="silk", language="en", canonical=canonical),
        )

        [hit] = collection.searcher.search("silk").hits

        assert (hit.url, hit.similar) == ("http://a.test/1", 1)

    def test_one_that_is_not_translated_stands_for_others_like_it(self, collection):
        text = article(1)
        collection.put(
            page("de/1", text, language="en"),
            page("fr/1", text, title="silk", language="en"),
        )

        [hit] = collection.searcher.search("silk").hits

        assert (hit.url, hit.similar) == ("http://a.test/fr/1", 1)

    def test_an_explanation_tells_what_is_not_shown(self, collection):
        text = article(1)
        collection.put(page("1", text), page("2", text), page("3", text))

        [hit] = collection.searcher.search("silk", explain=True).hits

        assert hit.explain.similar == 2

    def test_a_page_that_is_removed_is_not_counted(self, collection):
        text = article(1)
        collection.put(page("1", text), page("2", text))

        remove(writer_of(collection.index), url_id("http://a.test/1"), at=collection.at)

        assert collection.answer() == [("2", 0)]

    def test_only_the_results_near_a_page_of_them_are_looked_up(self, collection, monkeypatch):
        collection.put(*(page(str(n), f"silk {n}") for n in range(200)))
        asked: list[int] = []
        values = similar_results.cluster_values

        def watched(found, snapshot, pinned):
            asked.extend([each.document for each in found])
            return values(found, snapshot, pinned)

        monkeypatch.setattr(searcher, "cluster_values", watched)

        collection.searcher.search("silk", page=2)

        assert len(asked) == len(set(asked)) == 20 + similar_results.AHEAD

    def test_many_copies_do_not_leave_a_page_of_results_empty(self, collection):
        text = article(1)
        copies = [page(f"copy/{n}", text, title="silk") for n in range(90)]
        collection.put(*copies, *(page(str(n), f"silk {n}") for n in range(9)))

        found = collection.searcher.search("silk")

        assert [hit.similar for hit in found.hits] == [89, *[0] * 9]


LENGTHS = st.lists(st.sampled_from(("", "a", "b", "c")), min_size=1, max_size=24)


@often(60)
@given(LENGTHS, st.integers(1, 7), st.integers(0, 4))
def test_the_pages_of_results_are_cut_from_one_list(kinds, limit, ahead):
    """Whatever is looked at for each: nothing is lost, nothing comes twice, the order is one."""
    collection = Collection()
    texts = {kind: article(kind) for kind in "abc"}
    collection.put(
        *(
            page(f"{kind}{n}", texts.get(kind) or article(n), title="silk " * (n % 3))
            for n, kind in enumerate(kinds)
        )
    )
    name = {url_id(f"http://a.test/{kind}{n}"): kind or n for n, kind in enumerate(kinds)}
    every = collection.searcher.search("silk", limit=1000, similar="all").hits

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similar_results, "AHEAD", ahead)
        turned = []
        for number in range(1, len(kinds) + 2):
            found = collection.searcher.search("silk", page=number, limit=limit)
            turned += [(hit.rank, name[url_id(hit.url)], hit.score) for hit in found.hits]

    best = dict(reversed([(name[url_id(hit.url)], hit.score) for hit in every]))
    order = list(dict.fromkeys(name[url_id(hit.url)] for hit in every))
    assert turned == [(rank, kind, best[kind]) for rank, kind in enumerate(order, 1)]
    assert found.hits == []
    assert found.total - found.similar == len(order)


def test_documents_that_were_indexed_without_clusters_are_in_none(collection):
    text = article(1)
    documents = [page("1", text), page("2", text)]
    batch = [Version(document_id(url_id(d.url)), 1.0, d) for d in documents]
    for version in batch:
        collection.documents.put(version.id, [version.document], 1.0)
    index_all(writer_of(collection.index), batch)

    assert sorted(collection.answer()) == [("1", 0), ("2", 0)]


def test_an_answer_without_similar_pages_says_nothing_of_them(collection):
    collection.put(page("1", "silk"))

    [hit] = collection.searcher.search("silk").hits

    assert "similar" not in msgspec.to_builtins(hit)


def indexed(home: Any, *documents: Document) -> None:
    """Index pages in either home, in one batch."""
    for document in documents:
        home.documents.put(url_id(document.url), [document], 1.0)
    batch = home.documents.read([url_id(document.url) for document in documents])
    words = words_of(batch, ANALYZER)
    clusters = clusters_of(prints_of(batch, words), home.contents, home.documents)
    index_all(writer_of(home.index), batch, clusters=clusters)


def test_both_homes_show_one_of_similar_pages(any_home):
    text = article(1)
    indexed(any_home, page("1", text), page("2", article(2)))
    indexed(any_home, page("3", edited(text)))

    found = homes.searcher(any_home).search("silk")

    assert sorted((hit.url[-1], hit.similar) for hit in found.hits) == [("1", 1), ("2", 0)]


@pytest.mark.only("moto")
def test_what_similar_pages_cost(any_home):
    text = article(1)
    indexed(any_home, page("1", text))
    founder = by_resource(any_home.meter, "s3put")["bucket:similar/"]
    any_home.meter.reset()
    indexed(any_home, page("2", edited(text)))
    copy = any_home.meter

    assert founder == 1
    assert by_resource(copy, "s3put").get("bucket:similar/", 0) == 0
    assert by_resource(copy, "s3get")["bucket:similar/"] == 2  # the footer and a block
