"""Does PageRank move results where it exists, and only there?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import homes
from gossamer.bolts.manifest import put_levels
from gossamer.core.collection import CollectionSettings
from gossamer.core.ids import document_id
from gossamer.core.page.document import Document
from gossamer.core.search.scoring import profiles_of
from gossamer.core.urls import url_id
from gossamer.ports.documents import Version
from tests.indexing import index_all, writer_of

PROFILES = profiles_of(CollectionSettings())


@pytest.fixture
def searched(any_home):
    """Two documents with the same words; the second is the one that ranks will favour."""
    documents = [Document(url=f"http://a.test/{n}", text="silk thread") for n in (2, 3)]
    assert url_id(documents[0].url) < url_id(documents[1].url)
    batch = [Version(document_id(url_id(d.url)), 1.0, d) for d in documents]
    for version in batch:
        any_home.documents.put(version.id, [version.document], version.fetched_at)
    index_all(writer_of(any_home.index), batch)
    return any_home, homes.searcher(any_home)


def rank(home, *ranks: int) -> None:
    """Give the documents ranks, in the order of their ids."""
    [info] = home.index.manifest().segments
    put_levels(writer_of(home.index), {info.name: np.array(ranks, np.uint8)})


def order(searcher, query="silk", **options):
    return [hit.url[-1] for hit in searcher.search(query, **options).hits]


def test_without_ranks_equals_stand_in_the_order_of_their_ids(searched):
    _, searcher = searched

    assert order(searcher) == ["2", "3"]
    assert searcher.search("silk", explain=True).hits[0].explain.rank_score == 0


@pytest.mark.parametrize("query", ["silk", "silk & thread", "!wool"])
@pytest.mark.parametrize("profile", ["bm25", "tfidf"])
def test_a_higher_rank_comes_first_among_equals(searched, query, profile):
    home, searcher = searched

    rank(home, 51, 255)

    assert order(searcher, query, profile=profile) == ["3", "2"]


def test_the_rank_is_a_part_of_the_explained_sum(searched):
    home, searcher = searched
    rank(home, 51, 255)

    hit = searcher.search("silk", explain=True, profile="tfidf").hits[0]

    assert hit.explain.rank == 1.0
    assert hit.explain.rank_score == pytest.approx(0.4)
    parts = sum(term.score for term in hit.explain.terms) + hit.explain.rank_score
    assert parts == pytest.approx(hit.score, abs=1e-6)


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=20))
@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_a_higher_rank_never_brings_less_and_none_brings_nothing(profile, levels):
    parts = profile.rank_part(np.array(sorted(levels)))

    assert (np.diff(parts) >= 0).all()
    assert 0 <= parts[0] <= parts[-1] <= profile.blend.rank
    assert profile.rank_part(np.zeros(1))[0] == 0


def test_that_a_page_is_linked_to_tells_more_than_by_how_many(searched):
    home, searcher = searched
    rank(home, 64, 255)

    hub, other = (hit.explain for hit in searcher.search("silk", explain=True).hits)

    assert (hub.rank, other.rank) == (1.0, pytest.approx(0.25, abs=0.01))
    assert other.rank_score == pytest.approx(0.2, abs=0.01)
    assert hub.rank_score - other.rank_score < other.rank_score
