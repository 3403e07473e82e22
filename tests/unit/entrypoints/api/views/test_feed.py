"""Are feeds and descriptions XML that other programs can read, whatever a page is called?"""

from __future__ import annotations

from email.utils import parsedate_to_datetime

import pytest
from lxml import etree

from gossamer.core.search.result import Hit, SearchResponse
from gossamer.entrypoints.api.views.feed import to_opensearch, to_rss

BASE = "https://search.test/dev/"
NAMES = {"os": "http://a9.com/-/spec/opensearch/1.1/", "atom": "http://www.w3.org/2005/Atom"}


def response(*hits, query="silk & moth", **facts):
    usual = {"mode": "ranked", "total": 12, "total_is_exact": True, "page": 2, "limit": 10}
    return SearchResponse(**{**usual, **facts}, query=query, took_ms=1.0, hits=list(hits))


def hit(**facts):
    usual = {"rank": 11, "id": "0" * 32, "url": "https://a.test/x?a=1&b=2", "title": "Silk"}
    return Hit(**{**usual, "snippet": "a < b", "score": 1.0, "date": "2024-05-01", **facts})


def channel(*hits, sort="", **facts):
    found = etree.fromstring(to_rss(response(*hits, **facts), BASE, sort).encode()).find("channel")
    assert found is not None
    return found


def test_a_feed_has_the_results_and_where_they_are():
    read = channel(hit(), sort="-date")

    item = read.find("item")
    assert read.findtext("link") == "https://search.test/dev/?q=silk+%26+moth"
    itself = read.find("atom:link", NAMES).get("href")
    assert itself == "https://search.test/dev/search.rss?q=silk+%26+moth&sort=-date"
    assert read.findtext("os:totalResults", namespaces=NAMES) == "12"
    assert read.findtext("os:startIndex", namespaces=NAMES) == "11"
    assert item.findtext("title") == "Silk"
    assert item.findtext("link") == "https://a.test/x?a=1&b=2"
    assert item.findtext("guid") == "0" * 32
    assert item.findtext("description") == "a &lt; b", "it is read as markup"
    assert (
        parsedate_to_datetime(item.findtext("pubDate")).isoformat() == "2024-05-01T00:00:00+00:00"
    )


@pytest.mark.parametrize("text", ["<script>x</script>", "]]>", "a\x00b\x0b\ufffe", "&amp;", "🕸"])
def test_whatever_a_page_is_called_the_feed_can_be_read(text):
    read = channel(hit(title=text, snippet=text, url=f"https://a.test/{text}"), query=text)

    clean = text.translate(dict.fromkeys([0x00, 0x0B, 0xFFFE]))
    assert read.find("item").findtext("title") == clean


@pytest.mark.parametrize("date", ["", "yesterday", "2024"])
def test_what_is_no_date_is_left_out(date):
    assert channel(hit(date=date)).find("item").find("pubDate") is None


def test_an_address_that_is_not_of_the_web_is_no_link():
    assert channel(hit(url="javascript:x")).find("item").find("link") is None


def test_a_browser_reads_where_to_ask():
    read = etree.fromstring(to_opensearch(BASE).encode())

    assert len(read.findtext("os:ShortName", namespaces=NAMES)) <= 16
    urls = {each.get("type"): each.get("template") for each in read.findall("os:Url", NAMES)}
    assert urls["text/html"] == "https://search.test/dev/?q={searchTerms}"
    assert urls["application/rss+xml"] == "https://search.test/dev/search.rss?q={searchTerms}"
    asked = [each for each in read.findall("os:Url", NAMES) if each.get("rel") == "suggestions"]
    assert [each.get("template") for each in asked] == [
        "https://search.test/dev/suggest?q={searchTerms}"
    ]
