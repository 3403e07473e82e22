"""Are misspelt queries answered the same way in every home, before and after a compaction?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer import homes
from gossamer.batch.compact import compact
from gossamer.core.collection import CollectionSettings, TypoSettings
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from tests.indexing import index_home

if TYPE_CHECKING:
    from gossamer.core.search.result import SearchResponse
    from gossamer.ports.home import Home

TEXTS = {
    "a": "a spider weaves silk",
    "b": "the spider and its web",
    "c": "spinnerets of orb weavers",
    "d": "silk of the moth, spun by a spinster",
}
QUERY = "spdier"


def put(home: Home, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        url = f"http://a.test/{name}"
        home.documents.put(url_id(url), [Document(url=url, text=text)], 1.0)
    home.commit()
    index_home(home)


def search(home: Home, query: str, **how: Any) -> SearchResponse:
    return homes.searcher(home).search(query, **how)


def urls(found: SearchResponse) -> list[str]:
    return [hit.url[-1] for hit in found.hits]


@pytest.fixture
def home(any_home: Home) -> Home:
    put(any_home, {name: TEXTS[name] for name in "ab"})
    put(any_home, {name: TEXTS[name] for name in "cd"})
    return any_home


@pytest.mark.parametrize("compacted", [False, True])
def test_a_misspelt_query_that_finds_nothing_is_answered_in_the_right_spelling(home, compacted):
    if compacted:
        compact(homes.index_writer(home), whole=True)
    found = search(home, QUERY)

    right = search(home, "spider")
    assert urls(found) == urls(right)
    assert sorted(urls(found)) == ["a", "b"]
    assert [hit.score for hit in found.hits] == [hit.score for hit in right.hits]
    assert found.query == QUERY
    assert found.correction is not None
    assert found.correction.applied
    assert (found.correction.typed, found.correction.corrected) == (QUERY, "spider")
    [word] = found.correction.words
    assert (word.typed, word.corrected, word.start, word.edits) == (QUERY, "spider", 0, 1)
    assert word.documents == 2


def test_on_request_a_query_is_searched_as_typed(home):
    found = search(home, QUERY, correct=False)

    assert (found.total, found.correction) == (0, None)


def test_a_query_that_finds_something_is_not_changed(home):
    found = search(home, "spdier silk")

    assert sorted(urls(found)) == ["a", "d"]
    assert found.correction is not None
    assert (found.correction.applied, found.correction.corrected) == (False, "spider silk")


def test_a_right_query_has_no_correction(home):
    assert search(home, "spider silk").correction is None


def test_a_collection_can_do_without(any_home):
    any_home.settings.put(CollectionSettings(version=1, typos=TypoSettings(on=False)))
    put(any_home, TEXTS)

    assert search(any_home, QUERY).correction is None


def test_results_of_the_query_as_typed_come_first(any_home):
    settings = CollectionSettings(version=1, typos=TypoSettings(min_results=3))
    any_home.settings.put(settings)
    put(any_home, {"a": "a spider web", "b": "spider spider spider", "c": "the moth"})

    found = search(any_home, "spidr | moth")

    assert urls(found)[0] == "c"
    assert sorted(urls(found)) == ["a", "b", "c"]
    assert [hit.rank for hit in found.hits] == [1, 2, 3]
