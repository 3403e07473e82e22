"""Does the index follow what other pages call a page, in every home?"""

from __future__ import annotations

import pytest

from gossamer import homes
from gossamer.batch.index import unindexed
from gossamer.batch.indexed_pages import indexed_pages
from gossamer.bolts.index import due
from gossamer.core.index.anchors import digest
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.messages import DocumentParsed
from tests.conftest import CLOUD, EMBEDDED
from tests.indexing import index_all, index_home, live_ids, remove, writer_of

ONE, TWO = "http://a.test/1", "http://a.test/2"


@pytest.fixture
def searched(any_home):
    for url in (ONE, TWO):
        any_home.documents.put(url_id(url), [Document(url=url, text="silk thread")], 1.0)
    announce(any_home, ONE, TWO)
    return any_home


def announce(home, *urls: str) -> None:
    """As INDEX does when it is told again of these documents."""
    messages = [DocumentParsed(job="web", url=url, fetched_at=1.0) for url in urls]
    index_all(writer_of(home.index), due(messages, home.documents))


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
        assert len(live_ids(searched.index)) == 2


def test_the_index_tells_which_anchors_a_page_was_indexed_with(searched):
    searched.documents.put_anchors({url_id(ONE): ["spider", "web"]})
    announce(searched, ONE)

    pages = indexed_pages(writer_of(searched.index))
    by_url = {page.url: page.anchors for page in pages.look_up(pages.live.tolist())}

    assert by_url == {ONE: digest(("spider", "web")), TWO: b""}


def test_anchors_are_indexed_with_every_later_version(searched):
    searched.documents.put_anchors({url_id(ONE): ["spider"]})
    searched.documents.put(url_id(ONE), [Document(url=ONE, text="wool")], 2.0)

    announce(searched, ONE)

    assert found(searched, "spider") == found(searched, "wool") == [ONE]


@pytest.mark.only(*CLOUD)  # the embedded home finds by itself what is not indexed
def test_a_late_message_does_not_bring_a_removed_page_back_for_its_anchors(any_home):
    home = any_home
    home.documents.put(url_id(ONE), [Document(url=ONE, text="silk")], 1.0)
    announce(home, ONE)
    remove(writer_of(home.index), url_id(ONE), at=1.0)

    home.documents.put_anchors({url_id(ONE): ["spider"]})
    announce(home, ONE)

    assert found(home, "spider") == found(home, "silk") == []


@pytest.mark.only(*EMBEDDED)
def test_what_is_pending_are_the_documents_with_other_anchors_than_indexed(searched):
    def pending():
        return unindexed(searched, writer_of(searched.index))

    assert pending() == []
    for anchors in (["spider"], ["beetle", "bug"], []):
        searched.documents.put_anchors({url_id(TWO): anchors})
        assert pending() == [url_id(TWO)]

        assert index_home(searched) == 1

        assert pending() == []
        assert found(searched, "spider beetle") == ([TWO] if anchors else [])
