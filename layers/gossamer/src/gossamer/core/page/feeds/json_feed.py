"""Reader of JSON Feed (jsonfeed.org), versions 1 and 1.1."""

from __future__ import annotations

import html
from typing import Any

import msgspec

from gossamer.core.page.feeds.entry import MAX_CONTENT, MAX_ENTRIES, Entry

_VERSION = "https://jsonfeed.org/version/"


def looks_like_json(body: bytes) -> bool:
    """Whether a body may be a JSON Feed."""
    return body[:1] == b"{"


def read_json(body: bytes, url: str) -> tuple[list[Entry], str]:
    """The entries of a feed, and its language; nothing of what is none."""
    try:
        feed = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return [], ""
    if not isinstance(feed, dict) or not _text(feed, "version").startswith(_VERSION):
        return [], ""
    items = feed.get("items")
    given = items[:MAX_ENTRIES] if isinstance(items, list) else []
    entries = [_entry(item, url) for item in given if isinstance(item, dict)]
    return entries, _text(feed, "language")


def _entry(item: dict[str, Any], url: str) -> Entry:
    attachments = item.get("attachments")
    files = attachments if isinstance(attachments, list) else []
    return Entry(
        base=url,
        link=_text(item, "url") or _text(item, "external_url") or _address(_text(item, "id")),
        title=html.escape(_text(item, "title")),
        content=_text(item, "content_html") or html.escape(_text(item, "content_text")),
        summary=html.escape(_text(item, "summary")),
        date=_text(item, "date_published"),
        modified=_text(item, "date_modified"),
        author=_author(item),
        enclosures=[
            (_text(file, "url"), _text(file, "mime_type"))
            for file in files[:10]
            if isinstance(file, dict) and _text(file, "url")
        ],
    )


def _author(item: dict[str, Any]) -> str:
    authors = item.get("authors")
    first = authors[0] if isinstance(authors, list) and authors else item.get("author")
    return _text(first, "name") if isinstance(first, dict) else ""


def _address(text: str) -> str:
    return text if text.startswith(("http://", "https://")) else ""


def _text(item: dict[str, Any], name: str) -> str:
    value = item.get(name)
    return value[:MAX_CONTENT] if isinstance(value, str) else ""
