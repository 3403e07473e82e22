from __future__ import annotations

import pytest

from gossamer.adapters.aws.dynamodb.models import SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.crawl.url_state import State
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.messages import DocumentParsed, decode
from gossamer.settings import Settings
from tests.commands import found, said
from tests.local_home import open_local
from tests.unit.entrypoints.moto_stack import STACK, add_document, add_url, home, result


def put(home, *names: str) -> None:
    for name in names:
        document = Document(url=f"http://a.test/{name}", text=f"silk {name}")
        home.documents.put(url_id(document.url), [document], 1.0)
    home.commit()


def test_everything_is_indexed_anew_and_found_as_before(tmp_path):
    home = open_local(Settings(data=str(tmp_path)))
    put(home, "moth", "spider")
    home.close()
    said("index", "--data", tmp_path)
    before = open_local(Settings(data=str(tmp_path)), read_only=True).index.manifest()

    done = said("reindex", "--data", tmp_path)

    after = open_local(Settings(data=str(tmp_path)), read_only=True).index.manifest()
    assert done["documents"] == after.live == 2
    assert not {info.name for info in before.segments} & {info.name for info in after.segments}
    assert len(found(tmp_path, "silk")) == 2


def test_a_stack_sends_every_document_to_index_also_over_an_older_index(capsys, stack):
    add_document("http://a.test/", "Silk")
    opened = home()
    old = SegmentItem("web", "manifest", body=b'{"version":5,"deltas":[3]}', version=5)
    Table(opened.clients, STACK, SegmentItem).put(old)
    with pytest.raises(ConfigurationError, match="reindex"):
        opened.index.manifest()

    assert result(capsys, "reindex")["documents"] == 1

    assert opened.index.manifest().live == 0
    assert opened.queues.counts("index")["due"] == 1


def test_a_stack_sends_no_page_that_was_removed(capsys, stack):
    """After two weeks, or without an index, nothing else would keep it out."""
    for path, state in (("a", State.PARSED), ("b", State.REDIRECTED), ("c", State.DUPLICATE)):
        add_url(f"http://a.test/{path}", state)
        add_document(f"http://a.test/{path}", "Silk")

    assert result(capsys, "reindex")["documents"] == 1

    (sent,) = home().queues.receive("index", 10, 0.0)
    message = decode(sent.body)
    assert isinstance(message, DocumentParsed)
    assert message.url == "http://a.test/a"
