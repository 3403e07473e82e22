"""Results for other programs than ours: an RSS feed of a query, and an OpenSearch description.

By the description a browser adds this server to its search engines.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from xml.sax.saxutils import escape, quoteattr

from gossamer.entrypoints.api.views.suggestions import SUGGESTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.search.result import Hit, SearchResponse

RSS = "application/rss+xml"
OPENSEARCH = "application/opensearchdescription+xml"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMESPACE = "http://a9.com/-/spec/opensearch/1.1/"
# Characters that XML cannot have, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_opensearch(base: str) -> str:
    """How a browser asks this server, which is at `base`."""
    addresses = (
        ("text/html", "results", "?q={searchTerms}"),
        (RSS, "results", "search.rss?q={searchTerms}"),
        ("application/json", "results", "search?q={searchTerms}"),
        (SUGGESTIONS, "suggestions", "suggest?q={searchTerms}"),
        (OPENSEARCH, "self", "opensearch.xml"),
    )
    urls = "".join(
        f"<Url type={quoteattr(kind)} rel={quoteattr(rel)} template={quoteattr(base + path)}/>\n"
        for kind, rel, path in addresses
    )
    icon = escape(f"{base}static/favicon.svg")
    return (
        f'{HEAD}<OpenSearchDescription xmlns="{_NAMESPACE}">\n'
        "<ShortName>Gossamer</ShortName>\n"
        "<Description>Search over a chosen part of the web.</Description>\n"
        "<InputEncoding>UTF-8</InputEncoding>\n"
        f'<Image width="16" height="16" type="image/svg+xml">{icon}</Image>\n'
        f"{urls}</OpenSearchDescription>\n"
    )


def to_rss(response: SearchResponse, base: str, sort: str, filters: Sequence[str] = ()) -> str:
    """A page of results as RSS 2.0."""
    query = [("q", response.query), *(("filter", each) for each in filters)]
    itself = f"{base}search.rss?{urlencode([*query, *([('sort', sort)] if sort else [])])}"
    first = (response.page - 1) * response.limit + 1
    parts = [
        _element("title", f"{response.query} – Gossamer"),
        _element("link", f"{base}?{urlencode(query)}"),
        _element("description", f"Pages that match “{response.query}”"),
        f'<atom:link rel="self" type="{RSS}" href={quoteattr(itself)}/>',
        _element("opensearch:totalResults", str(response.total)),
        _element("opensearch:startIndex", str(first)),
        _element("opensearch:itemsPerPage", str(response.limit)),
        *(f"<item>{''.join(_item(hit))}</item>" for hit in response.hits),
    ]
    return (
        f'{HEAD}<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"'
        f' xmlns:opensearch="{_NAMESPACE}"><channel>\n' + "\n".join(parts) + "\n</channel></rss>\n"
    )


def _item(hit: Hit) -> Iterator[str]:
    yield _element("title", hit.title.strip() or hit.url)
    if hit.url.startswith(("http://", "https://")):
        yield _element("link", hit.link)
    yield f'<guid isPermaLink="false">{escape(hit.id)}</guid>'
    # A feed's description is markup: what is text must be escaped twice.
    yield _element("description", escape(hit.snippet))
    if date := _rfc_date(hit.date):
        yield _element("pubDate", date)


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(_FORBIDDEN.sub('', text))}</{name}>"


def _rfc_date(text: str) -> str:
    """A date as RSS wants it; "" if there is none."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return ""
    return format_datetime(date if date.tzinfo else date.replace(tzinfo=UTC))
