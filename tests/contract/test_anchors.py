"""Does the index follow what other pages call a page, in every home?"""

from __future__ import annotations

import pytest

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.batch.index import index_pending
from gossamer.bolts.index import due, index
from gossamer.core.collection import Weights
from gossamer.core.ids import document_id
from gossamer.core.index.anchors import digest
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.homes import decode_body
from gossamer.messages import DocumentParsed
from tests.conftest import CLOUD, EMBEDDED

ONE, TWO = "http://a.test/1", "http://a.test/2"


@pytest.fixture
def searched(any_home):
    for url in (ONE, TWO):
        any_home.documents.put(url_id(url), Document(url=url, text="silk thread"), 1.0)
    announce(any_home, ONE, TWO)
    return any_home


def announce(home, *urls: str) -> None:
    """As INDEX does when it is told again of these documents."""
    messages = [DocumentParsed(job="web", url=url, fetched_at=1.0) for url in urls]
    index(due(messages, home.documents), home.index, analyzer(home), Weights(), now=0.0)


def analyzer(home):
    return homes.analyzer_of(home)


def found(home, query: str) -> list[str]:
    return [hit.url for hit in homes.searcher(home).search(query).hits]


def test_a_page_is_found_by_its_anchors_from_when_it_is_indexed_again(searched):
    searched.documents.put_anchors({url_id(ONE): ["spider's web"]})
    assert found(searched, "spider") == []

    announce(searched, ONE)

    assert found(searched, "spider") == found(searched, '"spider web"') == [ONE]
    assert sorted(found(searched, "silk")) == [ONE, TWO]


def test_a_page_is_not_found_by_an_anchor_whose_source_changed_or_vanished(searched):
    for anchors in (["spider"], ["beetle"], []):
        searched.documents.put_anchors({url_id(ONE): anchors})
        announce(searched, ONE)

        for name in ("spider", "beetle"):
            assert found(searched, name) == ([ONE] if name in anchors else [])
        assert len(searched.index.live()) == 2


def test_an_ordinal_tells_which_anchors_were_indexed_with_it(searched):
    searched.documents.put_anchors({url_id(ONE): ["spider", "web"]})
    announce(searched, ONE)

    by_url = {page.url: page.anchors for page in searched.index.all_live()}

    assert by_url == {ONE: digest(("spider", "web")), TWO: b""}


def test_anchors_are_indexed_with_every_later_version(searched):
    searched.documents.put_anchors({url_id(ONE): ["spider"]})
    searched.documents.put(url_id(ONE), Document(url=ONE, text="wool"), 2.0)

    announce(searched, ONE)

    assert found(searched, "spider") == found(searched, "wool") == [ONE]


@pytest.mark.only(*CLOUD)  # the embedded home finds by itself what is not indexed
def test_a_late_message_does_not_bring_a_removed_page_back_for_its_anchors(any_home):
    home = any_home
    home.documents.put(url_id(ONE), Document(url=ONE, text="silk"), 1.0)
    announce(home, ONE)
    home.index.remove([url_id(ONE)])

    home.documents.put_anchors({url_id(ONE): ["spider"]})
    announce(home, ONE)

    assert found(home, "spider") == found(home, "silk") == []


@pytest.mark.only(*EMBEDDED)
def test_what_is_pending_are_the_documents_with_other_anchors_than_indexed(searched):
    def pending():
        return searched.unindexed()

    assert pending() == []
    for anchors in (["spider"], ["beetle", "bug"], []):
        searched.documents.put_anchors({url_id(TWO): anchors})
        assert pending() == [url_id(TWO)]

        assert index_pending(searched) == 1

        assert pending() == []
        assert found(searched, "spider beetle") == ([TWO] if anchors else [])


@pytest.mark.only("sqlite-disk")
def test_a_file_from_before_there_were_anchors_is_searched_without_being_changed(backend):
    home = backend.home
    home.documents.put(url_id(ONE), Document(url=ONE, text="silk"), 1.0)
    announce(home, ONE)
    for table, column in (
        ("documents", "anchors"),
        ("ordinals", "anchors"),
        ("ordinals", "cluster"),
    ):
        home.store.write(f"ALTER TABLE {table} DROP COLUMN {column}")
    home.store.write("DROP TABLE settings")
    home.store.write("PRAGMA user_version=3")
    home.close()

    old = LocalHome(backend.folder / "web.db", backend.folder / "warc", decode_body, read_only=True)

    assert found(old, "silk") == [ONE]
    assert old.documents.read([document_id(url_id(ONE))])[0].anchors == ()
    assert [page.anchors for page in old.index.all_live()] == [b""]
    old.close()
