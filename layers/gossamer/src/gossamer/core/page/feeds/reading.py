"""The documents in a feed: one for each entry that has a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.page.feeds.enclosures import media_of
from gossamer.core.page.feeds.entry import document_of
from gossamer.core.page.feeds.json_feed import looks_like_json, read_json
from gossamer.core.page.feeds.xml_feed import looks_like_feed, read_xml

if TYPE_CHECKING:
    from gossamer.core.page.document import Document
    from gossamer.core.page.feeds.entry import Entry


def entries_of(body: bytes, url: str) -> tuple[list[Entry], str]:
    """The entries of a feed in any format, and its language."""
    if looks_like_json(body):
        return read_json(body, url)
    return read_xml(body, url) if looks_like_feed(body) else ([], "")


def documents_of(entries: list[Entry], language: str, *, media: bool = False) -> list[Document]:
    """The documents of entries, with `media` those of what they enclose too.

    Of two entries with one link the first counts.
    """
    found: dict[str, list[Document]] = {}
    for entry in entries:
        own = document_of(entry, language)
        documents = [own] if own is not None else []
        documents += media_of(entry, language) if media and entry.enclosures else []
        if documents:
            found.setdefault(documents[0].url, documents)
    return [document for documents in found.values() for document in documents]
