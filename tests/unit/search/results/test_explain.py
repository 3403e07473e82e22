"""Are the words of a document read once, however many terms its score has?"""

from __future__ import annotations

from string import ascii_lowercase

import pytest

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from tests.indexing import index_home

TEXT = "Spiders spin silk. A spider's silk is strong, and silken threads are light."


@pytest.fixture
def searcher(tmp_path):
    home = LocalHome(None, tmp_path, homes.decode_body)
    document = Document(url="http://a.test/", title="Silk", text=TEXT, headings=[(2, "On silk")])
    home.documents.put(url_id(document.url), [document], 1.0)
    index_home(home)
    yield homes.searcher(home)
    home.close()


def test_a_text_is_read_once_for_all_terms(searcher, monkeypatch):
    read, words = [], Analyzer.words

    def counting(self, text):
        read.append(text)
        return words(self, text)

    monkeypatch.setattr(Analyzer, "words", counting)

    [hit] = searcher.search(" | ".join(f"{a}*" for a in ascii_lowercase), explain=True).hits

    assert len(hit.explain.terms) > 5
    assert read.count(TEXT) == 1


def test_every_field_says_how_often_it_has_a_term(searcher):
    [hit] = searcher.search("silk | spider* | s* | title:silk", explain=True).hits

    counts = {
        part.term: {field.field: field.frequency for field in part.fields}
        for part in hit.explain.terms
    }
    assert counts["silk"] == {"body": 2, "title": 1, "headings": 1}
    assert counts["spider*"] == {"body": 2}
    assert counts["s*"] == {"body": 7, "title": 1, "headings": 1}
