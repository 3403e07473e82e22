"""Does `gossamer search` find pages of a stack?"""

from __future__ import annotations

from gossamer.core.crawl.url_state import State
from gossamer.core.ids import document_id
from gossamer.core.urls import url_id
from tests.indexing import index_all, writer_of
from tests.unit.entrypoints.moto_stack import STACK, add_document, add_url, home, result, run

PAGE = "http://a.test/"


def test_what_was_indexed_is_found(capsys, stack):
    add_url(PAGE, State.PARSED, "document")
    add_document(PAGE, "Silk")
    opened = home()
    versions = opened.documents.read([document_id(url_id(PAGE))])
    index_all(writer_of(opened.index), versions)

    found = result(capsys, "search", "silk")

    assert [hit["url"] for hit in found["hits"]] == [PAGE]


def test_a_query_that_cannot_be_read_is_pointed_at(capsys, stack):
    code, _, err = run(capsys, "--stack", STACK, "search", "--", '"open')

    assert code == 2
    assert "^" in err
