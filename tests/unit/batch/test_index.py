"""Is everything indexed that a collection has and the index has not, and nothing else?"""

from __future__ import annotations

import gc

import pytest

from gossamer.adapters.local.home import LocalHome
from gossamer.batch import index as module
from gossamer.batch.compact import compact
from gossamer.batch.index import LotInverter, index_again, index_pending, unindexed, vanished
from gossamer.batch.indexed_pages import indexed_pages, page_ids
from gossamer.batch.inverters import Decided
from gossamer.bolts.index import due, without
from gossamer.bolts.manifest import REMEMBERED
from gossamer.core.collection import IndexSchema
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import State
from gossamer.core.ids import DocumentId, document_id, page_of
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.declared import TextField
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.homes import decode_body, searcher
from gossamer.messages import DocumentParsed
from gossamer.ports.edges import InLinks
from tests.indexing import index_all, live_ids, live_versions, writer_of
from tests.life import bring

DAY = 86_400.0
NOW = 100 * DAY


@pytest.fixture
def home(tmp_path):
    made = LocalHome(None, tmp_path, decode_body)
    yield made
    made.close()


def writer(home):
    return writer_of(home.index, lambda: NOW)


def url(n: int) -> str:
    return f"http://a.test/{n}"


def put(home, n: int, at: float = NOW) -> DocumentId:
    home.documents.put(url_id(url(n)), [Document(url=url(n), text=f"silk {n}")], at)
    return document_id(url_id(url(n)))


def put_items(home, n: int, *keys: str, at: float = NOW) -> list[DocumentId]:
    """A page with items, each with a key."""
    items = [Document(url=url(n), key=key, text=f"silk {key}") for key in keys]
    home.documents.put(url_id(url(n)), items, at)
    (page,) = home.documents.pages([url_id(url(n))])
    return [version.id for version in page.versions()]


def close(home, n: int) -> None:
    """A later crawl finds a page redirected."""
    home.urls.add([Discovery(url_id(url(n)), url(n), "a.test", 1)], b"", 100.0)
    bring(home.urls, url_id(url(n)), State.REDIRECTED)


def test_what_is_indexed_is_not_indexed_again(home):
    ids = sorted(put(home, n) for n in range(5))

    assert unindexed(home, writer(home)) == ids
    assert [index_pending(home, writer(home)) for _ in range(2)] == [5, 0]
    assert live_ids(home.index) == ids


def test_only_what_changed_since_is_indexed(home):
    ids = [put(home, n) for n in range(5)]
    index_pending(home, writer(home))
    put(home, 1, NOW + 1)
    home.documents.put_anchors({ids[3]: ["spider"]})

    assert unindexed(home, writer(home)) == sorted([ids[1], ids[3]])
    assert index_pending(home, writer(home)) == 2

    assert unindexed(home, writer(home)) == []
    assert live_versions(home.index) == dict.fromkeys(ids, NOW) | {ids[1]: NOW + 1}


def test_how_many_are_compared_at_a_time_changes_nothing(home, monkeypatch):
    ids = sorted(put(home, n) for n in range(7))
    monkeypatch.setattr(module, "STAMPS", 3)
    monkeypatch.setattr(module, "FIRST_LOT", 2)
    monkeypatch.setattr(module, "MOST_IN_LOT", 2)

    assert unindexed(home, writer(home)) == ids
    told: list[int] = []
    assert index_pending(home, writer(home), told.append) == 7

    assert told == [2, 4, 6, 7]
    assert unindexed(home, writer(home)) == []


def test_a_page_that_a_later_crawl_found_gone_leaves_with_all_its_documents(home):
    ids = [put(home, n) for n in (0, 2)]
    put_items(home, 1, "a", "b", "c")
    index_pending(home, writer(home))
    close(home, 1)

    gone = vanished(home, writer(home))
    index_pending(home, writer(home))

    assert gone == {url_id(url(1)): NOW}
    assert live_ids(home.index) == sorted(ids)
    assert (unindexed(home, writer(home)), vanished(home, writer(home))) == ([], {})


def test_a_page_with_fewer_documents_loses_the_others(home):
    before = put_items(home, 1, "a", "b", "c")
    index_pending(home, writer(home))

    after = put_items(home, 1, "d", "b", at=NOW + 1)
    index_pending(home, writer(home))

    assert live_versions(home.index) == dict.fromkeys(after, NOW + 1)
    assert len(set(before) & set(after)) == 1  # "b" has kept its id
    assert (unindexed(home, writer(home)), vanished(home, writer(home))) == ([], {})


def test_a_page_without_documents_loses_those_that_it_had_and_may_get_others(home):
    put_items(home, 1, "a", "b")
    plain = put(home, 2)
    index_pending(home, writer(home))

    put_items(home, 1, at=NOW + 1)
    assert vanished(home, writer(home)) == {url_id(url(1)): NOW}
    index_pending(home, writer(home))
    assert live_ids(home.index) == [plain]
    assert (unindexed(home, writer(home)), vanished(home, writer(home))) == ([], {})

    again = put_items(home, 1, "a", at=NOW + 2)
    index_pending(home, writer(home))
    assert live_ids(home.index) == sorted([plain, *again])


def test_a_page_that_never_had_documents_leaves_nothing_in_the_index(home):
    put_items(home, 1)

    assert index_pending(home, writer(home)) == 0
    assert home.index.manifest().segments == []


@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_the_documents_of_a_page_are_published_together_however_lots_are_cut(
    home, monkeypatch, most
):
    """In two segments the second half of a page would have taken the place of the first."""
    monkeypatch.setattr(module, "FIRST_LOT", most)
    monkeypatch.setattr(module, "MOST_IN_LOT", most)
    monkeypatch.setattr(module, "SEGMENT_DOCUMENTS", most)
    ids = [id for n in range(4) for id in put_items(home, n, *"abcde"[: n + 1])]

    assert index_pending(home, writer(home)) == len(ids)

    assert live_ids(home.index) == sorted(ids)
    assert unindexed(home, writer(home)) == []
    assert index_again(home, writer(home)) == len(ids)
    assert live_ids(home.index) == sorted(ids)


def test_a_page_is_indexed_again_as_a_whole_when_it_gets_another_name(home):
    ids = put_items(home, 1, "a", "b")
    index_pending(home, writer(home))
    home.documents.put_anchors({url_id(url(1)): ["spiders"]})

    assert unindexed(home, writer(home)) == ids
    assert index_pending(home, writer(home)) == 2

    assert live_ids(home.index) == ids
    assert unindexed(home, writer(home)) == []


@pytest.mark.parametrize(("keys", "found"), [("", 1), ("a", 1), ("ab", 0)])
def test_a_page_is_found_by_its_names_if_they_mean_one_document(home, keys, found):
    if keys:
        put_items(home, 1, *keys)
    else:
        put(home, 1)
    home.documents.put_anchors({url_id(url(1)): ["spiders"]})
    index_pending(home, writer(home))

    assert searcher(home).search("spiders", similar="all").total == found


def test_each_document_of_a_page_is_found_shown_and_explained_by_itself(home):
    ids = put_items(home, 1, "orb", "funnel")
    index_pending(home, writer(home))
    by_key = {v.document.key: v.id for v in home.documents.read(ids)}

    (hit,) = searcher(home).search("funnel", explain=True).hits

    assert (hit.id, hit.url) == (by_key["funnel"].hex(), url(1))
    assert hit.explain is not None
    view = searcher(home).document(by_key["orb"])
    assert view is not None
    assert (view.page, view.url, view.text) == (url_id(url(1)).hex(), url(1), "silk orb")


def test_all_documents_of_a_page_have_its_rank(home):
    ids = put_items(home, 1, "a", "b")
    home.edges.put_inlinks({url_id(url(1)): InLinks(3, [], 77)})

    index_pending(home, writer(home))

    (info,) = home.index.manifest().segments
    assert writer(home).opened.levels(info).tolist() == [77] * len(ids)


def test_documents_of_a_page_are_compared_each_for_itself(home):
    """Two items with the same long text are near-duplicates; the third one is none."""
    same, other = (" ".join(f"{word}{n}" for n in range(300)) for word in ("thread", "venom"))
    items = [
        Document(url=url(1), key=key, text=text)
        for key, text in (("a", same), ("b", same), ("c", other))
    ]
    home.documents.put(url_id(url(1)), items, NOW)
    index_pending(home, writer(home))

    hidden = searcher(home).search("thread1")
    shown = searcher(home).search("thread1", similar="all")

    assert (len(hidden.hits), hidden.hits[0].similar, len(shown.hits)) == (1, 1, 2)
    assert searcher(home).search("venom1").hits[0].similar == 0


def test_a_page_that_came_back_is_indexed_once_and_known_after_a_merge(home):
    """Its removal and itself had one id in the merged segment, and the removal was found."""
    id = put(home, 1, NOW - 1)
    index_pending(home, writer(home))
    index_all(writer(home), gone={page_of(id): NOW - 1})
    put(home, 1, NOW)
    index_pending(home, writer(home))

    compact(writer(home), whole=True)

    assert unindexed(home, writer(home)) == []
    assert live_versions(home.index) == {id: NOW}


def test_an_index_of_which_all_is_gone_and_forgotten_is_filled_again(home):
    """A merge of which nothing is left failed, and so did what looked into the empty segment."""
    old = NOW - REMEMBERED - DAY
    ids = [put(home, n, old) for n in range(2)]
    index_pending(home, writer(home))
    index_all(writer(home), gone=dict.fromkeys(map(page_of, ids), old))
    compact(writer(home), whole=True)

    assert unindexed(home, writer(home)) == sorted(ids)
    assert vanished(home, writer(home)) == {}
    pages = indexed_pages(writer(home))
    assert (page_ids(pages.ids), pages.hosts()[0].tolist()) == (b"", [])
    new = put(home, 7)
    index_pending(home, writer(home))
    assert new in live_ids(home.index)


def test_a_lot_leaves_no_cycles_because_they_are_looked_for_seldom(home):
    texts = ["silk C++ don't", "Die Straße, Café и вода 検索 silk", "plain silk", "naïve C++"]
    ids = []
    for n, text in enumerate(texts):
        page = Document(url=url(n), title=text, text=text, values={"tag": ["C++ thread"]})
        home.documents.put(url_id(url(n)), [page], NOW)
        ids.append(document_id(url_id(url(n))))
    schema = IndexSchema(fields={"tag": TextField(searched=True)})
    lots = LotInverter(home.documents, home.index.put, Analyzer(), schema)
    name = iter(("first", "second"))

    def work() -> None:
        lots.read(sorted(ids))
        lots.write(Decided(next(name), {}, {}))

    work()  # what is kept for ever is made
    gc.collect()
    gc.disable()
    try:
        work()
        lots.read([])
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_of_a_page_that_is_gone_since_no_document_is_indexed(home):
    put_items(home, 1, "a", "b")
    put_items(home, 2, "c", at=NOW + 1)
    versions = [v for page in home.documents.all() for v in page.versions()]
    gone = {url_id(url(n)): NOW for n in (1, 2)}

    assert [version.document.key for version in without(versions, gone)] == ["c"]


def test_documents_that_are_announced_twice_are_read_once(home):
    ids = sorted(put(home, n) for n in (1, 2))
    messages = [DocumentParsed(job="web", url=url(n), fetched_at=1.0) for n in (2, 1, 2, 99)]

    assert [version.id for version in due(messages, home.documents)] == ids
