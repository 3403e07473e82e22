"""The recordings, films and pictures of an entry as documents, of what the entry says."""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gossamer.core.page.feeds.entry import MAX_ENCLOSURES, iso, plain
from gossamer.core.page.media import AUDIO, IMAGE, MAX_TEXT, VIDEO, Medium, medium_document
from gossamer.core.page.values import MAX_TEXT as LONGEST_URL
from gossamer.core.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.page.document import Document
    from gossamer.core.page.feeds.entry import Entry

KINDS = frozenset({AUDIO, IMAGE, VIDEO})


def media_of(entry: Entry, language: str = "") -> list[Document]:
    """The media that an entry with words encloses, under the entry's link."""
    title = plain(entry.title)[:MAX_TEXT]
    caption = plain(entry.summary or entry.content)[:MAX_TEXT]
    if not (title or caption):
        return []
    page = normalise(entry.link, entry.base) if entry.link else None
    language = language.partition("-")[0].lower()
    date = iso(entry.date) or iso(entry.modified)
    return [
        medium_document(Medium(kind, url, title, caption, date=date), page or url, "", language)
        for url, kind in _enclosed(entry)
    ]


def _enclosed(entry: Entry) -> Iterator[tuple[str, str]]:
    for given, media_type in entry.enclosures[:MAX_ENCLOSURES]:
        url = normalise(given, entry.base)
        if url is not None and len(url) < LONGEST_URL and (kind := _kind(url, media_type)):
            yield url, kind


def _kind(url: str, media_type: str) -> str:
    """Audio, image or video, by what the feed says of it, or else by its name."""
    said = media_type.partition("/")[0].strip().lower()
    if said in KINDS:
        return said
    guessed = mimetypes.guess_type(urlsplit(url).path)[0] or ""
    named = guessed.partition("/")[0]
    return named if named in KINDS else ""
