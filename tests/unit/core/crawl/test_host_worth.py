from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.crawl import host_worth
from gossamer.core.crawl.host_quota import MOST_WORTH
from gossamer.core.links.graph import GraphBuilder
from gossamer.core.links.pagerank import pagerank


def worths_of(hosts: list[int], links: list[tuple[int, int]]) -> list[int]:
    """The worth of every host; nodes are numbered, and `hosts` says whose each is."""
    builder = GraphBuilder(np.arange(len(hosts), dtype=np.uint64))
    sources, targets = zip(*links, strict=True) if links else ((), ())
    builder.add(np.array(sources, np.uint64), np.array(targets, np.uint64))
    graph = builder.build()
    numbers = np.array(hosts, np.int64)
    found = host_worth.worths(graph, pagerank(graph).values, numbers, np.bincount(numbers))
    return [int(each) for each in found]


def test_while_no_host_links_another_all_are_average():
    assert worths_of([0, 0, 1], [(0, 1), (1, 0)]) == [0, 0]
    assert worths_of([0, 1], []) == [0, 0]


def test_a_host_that_others_link_to_is_worth_more_than_one_that_only_links_itself():
    hosts = [0, 0, 0, 0, 1, 2, 3, 4]
    praised = [(number, 4) for number in (5, 6, 7)]
    itself = [(a, b) for a in range(4) for b in range(4) if a != b]

    found = worths_of(hosts, [*praised, *itself, (5, 0)])

    assert found == [-2, 2, -2, -2, -2]


def test_the_more_pages_share_what_others_give_the_less_each_is_worth():
    def found(pages: int) -> int:
        hosts = [0] * pages + [1, 2, 3]
        inside = [(number, number + 1) for number in range(pages - 1)]
        return worths_of(hosts, [*inside, (pages, 0), (pages + 1, 0), (pages + 2, pages)])[0]

    assert [found(pages) for pages in (1, 4, 64)] == sorted(
        (found(pages) for pages in (1, 4, 64)), reverse=True
    )
    assert found(1) > 0


@pytest.mark.parametrize("block", [1, 3, 1 << 20])
def test_links_are_looked_at_in_blocks_of_any_size(monkeypatch, block):
    hosts, links = [0, 0, 1, 2, 2, 3], [(0, 2), (2, 0), (3, 2), (4, 5), (5, 4), (1, 5), (2, 3)]
    whole = worths_of(hosts, links)

    monkeypatch.setattr(host_worth, "BLOCK", block)

    assert worths_of(hosts, links) == whole


LINKS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40)


@given(st.lists(st.integers(0, 3), min_size=12, max_size=12), LINKS, LINKS)
def test_no_host_gains_by_links_to_itself(hosts, links, more):
    hosts = [0, 1, 2, 3, *hosts[4:]]
    inside = [(a, b) for a, b in more if hosts[a] == hosts[b] == 0]
    outside = [(a, b) for a, b in links if hosts[a] != 0]

    found = worths_of(hosts, [*outside, *inside])

    assert all(-MOST_WORTH <= each <= MOST_WORTH for each in found)
    if not any(hosts[b] == 0 for _, b in outside) and any(hosts[a] != hosts[b] for a, b in outside):
        assert found[0] == -MOST_WORTH
