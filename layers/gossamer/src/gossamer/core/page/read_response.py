"""Readers: a stored response becomes documents and links, by its media type.

A reader is a module of this package with a function `read`, which returns none, one or many
documents. To read another media type, write such a module and name it in READERS: the crawler then
asks for that type and keeps what it gets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from gossamer.core.page.dates import dated, header_date
from gossamer.core.page.directives import header_directives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.document import ParsedPage


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response as a reader gets it."""

    body: bytes
    url: str
    headers: Sequence[tuple[str, str]] = ()

    @property
    def content_type(self) -> str:
        """The media type with its parameters; empty if the server did not say."""
        return next((value for name, value in self.headers if name.lower() == "content-type"), "")

    @property
    def media_type(self) -> str:
        """The media type alone, in small letters."""
        return self.content_type.partition(";")[0].strip().lower()


Reader: TypeAlias = Callable[[StoredResponse, "Rules"], "ParsedPage"]


def _reader_in(module: str) -> Reader:
    """The reader in a module of this package, which is imported with the first response for it."""

    def read(response: StoredResponse, rules: Rules) -> ParsedPage:
        found: Reader = import_module(f"gossamer.core.page.{module}").read
        return found(response, rules)

    return read


_HTML = _reader_in("html")
READERS: dict[str, Reader] = {
    "text/html": _HTML,
    "application/xhtml+xml": _HTML,
    "text/plain": _reader_in("plain_text"),
}
# Servers send sitemaps and feeds as any of a dozen types; the reader looks at the content.
_SITEMAP = _reader_in("sitemap")
_SITEMAP_TYPES = ("text/*", "application/*")


def accepted_types(purpose: str) -> tuple[str, ...]:
    """The media types worth asking for and keeping."""
    return _SITEMAP_TYPES if purpose == "sitemap" else tuple(READERS)


def read_response(
    purpose: str, body: bytes, url: str, headers: Sequence[tuple[str, str]], rules: Rules
) -> ParsedPage:
    """What a stored response says: a page, or a sitemap or feed."""
    response = StoredResponse(body, url, headers)
    if purpose == "sitemap":
        return _SITEMAP(response, rules)
    # The fetcher keeps a response without a type if it looks like a page.
    parsed = _date(READERS.get(response.media_type, _HTML)(response, rules), headers)
    tags = [value for name, value in headers if name.lower() == "x-robots-tag"]
    return _obey(parsed, tags, rules.config.user_agent) if tags else parsed


def _date(parsed: ParsedPage, headers: Sequence[tuple[str, str]]) -> ParsedPage:
    """What has no date of its own has that of the server."""
    date = header_date(headers)
    if not date.text or all(document.date for document in parsed.documents):
        return parsed
    return msgspec.structs.replace(parsed, documents=dated(parsed.documents, date))


def _obey(parsed: ParsedPage, tags: list[str], agent: str) -> ParsedPage:
    """Directives of the headers count like those in the page."""
    said = header_directives(tags, agent)
    outlinks = parsed.outlinks
    if said.nofollow:
        outlinks = [msgspec.structs.replace(link, nofollow=True) for link in outlinks]
    return msgspec.structs.replace(
        parsed,
        outlinks=outlinks,
        noindex=parsed.noindex or said.noindex,
        nofollow=parsed.nofollow or said.nofollow,
    )
