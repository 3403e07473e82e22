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

from gossamer.core.crawl.url_state import NO_TEXT, PICTURE
from gossamer.core.page.dates import dated, header_date
from gossamer.core.page.files.signatures import PDF, ZIP, kind_of, picture_type, type_of_archive
from gossamer.core.page.headers.obeyed import with_headers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.crawl.job import Rules
    from gossamer.core.page.document import ParsedPage
    from gossamer.core.page.templates.template import Template


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


_MICROSOFT = "application/vnd.openxmlformats-officedocument."
_OASIS = "application/vnd.oasis.opendocument."
OFFICE_TYPES = (
    f"{_MICROSOFT}wordprocessingml.document",
    f"{_MICROSOFT}presentationml.presentation",
    f"{_MICROSOFT}spreadsheetml.sheet",
    *(_OASIS + kind for kind in ("text", "presentation", "spreadsheet")),
)
# Programs as servers label them.
SOURCE_TYPES = tuple(
    f"text/x-{name}"
    for name in str.split(
        "c c++ c++src chdr csrc diff go haskell java log lua makefile perl python rst ruby rust"
        " script.python scala sh tex"
    )
)
_HTML, _TEXT = _reader_in("html"), _reader_in("plain_text")
READERS: dict[str, Reader] = {
    "text/html": _HTML,
    "application/xhtml+xml": _HTML,
    "text/plain": _TEXT,
    "application/pdf": _reader_in("files.pdf"),
    "application/epub+zip": _reader_in("files.epub"),
    **dict.fromkeys(OFFICE_TYPES, _reader_in("files.office")),
    **dict.fromkeys(("text/markdown", "text/x-markdown"), _reader_in("files.markdown")),
    **dict.fromkeys(("text/csv", "text/tab-separated-values"), _reader_in("files.table_text")),
    **dict.fromkeys(SOURCE_TYPES, _TEXT),
}
# Asked for only by jobs with `pictures`. What may run something (SVG) is none of them.
PICTURE_TYPES = tuple(f"image/{name}" for name in ("avif", "gif", "jpeg", "png", "webp"))
_OF_TEXT = (_HTML, _TEXT, READERS["text/markdown"], READERS["text/csv"])
# Servers send sitemaps and feeds as any of a dozen types; the reader looks at the content.
_SITEMAP = _reader_in("sitemap")
_SITEMAP_TYPES = ("text/*", "application/*")


def accepted_types(purpose: str, *, pictures: bool = False) -> tuple[str, ...]:
    """The media types worth asking for and keeping."""
    if purpose == "sitemap":
        return _SITEMAP_TYPES
    return (*READERS, *PICTURE_TYPES) if pictures else tuple(READERS)


def read_response(
    purpose: str, body: bytes, url: str, headers: Sequence[tuple[str, str]], rules: Rules
) -> ParsedPage:
    """What a stored response says: a page, or a sitemap or feed."""
    response = StoredResponse(body, url, headers)
    if purpose == "sitemap":
        return _SITEMAP(response, rules)
    # The fetcher keeps a response without a type if it looks like a page.
    read = _reader_of(response)
    parsed = read(response, rules)
    if rules.templates and (template := rules.template_for(url)):
        parsed = _apply(template, parsed, response if read is _HTML else None)
    return _without_images(with_headers(_date(parsed, headers), url, headers, rules))


def _apply(template: Template, parsed: ParsedPage, response: StoredResponse | None) -> ParsedPage:
    """A page with what its template finds: nothing in what is no HTML, which is no secret."""
    from gossamer.core.page.templates import applying  # lxml, for such pages only

    if response is None:
        return applying.without_values(template, parsed)
    return applying.apply_template(template, parsed, response)


def _reader_of(response: StoredResponse) -> Reader:
    """By what the server says; what it calls text and what is none, by its bytes."""
    if response.media_type in PICTURE_TYPES:
        return _keep_picture
    said = READERS.get(response.media_type, _HTML)
    kind = kind_of(response.body) if said in _OF_TEXT else ""
    if not kind:
        return said
    named = "application/pdf" if kind == PDF else ""
    if kind == ZIP:
        named = type_of_archive(response.body)
    return READERS.get(named, _unread)


def _without_images(parsed: ParsedPage) -> ParsedPage:
    """Without the pictures of a page that asks for that."""
    if not parsed.noimageindex:
        return parsed
    documents = [document for document in parsed.documents if document.kind != "image"]
    return msgspec.structs.replace(parsed, documents=documents)


def _keep_picture(response: StoredResponse, rules: Rules) -> ParsedPage:
    from gossamer.core.page.document import ParsedPage

    return ParsedPage([], [], reason=PICTURE if picture_type(response.body) else NO_TEXT)


def _unread(response: StoredResponse, rules: Rules) -> ParsedPage:
    from gossamer.core.page.document import ParsedPage

    return ParsedPage([], [], reason=NO_TEXT)


def _date(parsed: ParsedPage, headers: Sequence[tuple[str, str]]) -> ParsedPage:
    """What has no date of its own has that of the server."""
    date = header_date(headers)
    if not date.text or all(document.date for document in parsed.documents):
        return parsed
    return msgspec.structs.replace(parsed, documents=dated(parsed.documents, date))
