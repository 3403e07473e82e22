"""Is a page found by the name that everybody but itself gives it?"""

from __future__ import annotations

import pytest

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.batch.rank import rank
from gossamer.core.search.metrics import quality
from gossamer.core.urls import url_id
from gossamer.homes import decode_body
from tests.indexing import index_home
from tests.sites.handbook import PAGES, handbook


@pytest.fixture
def home(tmp_path):
    made = LocalHome(None, tmp_path, decode_body)
    for url, document in handbook().documents.items():
        made.documents.put(url_id(url), [document], 1.0)
    yield made
    made.close()


def mean_reciprocal_rank(home: LocalHome) -> float:
    searcher = homes.searcher(home)
    ranks = []
    for url, name in handbook().names.items():
        found = quality(searcher.ranking(name, PAGES), {url: 1})
        assert found is not None
        ranks.append(found.mrr)
    return sum(ranks) / len(ranks)


def test_anchors_raise_the_reciprocal_rank_of_pages_that_are_looked_for_by_name(home):
    assert index_home(home) == PAGES
    without = mean_reciprocal_rank(home)

    for url, anchors in handbook().anchors.items():
        home.documents.put_anchors({url_id(url): anchors})
    assert index_home(home) == PAGES
    with_anchors = mean_reciprocal_rank(home)

    print(f"MRR {without:.3f} without anchors, {with_anchors:.3f} with")
    assert without > 0.2  # a search by words alone is not made a fool of
    assert with_anchors >= 1.2 * without
    assert with_anchors > 0.9


def test_ranks_that_mean_nothing_take_little_of_that_away(home):
    """The handbook's links are drawn at random, so a rank says nothing of a page."""
    index_home(home)
    without = mean_reciprocal_rank(home)
    for url, links in handbook().links.items():
        home.edges.put(url_id(url), links, 0, 1)

    writer = homes.index_writer(home)
    rank(home, writer, home.edges.packed(), home.urls.all())
    index_home(home)

    assert any(part.levels.any() for part in homes.searcher(home).snapshot().parts)
    assert mean_reciprocal_rank(home) >= 1.2 * without
    assert mean_reciprocal_rank(home) > 0.9


def test_when_all_anchors_have_vanished_the_answers_are_those_of_before(home):
    index_home(home)
    before = {name: answers(home, name) for name in handbook().names.values()}
    for exist in (True, False):
        for url, anchors in handbook().anchors.items():
            home.documents.put_anchors({url_id(url): anchors if exist else []})
        index_home(home)

    assert {name: answers(home, name) for name in before} == before


def answers(home: LocalHome, query: str) -> dict[str, float]:
    found = homes.searcher(home).search(query, limit=PAGES).hits
    return {hit.url: hit.score for hit in found}
