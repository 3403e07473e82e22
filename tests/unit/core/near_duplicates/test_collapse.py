from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.near_duplicates.collapse import Cluster, Item, collapse

URLS = [f"http://a.test/{letter}" for letter in "abcdef"]
# Few values, some of them near each other, so that clusters come about.
VALUES = st.none() | st.builds(
    lambda base, flip: base ^ flip,
    st.sampled_from([0, (1 << 64) - 1, 0x0123456789ABCDEF]),
    st.sampled_from([0, 1, 3, 1 << 63, 0x8001_0000_0000_0001]),
)


def page(number: int, canonical: str, value: int | None) -> Item:
    return Item(number, f"http://a.test/{number}", canonical, value)


CANONICALS = st.sampled_from(["", "", *URLS])


@st.composite
def result_lists(draw, canonicals=CANONICALS):
    urls = draw(st.lists(st.sampled_from(URLS), unique=True))
    ordinals = draw(st.permutations(range(len(urls))))
    return [
        Item(n, url, draw(canonicals), draw(VALUES)) for n, url in zip(ordinals, urls, strict=True)
    ]


@given(result_lists())
def test_every_item_is_in_exactly_one_cluster(items):
    clusters = collapse(items)

    gathered = [item.ordinal for cluster in clusters for item in cluster.items]
    assert sorted(gathered) == sorted(item.ordinal for item in items)


@given(result_lists())
def test_clusters_stand_in_the_order_of_their_best_items(items):
    rank = {item.ordinal: number for number, item in enumerate(items)}

    clusters = collapse(items)

    best = [min(rank[item.ordinal] for item in cluster.items) for cluster in clusters]
    assert best == sorted(best)
    for cluster in clusters:
        others = [rank[item.ordinal] for item in cluster.others]
        assert others == sorted(others)


@given(result_lists())
def test_what_ranks_lower_never_parts_or_joins_what_ranks_higher(items):
    def together(clusters):
        return {item.ordinal: n for n, cluster in enumerate(clusters) for item in cluster.items}

    whole = together(collapse(items))
    for count in range(len(items)):
        first = together(collapse(items[:count]))
        assert first == {ordinal: whole[ordinal] for ordinal in first}


@given(result_lists(canonicals=st.just("")))
def test_without_canonical_urls_members_have_the_value_of_the_first_and_founders_differ(items):
    clusters = collapse(items)

    for cluster in clusters:
        for other in cluster.others:
            assert cluster.shown.value is not None
            assert other.value is not None
            assert cluster.shown.value == other.value
    founders = [cluster.shown.value for cluster in clusters if cluster.shown.value is not None]
    assert len(founders) == len(set(founders))


def test_the_best_stands_for_similar_ones():
    a, b, c = (page(n, "", value) for n, value in enumerate([7, 0xFF00, 7]))

    assert collapse([a, b, c]) == [Cluster(a, (c,)), Cluster(b)]


def test_the_canonical_page_stands_for_its_copies_at_the_rank_of_the_best():
    copy = Item(1, "http://a.test/x?print", "http://a.test/x", 7)
    other = Item(2, "http://a.test/y", "", 0xFF00)
    original = Item(3, "http://a.test/x", "http://a.test/x", 7)

    assert collapse([copy, other, original]) == [Cluster(original, (copy,)), Cluster(other)]


def test_a_canonical_url_is_believed_where_texts_differ():
    original = Item(1, "http://a.test/x", "", 7)
    copy = Item(2, "http://a.test/x?sort=price", "http://a.test/x", 0xFFFF)
    like_the_copy = Item(3, "http://b.test/", "", 0xFFFF)

    assert collapse([original, copy, like_the_copy]) == [Cluster(original, (copy, like_the_copy))]
    assert collapse([copy, original]) == [Cluster(original, (copy,))]


def test_pages_of_one_canonical_page_are_together_when_it_is_not_there():
    a, b = (Item(n, f"http://a.test/{n}", "http://a.test/x", None) for n in (1, 2))

    assert collapse([a, b]) == [Cluster(a, (b,))]


def test_a_page_that_names_itself_canonical_is_no_other_than_itself():
    a, b = (page(n, f"http://a.test/{n}", 7) for n in (1, 2))

    assert collapse([a, b]) == [Cluster(a, (b,))]


def test_a_text_too_short_to_judge_is_alone():
    a, b = page(1, "", None), page(2, "", None)

    assert collapse([a, b]) == [Cluster(a), Cluster(b)]
