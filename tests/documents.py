"""What a home keeps of a page, for tests to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.urls import url_id

if TYPE_CHECKING:
    from gossamer.core.page.document import Document
    from gossamer.ports.home import Home


def documents_of(home: Home, url: str) -> list[Document]:
    """The documents of a page, in the order of their parts."""
    return [doc for page in home.documents.pages([url_id(url)]) for doc in page.documents.values()]


def document_of(home: Home, url: str) -> Document:
    """The only document of a page."""
    (found,) = documents_of(home, url)
    return found
