from __future__ import annotations

import pytest

from gossamer.adapters.aws.dynamodb.models import SegmentItem
from gossamer.adapters.aws.dynamodb.table import Table
from gossamer.core.errors import ConfigurationError
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.settings import Settings
from tests.commands import found, said
from tests.local_home import open_local
from tests.unit.entrypoints.moto_stack import STACK, add_document, home, result


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
