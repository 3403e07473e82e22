"""Does PageRank move results where it exists, and only there?"""

from __future__ import annotations

import pytest

from gossamer import retrieval
from gossamer.bolts.index import index
from gossamer.core.document import Document
from gossamer.core.urls import url_id
from gossamer.ports.documents import Version


@pytest.fixture
def searched(any_home):
    """Two documents with the same words; the second is the one that ranks will favour."""
    documents = [Document(url=f"http://a.test/{n}", text="silk thread") for n in (1, 2)]
    batch = [Version(url_id(d.url), 1.0, d) for d in documents]
    for version in batch:
        any_home.documents.put(version.id, version.document, version.fetched_at)
    index(batch, any_home.index, retrieval.analyzer_of(any_home.index), retrieval.WEIGHTS, now=0.0)
    return any_home, retrieval.searcher(any_home)


def rank(home, *ranks: int) -> None:
    """Give the documents ranks, in the order of their ordinals."""
    by_ordinal = bytearray(max(home.index.live()) + 1)
    for ordinal, value in zip(home.index.live(), ranks, strict=False):
        by_ordinal[ordinal] = value
    home.index.put_ranks(bytes(by_ordinal[: home.index.live()[len(ranks) - 1] + 1]))


def order(searcher, query="silk", **options):
    return [hit.url[-1] for hit in searcher.search(query, **options).hits]


def test_without_ranks_equals_stand_in_the_order_of_their_making(searched):
    _, searcher = searched

    assert order(searcher) == ["1", "2"]
    assert searcher.search("silk", explain=True).hits[0].explain.rank_score == 0


@pytest.mark.parametrize("query", ["silk", "silk & thread", "!wool"])
@pytest.mark.parametrize("profile", ["bm25", "tfidf"])
def test_a_higher_rank_comes_first_among_equals(searched, query, profile):
    home, searcher = searched

    rank(home, 51, 255)

    assert order(searcher, query, profile=profile) == ["2", "1"]


def test_the_rank_is_a_part_of_the_explained_sum(searched):
    home, searcher = searched
    rank(home, 51, 255)

    hit = searcher.search("silk", explain=True, profile="tfidf").hits[0]

    assert hit.explain.rank == 1.0
    assert hit.explain.rank_score == pytest.approx(0.4)
    parts = sum(term.score for term in hit.explain.terms) + hit.explain.rank_score
    assert parts == pytest.approx(hit.score, abs=1e-6)


def test_ranks_that_end_before_the_last_document_leave_the_others_without(searched):
    home, searcher = searched
    rank(home, 255)

    assert order(searcher) == ["1", "2"]
