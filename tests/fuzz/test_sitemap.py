"""What can a hostile sitemap do to us?"""

from __future__ import annotations

import gzip
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.sitemap import MAX_LINES, MAX_SITEMAP_URLS, parse_sitemap
from gossamer.core.urls import normalise
from tests.effort import often
from tests.fuzz.bounds import damaged, within

URL = "http://a.test/sitemap.xml"
WHOLE = (
    b'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap'
    b'/0.9"><url><loc>http://a.test/x?a=1&amp;b=2</loc></url><url><loc>/y</loc></url></urlset>'
)
PIECES = [
    b"<urlset>", b"<url>", b"<loc>", b"</loc>", b"</url>", b"<sitemap>", b"</sitemap>", b"<",
    b"http://b.test/", b"&amp;", b"&lol;", b"&#0;", b"&#xD800;", b"<![CDATA[", b"]]>", b"<!--",
    b"<!DOCTYPE x [<!ENTITY lol 'lol'>]>", b"<?xml version='1.0' encoding='utf-7'?>", b"\xff",
    b"\0", b"<x:loc>", b"\n", b"\x1f\x8b", b"javascript:x", b"<item>", b"</item>", b"<link>",
    b"</link>", b"<entry>", b"<link href='/z'/>", b"<guid>", b"<lastmod>2026-11-16</lastmod>",
]  # fmt: skip
LAUGHS = (
    b"<!DOCTYPE l [<!ENTITY a0 'ha'>%s]><urlset><url><loc>&a9;</loc></url></urlset>"
    % b"".join(b"<!ENTITY a%d '%s'>" % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10))
)
# Each is at most 100 KB as it comes over the wire.
WORST = {
    "six million lines": lambda: gzip.compress(b"http://\n" * 6_000_000),
    "empty lines": lambda: gzip.compress(b"\n" * 50_000_000),
    "short lines": lambda: gzip.compress(b"x\n" * 25_000_000),
    "one long line": lambda: gzip.compress(b"http://a.test/" + b"x" * 49_000_000),
    "a long loc": lambda: gzip.compress(b"<urlset><url><loc>" + b" " * 49_000_000),
    "a long name": lambda: gzip.compress(b"<" + b"a" * 49_000_000),
    "empty items": lambda: gzip.compress(b"<rss>" + b"<item/>" * 7_000_000),
    "depth": lambda: b"<a>" * 33_000,
    "attributes": lambda: b"<a " + b" ".join(b"a%d=''" % n for n in range(11_000)) + b">",
    "laughs": lambda: LAUGHS,
    "comments": lambda: b"<a>" + b"<!---->" * 14_000,
    "gzip in gzip": lambda: gzip.compress(gzip.compress(bytes(10_000_000))),
}


def is_well(found):
    for urls in (found.urls, found.children):
        assert len(urls) == len(set(urls)) <= MAX_SITEMAP_URLS
        assert all(normalise(url) == url for url in urls)
    assert found.dates.keys() <= {*found.urls, *found.children}


@often(200)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join) | damaged(WHOLE), st.booleans())
def test_any_sitemap_names_normal_urls_each_once(body, packed):
    with within():
        found = parse_sitemap(gzip.compress(body, 1, mtime=0) if packed else body, URL)

    is_well(found)


@often(50)
@given(damaged(gzip.compress(WHOLE, mtime=0)))
def test_a_broken_archive_gives_what_was_whole(body):
    is_well(parse_sitemap(body, URL))


@pytest.mark.parametrize("made", WORST.values(), ids=WORST)
def test_the_worst_sitemaps_are_read_in_time(made):
    body = made()
    assert len(body) <= 100_000 + 200

    with within(20.0):  # the slowest takes 3 on a busy machine
        found = parse_sitemap(body, URL)

    is_well(found)


def test_six_million_lines_are_never_in_memory_together():
    body = WORST["six million lines"]()

    tracemalloc.start()
    try:
        parse_sitemap(body, URL)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 300_000_000


def test_as_many_lines_as_a_sitemap_may_have_are_read():
    lines = [f"http://a.test/{n}" for n in range(MAX_SITEMAP_URLS)]

    found = parse_sitemap("\n\n".join(lines).encode(), URL)

    assert MAX_LINES == 2 * MAX_SITEMAP_URLS
    assert found.urls == lines
