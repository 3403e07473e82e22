"""Is everything indexed that a collection has and the index has not, and nothing else?"""

from __future__ import annotations

import pytest

from gossamer.adapters.local.home import LocalHome
from gossamer.batch import index as module
from gossamer.batch.compact import compact
from gossamer.batch.index import index_pending, unindexed, vanished
from gossamer.batch.indexed_pages import indexed_pages, page_ids
from gossamer.bolts.index import due
from gossamer.bolts.manifest import REMEMBERED
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.crawl.url_state import State
from gossamer.core.ids import DocumentId, document_id
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.homes import decode_body
from gossamer.messages import DocumentParsed
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


def put(home, n: int, at: float = NOW, part: int = 0) -> DocumentId:
    id = document_id(url_id(url(n)), part)
    home.documents.put(id, Document(url=url(n), text=f"silk {n}"), at)
    return id


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
    ids = [put(home, n) for n in range(3)]
    put(home, 1, part=1)
    index_pending(home, writer(home))
    close(home, 1)

    gone = vanished(home, writer(home))
    index_pending(home, writer(home))

    assert set(gone) == {ids[1], document_id(url_id(url(1)), 1)}
    assert live_ids(home.index) == sorted([ids[0], ids[2]])
    assert (unindexed(home, writer(home)), vanished(home, writer(home))) == ([], {})


def test_a_page_that_came_back_is_indexed_once_and_known_after_a_merge(home):
    """Its removal and itself had one id in the merged segment, and the removal was found."""
    id = put(home, 1, NOW - 1)
    index_pending(home, writer(home))
    index_all(writer(home), gone={id: NOW - 1})
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
    index_all(writer(home), gone=dict.fromkeys(ids, old))
    compact(writer(home), whole=True)

    assert unindexed(home, writer(home)) == sorted(ids)
    assert vanished(home, writer(home)) == {}
    pages = indexed_pages(writer(home))
    assert (page_ids(pages.ids), pages.hosts()[0].tolist()) == (b"", [])
    new = put(home, 7)
    index_pending(home, writer(home))
    assert new in live_ids(home.index)


def test_documents_that_are_announced_twice_are_read_once(home):
    ids = sorted(put(home, n) for n in (1, 2))
    messages = [DocumentParsed(job="web", url=url(n), fetched_at=1.0) for n in (2, 1, 2, 99)]

    assert [version.id for version in due(messages, home.documents)] == ids
