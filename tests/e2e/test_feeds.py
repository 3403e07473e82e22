"""Is what only a feed names found, and does a date in a sitemap bring a page back early?"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.e2e.crawls import await_that, crawl, opened
from tests.e2e.test_recrawl import TEXTS, found, page, publish, recrawl, said
from tests.sites.generated import Resource, Rules

if TYPE_CHECKING:
    from tests.sites.generated import Server, Site

XML = (("Content-Type", "application/atom+xml; charset=utf-8"),)
NAMED = '<link rel="alternate" type="application/atom+xml" href="/feed.atom">'
# A sitemap that was read once is due after 4 seconds, and a page after two minutes.
IMPATIENT = ("--target", 1 - 5e-5, "--min-interval", 0)


def test_a_page_that_only_a_feed_names_is_crawled_and_found(server, data):
    site = publish(server, {"/": "A spider lives here.", "/new.html": "A wolf hunts alone."})
    root = site.resources[site.seed]
    html = root.body.replace(b"<head>", f"<head>{NAMED}".encode())
    site.resources[site.seed] = Resource(body=html)
    feed = "<feed xml:base='/'><entry><link href='new.html'/></entry></feed>"
    site.resources[f"{site.origin}/feed.atom"] = Resource(body=feed.encode(), headers=XML)

    report = crawl(site.seed, data)
    said("index", "--data", data)

    assert report["unexplained"] == 0
    assert report["by_reason"] == {"document": 2, "sitemap": 1}
    assert found(data, "wolf") == [f"{site.origin}/new.html"]


def test_a_feed_that_is_linked_to_like_a_page_is_read_as_a_feed(server, data):
    site = publish(server, {"/": "<a href=/feed.atom>news</a>", "/new.html": "A wolf."})
    feed = "<rss><channel><item><guid>/new.html</guid></item></channel></rss>"
    site.resources[f"{site.origin}/feed.atom"] = Resource(body=feed.encode(), headers=XML)

    report = crawl(site.seed, data)

    assert report["by_reason"] == {"document": 2, "sitemap": 1, "feed": 1}


def list_pages(site: Site, **dates: str) -> None:
    entry = "<url><loc>{}</loc><lastmod>{}</lastmod></url>".format
    lines = [entry(site.origin + path, dates.get(path[1:-5], "2020")) for path in TEXTS]
    body = f"<urlset>{''.join(lines)}</urlset>".encode()
    site.resources[f"{site.origin}/sitemap.xml"] = Resource(body=body, headers=XML)


def pages_since(server: Server, count: int) -> list[str]:
    return [url for url in server.asked()[count:] if not url.endswith((".xml", ".txt"))]


def test_a_date_that_grew_brings_exactly_that_page_back_before_its_time(server, data):
    site = publish(server, TEXTS)
    site.rule(site.origin, Rules(sitemap=f"{site.origin}/sitemap.xml"))
    list_pages(site)
    crawl(site.seed, data)
    said("index", "--data", data)
    site.resources[f"{site.origin}/orb.html"] = page("/orb.html", "A funnel web, this time.")
    list_pages(site, orb=datetime.fromtimestamp(time.time(), UTC).isoformat())
    asked = len(server.log)

    def is_due() -> bool:
        return bool(said("recrawl", "--data", data, "--dry-run", *IMPATIENT)["due"])

    await_that(is_due, "that the sitemap is due")
    recrawl(data, *IMPATIENT)
    assert pages_since(server, asked) == []
    with opened(data) as home:  # a page that was first met in the sitemap has an old date
        assert sum(record.hinted_at > record.slot > 0 for record in home.urls.all()) == 1
    recrawl(data, *IMPATIENT)

    assert pages_since(server, asked) == [f"{site.origin}/orb.html"]
    assert found(data, "funnel") == [f"{site.origin}/orb.html"]
