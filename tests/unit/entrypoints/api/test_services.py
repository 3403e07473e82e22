"""Does the API answer from the index as it is, also when it has answered before?"""

from __future__ import annotations

import pytest

from gossamer import homes
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.api.services import local_search
from gossamer.settings import Settings
from tests.indexing import index_home


@pytest.fixture
def settings(tmp_path):
    return Settings(data=str(tmp_path))


def publish(settings: Settings, text: str, fetched_at: float) -> None:
    home = homes.open_home(settings)
    url = "http://a.test/"
    home.documents.put(url_id(url), [Document(url=url, title="t", text=text)], fetched_at)
    index_home(home)
    home.close()


def test_an_answer_that_is_remembered_is_the_answer(settings):
    publish(settings, "silk and wool", 1.0)
    service = local_search(settings)

    first, again = service.search("silk"), service.search("silk")

    assert [hit.url for hit in first.hits] == ["http://a.test/"]
    assert again.hits == first.hits


def test_what_is_remembered_is_forgotten_when_the_index_changes(settings):
    publish(settings, "silk and wool", 1.0)
    service = local_search(settings)
    before = service.search("silk").total

    publish(settings, "only wool", 2.0)

    assert (before, service.search("silk").total, service.search("wool").total) == (1, 0, 1)
