"""The crawl as a user would write it with Scrapy, plain or tuned.

Run by Scrapy's own interpreter: `scrapy runspider scrapy_spider.py -a url=URL -a folder=FOLDER`.
With `-a tuned=1` fragments are dropped and every URL is followed once, before Scrapy makes a
request of it: most links of a documentation site lead to pages that are known.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import scrapy
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor


class SiteSpider(scrapy.Spider):  # type: ignore[misc]  # Scrapy lives in its own environment
    """Follows every link of one host and stores every body."""

    name = "site"

    def __init__(self, url: str, folder: str, tuned: str = "") -> None:
        super().__init__()
        self.is_tuned = bool(tuned)
        self.followed: set[str] = set()
        self.start_urls = [url]
        self.folder = Path(folder)
        # With the port: without it Scrapy takes every link as off-site.
        self.links = LinkExtractor(
            allow_domains=[urlsplit(url).netloc],
            process_value=_without_fragment if self.is_tuned else None,
        )

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        """Store one response and follow its links."""
        is_page = isinstance(response, HtmlResponse)
        name = hashlib.sha1(response.url.encode(), usedforsecurity=False).hexdigest()
        (self.folder / (name + (".html" if is_page else ".other"))).write_bytes(response.body)
        if is_page:
            for link in self.links.extract_links(response):
                if not self.is_tuned:
                    yield response.follow(link, callback=self.parse)
                elif link.url not in self.followed:
                    self.followed.add(link.url)
                    yield scrapy.Request(link.url, callback=self.parse)


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]
