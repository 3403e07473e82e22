import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core import sitemap
from gossamer.core.sitemap import Sitemap, parse_sitemap
from gossamer.core.urls import normalise

HOME = "http://a.test/sitemap.xml"
HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = b' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*locations: str) -> bytes:
    body = "".join(f"<url><loc>{loc}</loc><lastmod>2024-01-01</lastmod></url>" for loc in locations)
    return HEAD + b"<urlset" + NAMESPACE + b">" + body.encode() + b"</urlset>"


def test_a_urlset_names_pages():
    body = urlset("http://a.test/1", "http://a.test/2?a=1&amp;b=2", " \n/3\n ")

    assert parse_sitemap(body, HOME) == Sitemap(
        ["http://a.test/1", "http://a.test/2?a=1&b=2", "http://a.test/3"], []
    )


def test_an_index_names_sitemaps():
    body = HEAD + b"<sitemapindex><sitemap><loc>http://a.test/s1.xml</loc></sitemap></sitemapindex>"

    assert parse_sitemap(body, HOME) == Sitemap([], ["http://a.test/s1.xml"])


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf" + urlset("http://a.test/1"),
        b"\n  " + urlset("http://a.test/1"),
        gzip.compress(urlset("http://a.test/1")),
        urlset("http://a.test/1").decode().replace("UTF-8", "UTF-16").encode("utf-16"),
        b'<s:urlset xmlns:s="x"><s:url><s:loc>http://a.test/1</s:loc></s:url></s:urlset>',
        b"<urlset><url><loc><![CDATA[http://a.test/1]]></loc></url></urlset>",
        urlset("http://a.test/1", "http://a.test/1"),
        b"http://a.test/1\n",
        b"\xef\xbb\xbfHTTP://a.test/1\r\n\r\nnot a url\r\nftp://a.test/2",
        gzip.compress(b"http://a.test/1"),
    ],
)
def test_a_sitemap_may_come_in_many_forms(body):
    assert parse_sitemap(body, HOME).urls == ["http://a.test/1"]


def test_images_and_alternates_of_a_page_are_not_pages():
    body = (
        b"<urlset><url><loc>/1</loc><image:image xmlns:image='i'><image:loc>/i.png</image:loc>"
        b"</image:image><xhtml:link xmlns:xhtml='x' href='/de'/></url></urlset>"
    )

    assert parse_sitemap(body, HOME).urls == ["http://a.test/1"]


@pytest.mark.parametrize("tail", [b"<url><loc>/2", b"<url></nourl>", b"\x00", b"&nope;", b"<"])
def test_a_broken_sitemap_keeps_what_came_before_the_break(tail):
    body = HEAD + b"<urlset><url><loc>/1</loc></url>" + tail

    assert parse_sitemap(body, HOME).urls == ["http://a.test/1"]


def test_a_truncated_gzip_keeps_what_came_before_the_break():
    whole = gzip.compress(urlset(*(f"http://a.test/{n}/{n * n}" for n in range(5000))))

    urls = parse_sitemap(whole[: len(whole) // 2], HOME).urls

    assert 100 < len(urls) < 5000
    assert urls[0] == "http://a.test/0/0"


@pytest.mark.parametrize(
    "doctype",
    [
        b'<!DOCTYPE urlset [<!ENTITY a "http://a.test/1">]>',
        b'<!DOCTYPE urlset [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE urlset SYSTEM "http://evil.test/x.dtd">',
        b"<!DOCTYPE urlset [" + b"".join(
            b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12)
        ) + b"]>",
    ],
)  # fmt: skip
def test_a_document_type_ends_the_reading(doctype):
    body = HEAD + doctype + b"<urlset><url><loc>&a;</loc></url></urlset>"

    assert parse_sitemap(body, HOME) == Sitemap()


def test_a_bomb_is_unpacked_no_further_than_allowed(monkeypatch):
    monkeypatch.setattr(sitemap, "MAX_SITEMAP_BYTES", 100_000)
    bomb = gzip.compress(b"<urlset><url><loc>/1</loc></url>" + b" " * 10_000_000)

    assert len(sitemap._unpack(bomb)) == 100_000
    assert parse_sitemap(bomb, HOME).urls == ["http://a.test/1"]


@pytest.mark.parametrize(
    "form", [lambda urls: urlset(*urls), lambda urls: "\n".join(urls).encode()]
)
def test_no_more_than_the_allowed_number_of_urls_is_read(form):
    body = form([f"http://a.test/{n}" for n in range(sitemap.MAX_SITEMAP_URLS + 10)])

    assert len(parse_sitemap(body, HOME).urls) == sitemap.MAX_SITEMAP_URLS


def test_an_endless_location_and_endless_nesting_are_dropped():
    long = b"<urlset><url><loc>http://a.test/" + b"x" * 100_000 + b"</loc></url>"
    body = long + b"<url><loc>/1</loc></url>" + b"<a>" * 100_000

    assert parse_sitemap(body, HOME).urls == ["http://a.test/1"]


@given(st.binary(max_size=200))
def test_no_body_raises(body):
    for packed in (body, gzip.compress(body), b"\x1f\x8b" + body, b"<?xml" + body):
        parse_sitemap(packed, HOME)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30)))
def test_every_url_of_a_sitemap_is_normal(lines):
    for url in parse_sitemap("\n".join(f"http://{line}" for line in lines).encode(), HOME).urls:
        assert normalise(url) == url
