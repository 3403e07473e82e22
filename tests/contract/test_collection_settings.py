"""Do all settings stores keep the promises of `ports.collection_settings`?"""

from __future__ import annotations

import msgspec
import pytest

from gossamer import homes
from gossamer.core.collection import AnalyzerSettings, CollectionSettings, FieldWeight, Weights
from gossamer.core.errors import ConfigurationError
from gossamer.core.ids import document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.index.declared import Column, TextField
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.ports.documents import Version
from tests.indexing import index_all, live_ids, writer_of

CHANGED = CollectionSettings(
    version=1,
    profile="tfidf",
    analyzer=AnalyzerSettings(language="de", smallest_word=2),
    weights=Weights(k1=1.2, title=FieldWeight(5.0, 0.5, 8.0)),
    columns={"price": Column(type="money", sort=True), "brand": Column(type="keyword", facet=True)},
    fields={"summary": TextField(weight=2.0), "notes": TextField(searched=False)},
)


@pytest.fixture
def settings(any_home):
    return any_home.settings


def test_a_collection_without_settings_has_the_defaults(settings):
    assert settings.get() == CollectionSettings()


def test_settings_are_read_as_they_were_put(backend):
    assert backend.home.settings.put(CHANGED)

    assert backend.home.settings.get() == CHANGED
    assert backend.reopen().settings.get() == CHANGED


def test_the_next_version_replaces_the_one_before(settings):
    settings.put(CHANGED)

    assert settings.put(CollectionSettings(version=2))
    assert settings.get() == CollectionSettings(version=2)


@pytest.mark.parametrize("version", [0, 1, 3])
def test_of_two_writers_that_read_the_same_version_one_wins(settings, version):
    settings.put(CHANGED)

    assert not settings.put(CollectionSettings(version=version))
    assert settings.get() == CHANGED


def test_settings_leave_the_index_as_it_is(any_home):
    before = any_home.index.manifest()

    any_home.settings.put(CHANGED)

    assert any_home.index.manifest() == before
    assert live_ids(any_home.index) == []


def test_a_new_index_takes_the_analyzer_of_the_settings_and_an_old_one_keeps_its_own(any_home):
    assert homes.analyzer_of(any_home) == Analyzer()
    any_home.settings.put(CHANGED)
    assert homes.analyzer_of(any_home) == Analyzer(language="de", smallest_word=2)

    document = Document(url="http://a.test/", text="silk")
    version = Version(document_id(url_id(document.url)), 1.0, document)
    french = Analyzer(language="fr")
    index_all(writer_of(any_home.index), [version], analyzer=french, weights=CHANGED.weights)

    assert homes.analyzer_of(any_home) == Analyzer(language="fr")


def test_a_search_without_a_profile_uses_that_of_the_settings(any_home):
    document = Document(url="http://a.test/", text="silk")
    any_home.documents.put(url_id(document.url), [document], 1.0)
    version = Version(document_id(url_id(document.url)), 1.0, document)
    index_all(writer_of(any_home.index), [version])

    any_home.settings.put(CHANGED)

    why = homes.searcher(any_home).search("silk", explain=True).hits[0].explain
    assert why is not None
    assert why.profile == "tfidf"


def test_settings_that_this_program_cannot_read_are_refused_with_what_to_do(settings):
    strange = msgspec.structs.replace(CHANGED, profile="of the future")
    settings.put(strange)

    with pytest.raises(ConfigurationError, match="another version of gossamer"):
        settings.get()
