"""Does a graph hold exactly the links that were given?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.links import graph as graph_module
from gossamer.core.links.graph import Graph, GraphBuilder, nodes_of
from gossamer.core.urls import url_id

# Few nodes, so that links repeat; large numbers, so that signs and floats would show.
nodes = st.integers(0, 12).map(lambda number: 2**64 - 1 - number * 2**60 if number else 0)
batches = st.lists(st.lists(st.tuples(nodes, nodes), max_size=12), max_size=6)


def array(values) -> np.ndarray:
    return np.array(list(values), np.uint64)


def built(batches, known=None) -> Graph:
    builder = GraphBuilder(None if known is None else array(known))
    for links in batches:
        builder.add(array(s for s, _ in links), array(t for _, t in links))
    return builder.build()


def pairs(graph: Graph) -> list[tuple[int, int]]:
    """Target and source of every link, as the graph has them."""
    names = graph.nodes.tolist()
    return [
        (names[target], names[source])
        for target in range(len(graph))
        for source in graph.sources[graph.starts[target] : graph.starts[target + 1]]
    ]


@given(batches)
def test_a_graph_has_each_link_between_two_pages_once(batches):
    graph = built(batches)

    links = {(target, source) for batch in batches for source, target in batch}
    assert pairs(graph) == sorted((t, s) for t, s in links if t != s)
    assert graph.nodes.tolist() == sorted({node for link in links for node in link})
    assert graph.links == len(pairs(graph))


@given(batches, st.sets(nodes))
def test_only_known_nodes_are_in_it_and_all_of_them(batches, known):
    graph = built(batches, known)

    links = {(target, source) for batch in batches for source, target in batch}
    assert pairs(graph) == sorted((t, s) for t, s in links if t != s and {t, s} <= known)
    assert graph.nodes.tolist() == sorted(known)


@given(batches, st.integers(1, 5))
def test_it_does_not_matter_how_links_are_cut_into_chunks(batches, chunk):
    whole = built(batches)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_module, "CHUNK", chunk)
        cut = built(batches)

    assert pairs(cut) == pairs(whole)
    assert cut.nodes.tolist() == whole.nodes.tolist()


def test_links_can_be_added_after_a_graph_was_built():
    builder = GraphBuilder()
    builder.add(array([1]), array([2]))
    before = builder.build()

    builder.add(array([2]), array([3]))

    assert pairs(before) == [(2, 1)]
    assert pairs(builder.build()) == [(2, 1), (3, 2)]


def test_what_was_added_may_be_overwritten_by_its_owner():
    builder, sources, targets = GraphBuilder(), array([1]), array([2])
    builder.add(sources, targets)

    sources[0] = 7

    assert pairs(builder.build()) == [(2, 1)]


def test_nothing_at_all_makes_an_empty_graph():
    graph = built([])

    assert len(graph) == graph.links == 0
    assert graph.starts.tolist() == [0]


def test_every_source_needs_a_target():
    with pytest.raises(ValueError, match="2 sources for 1 targets"):
        GraphBuilder().add(array([1, 2]), array([3]))


def test_a_node_tells_its_place():
    graph = built([[(5, 9), (9, 7)]])

    assert graph.places(array([9, 5, 6, 10])).tolist() == [2, 0, -1, -1]


def test_nodes_sort_as_the_ids_of_their_urls_do():
    ids = sorted(url_id(f"http://a.test/{number}") for number in range(50))

    assert nodes_of(ids).tolist() == [int.from_bytes(id[:8], "big") for id in ids]
    assert nodes_of(ids).tolist() == sorted(nodes_of(ids).tolist())
    assert len(nodes_of([])) == 0
