"""Are the entries of feeds read as documents, in all formats and however they are broken?"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.feeds.entry import MAX_ENTRIES
from gossamer.core.page.feeds.reading import documents_of, entries_of
from gossamer.core.page.values import Link

URL = "http://a.test/feed"
RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/"><channel>
<title>News of webs</title><link>http://a.test/</link><language>en-gb</language>
<item><title>Silk &amp;amp; glue</title><link>/silk</link><media:title>other</media:title>
<description>In short.</description>
<content:encoded><![CDATA[<p>Silk is <b>strong</b>.</p><script>x()</script>]]></content:encoded>
<pubDate>Wed, 01 Jul 2026 10:00:00 GMT</pubDate><dc:creator>A. Spider</dc:creator></item>
<item><title>Episode 1</title><description>We talk of looms.</description>
<guid isPermaLink="false">tag:1</guid>
<enclosure url="http://cdn.test/1.mp3" type="audio/mpeg" length="1"/></item>
<item><title>No more than a link</title><link>/bare</link></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Netze</title>
<author><name>Nobody</name></author>
<entry xml:base="http://a.test/blog/"><title type="html">&lt;i&gt;Seide&lt;/i&gt;</title>
<link rel="self" href="x.atom"/><link href="seide"/>
<link rel="enclosure" href="s.ogg" type="audio/ogg"/>
<published>2026-07-01T10:00:00Z</published><updated>2026-07-02T10:00:00Z</updated>
<author><name>Eine Spinne</name><uri>http://b.test/</uri></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">
<p>Seide ist</p><p>stark.</p></div></content>
</entry></feed>"""
FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "language": "en",
    "items": [
        {
            "id": "1", "url": "http://a.test/silk", "title": "Silk < steel?",
            "content_html": "<p>Silk is strong.</p>", "summary": "In short.",
            "date_published": "2026-07-01T10:00:00Z", "authors": [{"name": "A. Spider"}],
            "attachments": [{"url": "http://cdn.test/1.mp3", "mime_type": "audio/mpeg"}],
        },
        {"id": "http://a.test/note", "content_text": "A note on <looms>."},
        {"id": "2"}, "no item",
    ],
}  # fmt: skip


def read(body):
    body = body.encode() if isinstance(body, str) else body
    return documents_of(*entries_of(body, URL))


def test_entries_of_rss_are_documents_under_their_links():
    silk, episode = read(RSS)

    assert (silk.url, silk.title, silk.kind) == ("http://a.test/silk", "Silk & glue", "entry")
    assert " ".join(silk.text.split()) == "Silk is strong."
    assert (silk.description, silk.language) == ("In short.", "en")
    assert (silk.date, silk.date_source) == ("2026-07-01T10:00:00Z", "feed")
    assert silk.values == {"author": "A. Spider"}
    assert episode.url == "http://cdn.test/1.mp3"
    assert episode.values["enclosure"] == [Link("http://cdn.test/1.mp3", "audio/mpeg")]


def test_entries_of_atom_are_documents_under_their_links():
    [silk] = read(ATOM)

    assert (silk.url, silk.title, silk.language) == ("http://a.test/blog/seide", "Seide", "de")
    assert silk.text.split() == ["Seide", "ist", "stark."]
    assert (silk.published_at, silk.modified_at) == ("2026-07-01T10:00:00Z", "2026-07-02T10:00:00Z")
    assert silk.values["author"] == "Eine Spinne"
    assert silk.values["enclosure"] == [Link("http://a.test/blog/s.ogg", "audio/ogg")]


def test_entries_of_json_feed_are_documents_under_their_links():
    silk, note = read(json.dumps(FEED))

    assert (silk.url, silk.title) == ("http://a.test/silk", "Silk < steel?")
    assert (silk.text.strip(), silk.values["author"]) == ("Silk is strong.", "A. Spider")
    assert silk.values["enclosure"] == [Link("http://cdn.test/1.mp3", "audio/mpeg")]
    assert (note.url, note.text.strip()) == ("http://a.test/note", "A note on <looms>.")


def test_a_feed_that_breaks_off_keeps_what_came_before():
    assert [each.title for each in read(RSS[: RSS.index("<item><title>No")])] == [
        "Silk & glue", "Episode 1"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        '<!DOCTYPE x [<!ENTITY a "b">]>' + RSS[RSS.index("<rss") :],
        "<urlset><url><loc>http://a.test/</loc></url></urlset>",
        "{",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"version": "https://jsonfeed.org/version/1", "items": {}}',
        '{"version": 1, "items": [{}]}',
        "<rss>" + "<a>" * 100_000,
    ],
)
def test_what_is_hostile_or_no_feed_has_no_documents(body):
    assert read(body) == []


def test_of_a_long_feed_the_first_entries_count():
    item = "<item><link>/{}</link><description>Silk.</description></item>"
    long = "<rss>" + "".join(item.format(n) for n in range(MAX_ENTRIES + 50)) + "</rss>"

    assert len(read(long)) == MAX_ENTRIES


def test_of_entries_with_one_link_the_first_counts():
    item = "<item><link>/x</link><description>{}</description></item>"

    [document] = read("<rss>" + item.format("New.") + item.format("Old.") + "</rss>")

    assert document.text.strip() == "New."


_TAGS = ("rss", "item", "entry", "link", "title", "guid", "content", "author", "name", "b")
_PIECES = st.sampled_from(
    [f"{mark}{tag}>" for tag in _TAGS for mark in ("<", "</")] + ["silk", "http://a.test/x"]
)


@given(st.lists(_PIECES, max_size=30))
def test_no_feed_raises(pieces):
    for document in read("<rss>" + " ".join(pieces)):
        assert document.url
        assert document.text
