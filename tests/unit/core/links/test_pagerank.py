"""Are ranks what the definition says? networkx knows it too."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

# The public function asks SciPy; this is the same in Python, and networkx tests both alike.
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python as networkx_pagerank

from gossamer.core.links import pagerank as pagerank_module
from gossamer.core.links.graph import GraphBuilder
from gossamer.core.links.pagerank import DAMPING, Ranks, levels, pagerank

EXACT: dict[str, Any] = {"tolerance": 1e-12, "most": 1000}
sizes = st.integers(1, 25)


@st.composite
def webs(draw):
    """A number of pages and links between them: repeated, to themselves, or none at all."""
    size = draw(sizes)
    page = st.integers(0, size - 1)
    return size, draw(st.lists(st.tuples(page, page), max_size=80))


def graph_of(size, links):
    builder = GraphBuilder(np.arange(size, dtype=np.uint64))
    builder.add(
        np.array([s for s, _ in links], np.uint64), np.array([t for _, t in links], np.uint64)
    )
    return builder.build()


def by_networkx(web, damping=DAMPING, weight=lambda s, t: 1.0):
    size, links = web
    graph = nx.DiGraph()
    graph.add_nodes_from(range(size))
    graph.add_weighted_edges_from((s, t, weight(s, t)) for s, t in links if s != t)
    found = networkx_pagerank(graph, alpha=damping, tol=1e-13 / size, max_iter=2000)
    return np.array([found[number] for number in range(size)])


@given(webs(), st.sampled_from([0.0, 0.5, 0.85, 0.95]))
def test_ranks_are_those_of_networkx(web, damping):
    ranks = pagerank(graph_of(*web), damping=damping, **EXACT)

    assert ranks.converged
    np.testing.assert_allclose(ranks.values, by_networkx(web, damping), rtol=0, atol=1e-9)


@given(webs(), st.data(), st.sampled_from([0.0, 0.3, 1.0]))
def test_links_inside_of_a_host_weigh_what_they_are_said_to(web, data, internal):
    hosts = data.draw(st.lists(st.integers(0, 3), min_size=web[0], max_size=web[0]))

    ranks = pagerank(graph_of(*web), internal=internal, hosts=np.array(hosts, np.int64), **EXACT)

    wanted = by_networkx(web, weight=lambda s, t: internal if hosts[s] == hosts[t] else 1.0)
    np.testing.assert_allclose(ranks.values, wanted, rtol=0, atol=1e-9)


@given(webs(), st.integers(1, 9))
def test_it_does_not_matter_how_links_are_cut_into_blocks(web, block):
    whole = pagerank(graph_of(*web))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pagerank_module, "BLOCK", block)
        cut = pagerank(graph_of(*web))

    np.testing.assert_allclose(cut.values, whole.values, rtol=0, atol=1e-12)


@given(webs())
def test_ranks_sum_to_one_and_none_is_below_the_floor(web):
    ranks = pagerank(graph_of(*web))

    assert ranks.values.sum() == pytest.approx(1.0, abs=1e-12)
    assert ranks.values.min() >= ranks.floor > 0


@given(webs(), st.randoms())
def test_it_does_not_matter_how_pages_are_numbered(web, random):
    size, links = web
    names = list(range(size))
    random.shuffle(names)

    renamed = pagerank(graph_of(size, [(names[s], names[t]) for s, t in links]), **EXACT)

    plain = pagerank(graph_of(size, links), **EXACT)
    np.testing.assert_allclose(renamed.values[names], plain.values, rtol=0, atol=1e-11)


@given(webs())
def test_repeated_links_and_links_to_oneself_change_nothing(web):
    size, links = web

    more = pagerank(graph_of(size, [*links, *links, *((page, page) for page in range(size))]))

    assert more.values.tolist() == pagerank(graph_of(size, links)).values.tolist()


@given(webs(), webs())
def test_parts_without_links_between_them_share_by_their_sizes(one, other):
    """As long as nothing is dangling, no rank goes from one part to the other."""
    rings = [
        (size, [*links, *((page, (page + 1) % size) for page in range(size))])
        for size, links in ((one[0] + 1, one[1]), (other[0] + 1, other[1]))
    ]
    (left, first), (right, second) = rings

    both = pagerank(
        graph_of(left + right, [*first, *((left + s, left + t) for s, t in second)]), **EXACT
    )

    share = left / (left + right)
    apart = pagerank(graph_of(left, first), **EXACT).values * share
    np.testing.assert_allclose(both.values[:left], apart, rtol=0, atol=1e-10)


@given(sizes)
def test_where_nothing_is_linked_all_are_equal(size):
    ranks = pagerank(graph_of(size, []))

    assert ranks.values.tolist() == pytest.approx([1 / size] * size)
    assert levels(ranks).tolist() == [0] * size


def test_an_empty_graph_has_no_ranks():
    ranks = pagerank(GraphBuilder().build())

    assert (len(ranks.values), ranks.iterations, ranks.converged) == (0, 0, True)
    assert len(levels(ranks)) == 0


def test_one_page_has_it_all():
    assert pagerank(graph_of(1, [(0, 0)])).values.tolist() == [pytest.approx(1.0)]


def test_the_iteration_ends_where_the_tolerance_says_or_the_cap():
    graph = graph_of(4, [(0, 1), (1, 2), (2, 0), (3, 0), (0, 2)])

    loose, tight = (pagerank(graph, tolerance=tolerance) for tolerance in (1e-2, 1e-6))
    capped = pagerank(graph, most=3)

    assert loose.iterations < tight.iterations < 100
    assert loose.residual < 1e-2
    assert tight.residual < 1e-6
    assert tight.converged
    assert (capped.iterations, capped.converged) == (3, False)
    assert capped.residual > 1e-6


def test_a_neighbour_in_the_host_gets_less_than_a_stranger():
    graph = graph_of(3, [(0, 1), (0, 2)])

    ranks = pagerank(graph, internal=0.2, hosts=np.array([1, 1, 2]))

    assert ranks.values[1] < ranks.values[2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"damping": 1.0}, "damping"),
        ({"damping": -0.1}, "damping"),
        ({"most": 0}, "iterations"),
        ({"internal": 1.5, "hosts": np.array([0, 0])}, "internal"),
        ({"internal": 0.5}, "hosts"),
        ({"internal": 0.5, "hosts": np.array([0])}, "1 hosts for 2 nodes"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        pagerank(graph_of(2, [(0, 1)]), **options)


@given(webs())
def test_levels_are_in_the_order_of_ranks_and_the_highest_is_255(web):
    ranks = pagerank(graph_of(*web))

    found = levels(ranks)

    assert found.dtype == np.uint8
    order = np.argsort(ranks.values)
    assert (np.diff(found[order].astype(int)) >= 0).all()
    assert found.max() == (255 if any(s != t for s, t in web[1]) else 0)


def test_levels_are_steps_of_equal_ratio_above_the_floor():
    values = 0.001 * np.array([1.0, 2.0, 4.0, 16.0])

    assert levels(Ranks(values, 0.001, 1, 0.0, converged=True)).tolist() == [0, 64, 128, 255]


def test_pages_much_alike_have_levels_much_alike():
    """A ring with one more link: the scale begins at the floor, not at the lowest of them."""
    ranks = pagerank(graph_of(20, [*((page, (page + 1) % 20) for page in range(20)), (0, 10)]))

    assert levels(ranks).min() > 150
