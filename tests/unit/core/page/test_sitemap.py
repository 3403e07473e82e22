import gzip
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page import sitemap
from gossamer.core.page.sitemap import Sitemap, parse_sitemap
from gossamer.core.urls import normalise

HOME = "http://a.test/sitemap.xml"
HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = b' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*locations: str) -> bytes:
    body = "".join(f"<url><loc>{loc}</loc><lastmod>2024-01-01</lastmod></url>" for loc in locations)
    return HEAD + b"<urlset" + NAMESPACE + b">" + body.encode() + b"</urlset>"


def test_a_urlset_names_pages():
    body = urlset("http://a.test/1", "http://a.test/2?a=1&amp;b=2", " \n/3\n ")

    found = parse_sitemap(body, HOME)
    assert found.urls == ["http://a.test/1", "http://a.test/2?a=1&b=2", "http://a.test/3"]
    assert found.children == []
    assert found.dates == dict.fromkeys(found.urls, 1_704_067_200.0)


def test_an_index_names_sitemaps():
    body = HEAD + b"<sitemapindex><sitemap><loc>http://a.test/s1.xml</loc></sitemap></sitemapindex>"

    assert parse_sitemap(body, HOME) == Sitemap([], ["http://a.test/s1.xml"])


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf" + urlset("http://a.test/1"),
        b"\n  " + urlset("http://a.test/1"),
        gzip.compress(urlset("http://a.test/1"), mtime=0),
        urlset("http://a.test/1").decode().replace("UTF-8", "UTF-16").encode("utf-16"),
        b'<s:urlset xmlns:s="x"><s:url><s:loc>http://a.test/1</s:loc></s:url></s:urlset>',
        b"<urlset><url><loc><![CDATA[http://a.test/1]]></loc></url></urlset>",
        urlset("http://a.test/1", "http://a.test/1"),
        b"http://a.test/1\n",
        b"\xef\xbb\xbfHTTP://a.test/1\r\n\r\nnot a url\r\nftp://a.test/2",
        gzip.compress(b"http://a.test/1", mtime=0),
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


RSS_2 = """<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
  <title>News</title><link>http://a.test/</link>
  <atom:link href="http://a.test/feed" rel="self"/><pubDate>Mon, 16 Nov 2026 12:00:00 GMT</pubDate>
  <image><url>http://a.test/logo.png</url><link>http://a.test/</link></image>
  <item><title>1</title><link>http://a.test/1</link><guid>http://a.test/?p=1</guid>
    <pubDate>Sun, 15 Nov 2026 12:00:00 GMT</pubDate><atom:link href="/amp" rel="amphtml"/></item>
  <item><guid>http://a.test/2</guid></item>
  <item><guid isPermaLink="false">http://a.test/no</guid></item>
  <item><link> </link><guid isPermaLink="true"> /3 </guid></item>
  <item><enclosure url="http://a.test/sound.mp3"/><comments>http://a.test/c</comments></item>
</channel></rss>"""
RSS_1 = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel rdf:about="http://a.test/feed"><link>http://a.test/</link>
    <items><rdf:Seq><rdf:li resource="http://a.test/1"/></rdf:Seq></items></channel>
  <item rdf:about="http://a.test/1"><link>http://a.test/1</link><dc:date>2026-11-15</dc:date></item>
</rdf:RDF>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://a.test/blog/">
  <link href="http://a.test/"/><link rel="self" href="/feed"/><updated>2026-11-16</updated>
  <entry><link href="1"/><link rel="edit" href="/edit"/><updated>2026-11-15T12:00:00Z</updated>
    <published>2020-01-01T00:00:00Z</published><id>http://a.test/id</id></entry>
  <entry xml:base="sub/"><link rel="ALTERNATE" href=" 2?a=1&amp;b=2 "/><link href=""/>
    <published>2026-11-14</published>
    <source><link href="/other"/><updated>2026-11-16</updated></source></entry>
  <entry><link rel="enclosure" href="/sound.mp3"/><content src="/3"/></entry>
</feed>"""


def day(number: int, hour: int = 0) -> float:
    return datetime(2026, 11, number, hour, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("body", "dates"),
    [
        (RSS_2, {"/1": day(15, 12), "/2": None, "/3": None}),
        (RSS_1, {"/1": day(15)}),
        (ATOM, {"/blog/1": day(15, 12), "/blog/sub/2?a=1&b=2": day(14)}),
    ],
    ids=["RSS 2.0", "RSS 1.0", "Atom"],
)
def test_a_feed_names_its_items_with_their_dates(body, dates):
    for form in (body.encode(), gzip.compress(body.encode())):
        found = parse_sitemap(form, "http://a.test/feed")

        assert found.urls == [f"http://a.test{path}" for path in dates]
        assert found.children == []
        assert found.dates == {f"http://a.test{path}": at for path, at in dates.items() if at}


def test_of_several_dates_of_a_page_the_latest_counts_and_an_unreadable_one_is_none():
    entry = "<url><loc>{}</loc><lastmod>{}</lastmod></url>".format
    body = entry("/1", "2026-11-15") + entry("/1", "2026-11-16") + entry("/1", "2026-11-14")
    body += entry("/2", "soon") + entry("/3", "1970-01-01")

    found = parse_sitemap(f"<urlset>{body}</urlset>".encode(), HOME)

    assert found.urls == ["http://a.test/1", "http://a.test/2", "http://a.test/3"]
    assert found.dates == {"http://a.test/1": day(16)}


def test_the_sitemaps_of_an_index_have_dates_too():
    body = b"<sitemapindex><sitemap><lastmod>2026-11</lastmod><loc>/s</loc></sitemap>"

    assert parse_sitemap(body, HOME) == Sitemap(
        [], ["http://a.test/s"], {"http://a.test/s": day(1)}
    )


@pytest.mark.parametrize("base", ["", "javascript:x", "http://", "x" * 9000])
def test_a_base_that_is_none_changes_nothing(base):
    body = f'<feed xml:base="{base}"><entry><link href="/1"/></entry></feed>'

    assert parse_sitemap(body.encode(), HOME).urls == ["http://a.test/1"]


def test_the_elements_of_one_form_mean_nothing_in_another():
    body = """<x><url><link>/1</link><guid>/2</guid><link href="/3"/></url><entry><loc>/4</loc>
    <guid>/5</guid></entry><item><loc>/6</loc></item><link>/7</link><loc>/8</loc></x>"""

    assert parse_sitemap(body.encode(), HOME) == Sitemap()


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


PIECES = st.sampled_from(
    str.split(
        "<rss> <channel> <item> </item> <entry> </entry> <link> </link> <link/> <guid> </guid>"
        " <pubDate> </pubDate> <updated> </updated> <url> </url> <loc> </loc> <lastmod> </lastmod>"
        " <link/href='/a'/> <feed/xml:base='b/'> http://a.test/1 2026-11-16 &amp; &nbsp; <![CDATA["
        " ]]> <!-- --> <!DOCTYPE/x> <item/> <sitemap> </sitemap>"
    )
).map(lambda piece: piece.replace("/href", " href").replace("/xml:", " xml:").replace("/x>", " x>"))


@given(st.lists(PIECES, max_size=40))
def test_any_mixture_names_normal_urls_and_dates_only_of_them(pieces):
    found = parse_sitemap("".join(pieces).encode(), HOME)

    named = found.urls + found.children
    assert all(normalise(url) == url for url in named)
    assert found.dates.keys() <= set(named)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30)))
def test_every_url_of_a_sitemap_is_normal(lines):
    for url in parse_sitemap("\n".join(f"http://{line}" for line in lines).encode(), HOME).urls:
        assert normalise(url) == url
