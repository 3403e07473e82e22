"""Ids of URLs and of documents.

A page is what was fetched, known by the id of its URL. A document is what can be found: a page has
none, one or many, each of which is a part of it (`core.page.parts`). The document of a plain page
is its part 0 and has the page's own bytes, so that collections from before there were parts stay as
they are.
"""

from __future__ import annotations

from typing import NewType

UrlId = NewType("UrlId", bytes)
DocumentId = NewType("DocumentId", bytes)

URL_ID_BYTES = 16
_PART_BYTES = 4


def document_id(page: UrlId, part: int = 0) -> DocumentId:
    """The id of a part of a page."""
    return DocumentId(page + part.to_bytes(_PART_BYTES, "big") if part else page)


def page_of(document: DocumentId) -> UrlId:
    """The id of the page that a document is a part of."""
    return UrlId(document[:URL_ID_BYTES])


def part_of(document: DocumentId) -> int:
    """The part of its page that a document is."""
    return int.from_bytes(document[URL_ID_BYTES:], "big")
