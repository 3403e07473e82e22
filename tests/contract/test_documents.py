"""Do all document stores keep the promises of `ports.documents`?"""

from __future__ import annotations

from gossamer.core.document import Document
from gossamer.core.urls import url_id

URL = "http://a.test/"
ID = url_id(URL)


def document(title="A title"):
    return Document(
        url=URL,
        title=title,
        description="über 🕸",
        headings=[(1, "One"), (2, "Two")],
        text="some text " * 50,
        prelude="some",
        language="en",
        canonical=URL,
        published_at="2024-01-01",
        modified_at="2024-01-02",
        images=["a spider"],
        nofollow=True,
    )


def test_a_document_comes_back_as_it_was_put(backend):
    backend.home.documents.put(ID, document(), 100.0)

    assert backend.reopen().documents.get(ID) == document()


def test_a_url_without_document_has_none(any_home):
    assert any_home.documents.get(ID) is None
    assert any_home.documents.count() == 0


def test_a_newer_version_replaces_an_older(any_home):
    any_home.documents.put(ID, document("old"), 100.0)
    any_home.documents.put(ID, document("new"), 200.0)

    assert list(any_home.documents.all()) == [(document("new"), 200.0)]


def test_an_older_version_that_comes_late_does_not_replace_a_newer(any_home):
    any_home.documents.put(ID, document("new"), 200.0)
    any_home.documents.put(ID, document("old"), 100.0)

    assert any_home.documents.get(ID).title == "new"


def test_putting_the_same_version_twice_keeps_one(any_home):
    any_home.documents.put(ID, document(), 100.0)
    any_home.documents.put(ID, document(), 100.0)

    assert any_home.documents.count() == 1
