"""What does a stored response say, its headers included?

The one function that a parser process runs: bytes and headers in, document and links out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.core.page.directives import header_directives
from gossamer.core.page.document import Document, Outlink, ParsedPage
from gossamer.core.page.html import parse_page
from gossamer.core.page.sitemap import parse_sitemap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.crawl.job import Rules


def read_response(
    purpose: str, body: bytes, url: str, headers: Sequence[tuple[str, str]], rules: Rules
) -> ParsedPage:
    """What a stored response says: a page, or a sitemap or feed."""
    if purpose == "sitemap":
        return read_sitemap(body, url)
    return read_page(body, url, headers, rules)


def read_page(
    body: bytes, url: str, headers: Sequence[tuple[str, str]], rules: Rules
) -> ParsedPage:
    """The document and the links of a page; header directives count like those in the page."""
    config = rules.config
    parsed = parse_page(
        body,
        url,
        content_type=_header(headers, "content-type"),
        extractor=config.extractor,
        link_scope=config.link_scope,
        rules=rules.urls,
        max_links=config.max_links,
        agent=config.user_agent,
    )
    tags = [value for name, value in headers if name.lower() == "x-robots-tag"]
    return _obey(parsed, tags, config.user_agent) if tags else parsed


def _obey(parsed: ParsedPage, tags: list[str], agent: str) -> ParsedPage:
    said = header_directives(tags, agent)
    document = msgspec.structs.replace(
        parsed.document,
        noindex=parsed.document.noindex or said.noindex,
        nofollow=parsed.document.nofollow or said.nofollow,
    )
    outlinks = parsed.outlinks
    if said.nofollow:
        outlinks = [msgspec.structs.replace(link, nofollow=True) for link in outlinks]
    return msgspec.structs.replace(parsed, document=document, outlinks=outlinks)


def read_sitemap(body: bytes, url: str) -> ParsedPage:
    """A sitemap or feed as a page of links: `kind` tells pages from further sitemaps."""
    found = parse_sitemap(body, url)
    links = [Outlink(target, "", False, "sitemap-page") for target in found.urls]
    links += [Outlink(target, "", False, "sitemap") for target in found.children]
    return ParsedPage(Document(url=url), links, dates=found.dates)


def _header(headers: Sequence[tuple[str, str]], name: str) -> str:
    return next((value for key, value in headers if key.lower() == name), "")
