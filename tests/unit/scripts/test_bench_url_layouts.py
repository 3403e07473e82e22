"""Layouts of known URLs lose none, and count units as DynamoDB does."""

from __future__ import annotations

import argparse
from itertools import islice

import pytest

from scripts.bench.contenders.url_layouts import (
    Buckets,
    Items,
    Layout,
    Levels,
    packed_size,
    read,
    written,
)
from scripts.bench.questions.url_layouts import Functions, measure, replay
from scripts.bench.worlds.link_stream import LinkingWeb, pages_of
from scripts.bench.worlds.linking_site import ASIDE, LinkingSite

SMALL = LinkingWeb(hosts=1, pages=200, known=10)


def looked_up(layout: Layout, host: str, id: bytes) -> float:
    """Read units of one lookup."""
    return layout.look_up(host, [id]).rru


@pytest.mark.parametrize("make", [Buckets, Levels, lambda: Buckets(few=3), lambda: Levels(few=3)])
def test_packs_lose_no_url_when_they_split_and_merge(make):
    layout = make()
    added = [(host, urls) for page in pages_of(SMALL) for host, urls in page.new.items()]
    for host, urls in added:
        layout.add(host, urls)

    for host, urls in added:
        at, ids = layout._hosts[host], [url.id for url in urls]
        found = at.newest.ids.union(*(pack.ids for pack in layout._packs(at, ids)))
        assert found.issuperset(set(ids) - layout._items), host


def test_units_are_those_of_dynamodb():
    assert [written(size) for size in (1, 1024, 1025, 8192)] == [1, 1, 2, 8]
    assert [read(size) for size in (1, 4096, 4097)] == [0.5, 0.5, 1.0]


def test_an_item_each_is_a_unit_each():
    (page,) = islice(pages_of(SMALL), 1)
    ((host, urls), *_) = page.new.items()

    assert Items().add(host, urls) == len(urls)
    assert looked_up(Items(), host, urls[0].id) == 0.5
    assert Items().claim(host, urls[0].id) == 0.0


def test_a_pack_is_smaller_than_its_urls():
    urls = [url for page in pages_of(SMALL) for some in page.new.values() for url in some]

    assert packed_size(urls) < sum(len(url.path) for url in urls)


def test_few_urls_of_a_small_host_are_one_write():
    (page,) = islice(pages_of(SMALL), 1)
    urls = max(page.new.values(), key=len)

    assert Levels().add("h0.test", urls) == 1
    assert Levels(few=len(urls) + 1).add("h0.test", urls) == len(urls)


def test_a_function_asks_once_for_what_it_remembers():
    functions = Functions(Items())
    (page,) = islice(pages_of(SMALL), 1)
    functions._memories[1:] = [functions._memories[0]] * (len(functions._memories) - 1)
    functions.handle(page)
    before = functions.used.rru

    functions.handle(page)

    assert functions.used.rru == before == 0.5 * sum(len(urls) for urls in page.new.values())


def test_buckets_grow_dear_with_a_host_and_levels_do_not():
    """A small run of what `python -m scripts.bench url_layouts` measures."""
    small, large = (
        replay(LinkingWeb(hosts=1, pages=pages), {"buckets": Buckets, "levels": Levels})
        for pages in (40, 400)
    )

    def writes(used):
        return used.wru / used.pages

    assert writes(large["buckets"]) > 2 * writes(small["buckets"])
    assert writes(large["levels"]) < 1.2 * writes(small["levels"])


def test_the_report_has_a_line_for_every_layout():
    report = measure(argparse.Namespace(webs=["manuals: one new link"]))

    assert len(report.rows) == 5
    assert report.summary["manuals: one new link"]["item each"] > 0


def test_a_page_of_the_linking_site_leads_to_nine_new_urls():
    pages, known = 60, {"/"}
    site, new = LinkingSite("a.test", pages), []
    for number in range(pages):
        links = set(site.links(number))
        new.append(len(links - known))
        known |= links

    assert sum(new) / pages == pytest.approx(9, rel=0.03)
    own = [url for url in known if ASIDE in url and url.startswith("/")]
    assert len(own) / len([url for url in known if ASIDE in url]) == pytest.approx(0.75)
    assert site.read("/p59.html")
    assert site.read("/p60.html") is None
    assert site.read("/robots.txt") is None
