"""Do all edge stores keep the promises of `ports.edges`?"""

from __future__ import annotations

from random import Random

import pytest

from gossamer.core.crawl.url_record import Discovery
from gossamer.core.urls import host_of, url_id
from gossamer.messages import Link
from gossamer.ports.edges import InLink, InLinks, PackedLinks

SOURCE = url_id("http://a.test/")


@pytest.fixture
def know(any_home):
    """Edges name URLs by id: LINKS adds their URLs to the URL store in the same step."""

    def know(links):
        found = [Discovery(url_id(u), u, host_of(u), 1) for u in {link.url for link in links}]
        any_home.urls.add(found, SOURCE, 100.0)

    return know


def links(*paths, **more):
    return [Link(f"http://a.test{path}", f"to {path}", **more) for path in paths]


def test_the_links_of_a_page_come_back_in_order_with_their_words(backend, know):
    given = [*links("/x", "/ü%20"), Link("http://b.test/", "", True), *links("/x")]
    know(given)

    backend.home.edges.put(SOURCE, given, 0, 1)

    assert backend.reopen().edges.get(SOURCE) == given


def test_a_page_never_read_has_no_links(any_home):
    assert any_home.edges.get(SOURCE) == []


def test_putting_again_replaces(any_home, know):
    know(links("/x", "/y"))

    any_home.edges.put(SOURCE, links("/x"), 0, 1)
    any_home.edges.put(SOURCE, links("/y"), 0, 1)

    assert any_home.edges.get(SOURCE) == links("/y")


def test_parts_join_in_order_whatever_order_they_come_in(any_home, know):
    know(links("/1", "/2", "/3"))

    for part in (2, 0, 1):
        any_home.edges.put(SOURCE, links(f"/{part + 1}"), part, 3)

    assert any_home.edges.get(SOURCE) == links("/1", "/2", "/3")


def test_a_page_that_shrank_loses_the_parts_it_no_longer_has(any_home, know):
    know(links("/1", "/2", "/new"))
    any_home.edges.put(SOURCE, links("/1"), 0, 2)
    any_home.edges.put(SOURCE, links("/2"), 1, 2)

    any_home.edges.put(SOURCE, links("/new"), 0, 1)

    assert any_home.edges.get(SOURCE) == links("/new")


def test_many_links_of_one_page(any_home, know, too_many):
    many = links(*(f"/{i}" for i in range(too_many)))
    know(many)

    any_home.edges.put(SOURCE, many, 0, 1)

    assert any_home.edges.get(SOURCE) == many


def test_all_sources_are_listed(any_home, know):
    other = url_id("http://a.test/other")
    know(links("/x", "/y"))
    any_home.edges.put(SOURCE, links("/x"), 0, 1)
    any_home.edges.put(other, links("/y"), 0, 1)

    assert dict(any_home.edges.all()) == {SOURCE: links("/x"), other: links("/y")}


def test_all_links_are_read_by_ids_whether_or_not_their_urls_are_known(any_home):
    other = url_id("http://a.test/other")
    any_home.edges.put(SOURCE, [*links("/x"), *links("/y", nofollow=True)], 0, 1)
    any_home.edges.put(other, links("/z"), 0, 1)

    packed = dict(any_home.edges.packed())

    ids = [url_id(f"http://a.test/{name}") for name in "xy"]
    assert packed[SOURCE] == PackedLinks(b"".join(ids), ["to /x", "to /y"], [1])
    assert packed[other].anchors == ["to /z"]


def test_who_links_to_a_page_is_kept_and_replaced(backend):
    other = url_id("http://a.test/other")
    backend.home.edges.put_inlinks({SOURCE: InLinks(7, [InLink("http://b.test/", "ü")])})
    backend.home.edges.put_inlinks({SOURCE: InLinks(1), other: InLinks(2)})

    kept = backend.reopen().edges.inlinks([SOURCE, other, url_id("http://a.test/new")])

    assert kept == {SOURCE: InLinks(1), other: InLinks(2)}


def test_who_links_to_a_page_is_none_of_its_own_links(any_home, know):
    know(links("/x"))
    any_home.edges.put(SOURCE, links("/x"), 0, 1)
    any_home.edges.put_inlinks({SOURCE: InLinks(1, [InLink("http://b.test/", "b")])})
    any_home.edges.put(SOURCE, links("/x"), 0, 1)

    assert any_home.edges.get(SOURCE) == links("/x")
    assert dict(any_home.edges.all()) == {SOURCE: links("/x")}
    assert [id for id, _ in any_home.edges.packed()] == [SOURCE]
    assert any_home.edges.inlinks([SOURCE])[SOURCE].total == 1


def test_fifty_of_the_longest_addresses_are_kept_as_far_as_there_is_room(any_home):
    chance = Random(1)
    urls = [f"http://a.test/{chance.randbytes(4000).hex()}" for _ in range(50)]

    any_home.edges.put_inlinks({SOURCE: InLinks(50, [InLink(url, "a") for url in urls])})

    kept = any_home.edges.inlinks([SOURCE])[SOURCE]
    assert kept.total == 50
    assert [link.url for link in kept.links] == urls[: len(kept.links)]
    assert len(kept.links) >= 25
