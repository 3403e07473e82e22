"""A page with what the headers of its response add to it: directives, canonical URL, refresh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gossamer.core.page.directives import header_directives
from gossamer.core.page.document import Outlink
from gossamer.core.page.headers.alternates import alternates
from gossamer.core.page.headers.link_header import header_links
from gossamer.core.page.headers.refresh import refresh_target
from gossamer.core.urls import from_header, normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.document import Document, ParsedPage
    from gossamer.core.urls import UrlRules

_SAYING = frozenset({"x-robots-tag", "link", "refresh"})


def with_headers(
    parsed: ParsedPage, url: str, headers: Sequence[tuple[str, str]], rules: Rules
) -> ParsedPage:
    """The page, as its headers have it too; what the page says itself comes first."""
    said: dict[str, list[str]] = {}
    for name, value in headers:
        if name.lower() in _SAYING:
            said.setdefault(name.lower(), []).append(from_header(value))
    if not said:
        return parsed
    parsed = _linked(parsed, said.get("link", []), url, rules.urls)
    parsed = _refreshed(parsed, said.get("refresh", []), url, rules.urls)
    return _obey(parsed, said.get("x-robots-tag", []), rules.config.user_agent)


def _linked(parsed: ParsedPage, values: list[str], url: str, rules: UrlRules) -> ParsedPage:
    links = list(header_links(values))
    named = (normalise(link.href, url, rules) for link in links if "canonical" in link.rel)
    canonical = next(filter(None, named), "")
    others = alternates(
        ((link.hreflang, link.href) for link in links if "alternate" in link.rel), url, rules
    )
    if not canonical and not others:
        return parsed
    documents = [_completed(document, canonical, others) for document in parsed.documents]
    outlinks = parsed.outlinks
    if canonical and canonical != url and not any(link.kind == "canonical" for link in outlinks):
        outlinks = [Outlink(canonical, "", parsed.nofollow, "canonical"), *outlinks]
    return msgspec.structs.replace(parsed, documents=documents, outlinks=outlinks)


def _completed(document: Document, canonical: str, others: dict[str, str]) -> Document:
    changes: dict[str, Any] = {"alternates": {**others, **document.alternates}}
    return msgspec.structs.replace(document, canonical=document.canonical or canonical, **changes)


def _refreshed(parsed: ParsedPage, values: list[str], url: str, rules: UrlRules) -> ParsedPage:
    targets = (normalise(target, url, rules) for target in map(refresh_target, values) if target)
    target = next((found for found in targets if found and found != url), None)
    if target is None or any(link.url == target for link in parsed.outlinks):
        return parsed
    onward = Outlink(target, "", parsed.nofollow, "refresh")
    return msgspec.structs.replace(parsed, outlinks=[onward, *parsed.outlinks])


def _obey(parsed: ParsedPage, tags: list[str], agent: str) -> ParsedPage:
    """Directives of the headers count like those in the page."""
    said = header_directives(tags, agent)
    outlinks = parsed.outlinks
    if said.nofollow:
        outlinks = [msgspec.structs.replace(link, nofollow=True) for link in outlinks]
    ends = [end for end in (parsed.unavailable_after, said.unavailable_after) if end]
    return msgspec.structs.replace(
        parsed,
        outlinks=outlinks,
        noindex=parsed.noindex or said.noindex,
        noimageindex=parsed.noimageindex or said.noimageindex,
        nofollow=parsed.nofollow or said.nofollow,
        unavailable_after=min(ends, default=0.0),
    )
