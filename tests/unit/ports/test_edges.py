"""Are links the same after they were joined or halved?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.urls import url_id
from gossamer.messages import Link
from gossamer.ports.edges import PackedLinks

LINKS = st.lists(st.builds(Link, st.sampled_from(["http://a.test/", "http://b.test/x"]),
                           st.text(max_size=5), st.booleans()), max_size=9)  # fmt: skip
URLS: dict[bytes, str] = {url_id(url): url for url in ("http://a.test/", "http://b.test/x")}


@given(st.lists(LINKS, max_size=4))
def test_joined_parts_are_all_links_in_order(parts: list[list[Link]]):
    packed = PackedLinks.joined([PackedLinks.of(part) for part in parts])

    assert packed.links(URLS) == [link for part in parts for link in part]


@given(LINKS)
def test_two_halves_are_the_whole(links: list[Link]):
    first, second = PackedLinks.of(links).halves()

    assert first.links(URLS) + second.links(URLS) == links
    assert abs(len(first.anchors) - len(second.anchors)) <= 1
