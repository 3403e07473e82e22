"""Are links sorted by target what they were before?"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.links import link_buckets
from gossamer.core.links.link_buckets import MOST_LETTERS, LinkBuckets

SIZE = 12
words = st.sampled_from(["", "a", "B", "ü \n ü", "\x1c", "\ud800", "  a "])
lots = st.lists(
    st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1), words), max_size=20),
    max_size=4,
)


@given(lots, st.integers(1, SIZE + 1))
def test_every_link_comes_back_once_by_target_and_the_rank_of_its_source(given_lots, width):
    ranks = np.linspace(0.0, 1.0, SIZE) % 0.5
    wanted = defaultdict(set)
    before, link_buckets.WIDTH = link_buckets.WIDTH, width
    try:
        kept = LinkBuckets(SIZE)
        for lot in given_lots:
            ends = np.array([link[:2] for link in lot], np.int64).reshape(-1, 2)
            kept.add(ends[:, 0], ends[:, 1], [link[2] for link in lot])
            for source, target, text in lot:
                wanted[target].add((source, " ".join(text.split())))
        found = {linked.target: linked for bucket in kept for linked in bucket.by_target(ranks)}
    finally:
        link_buckets.WIDTH = before

    assert {target: set(_links(linked)) for target, linked in found.items()} == wanted
    for linked in found.values():
        sources = linked.sources.tolist()
        assert linked.total == len(set(sources))
        assert sources == sorted(sources, key=lambda source: (-ranks[source], source))
        assert len(_links(linked)) == len(wanted[linked.target])


def test_each_source_is_shown_with_words_if_it_has_any():
    kept = LinkBuckets(4)
    kept.add(np.array([1, 1, 2, 3]), np.zeros(4, np.int64), ["", "one", "", "three"])

    (linked,) = next(iter(kept)).by_target(np.array([0.0, 0.3, 0.2, 0.1]))

    assert linked.best(2) == {1: "one", 2: ""}


def test_long_words_are_cut():
    kept = LinkBuckets(2)
    kept.add(np.array([1]), np.array([0]), ["x" * 1000])

    (linked,) = next(iter(kept)).by_target(np.zeros(2))

    assert _links(linked) == [(1, "x" * MOST_LETTERS)]


def test_what_was_read_is_forgotten():
    kept = LinkBuckets(2)
    kept.add(np.array([1]), np.array([0]), ["x"])

    first, second = list(kept), list(kept)

    assert [bool(bucket.pieces) for bucket in first] == [True]
    assert [bool(bucket.pieces) for bucket in second] == [False]


def _links(linked):
    return list(zip(linked.sources.tolist(), linked.words(), strict=True))
