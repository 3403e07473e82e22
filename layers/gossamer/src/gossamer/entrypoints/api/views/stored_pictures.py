"""The picture of a result, as it was fetched: shown from the archive, or not at all.

Only the home on one machine has it: the gateway of a stack passes text.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.crawl.url_state import PICTURE, State
from gossamer.core.errors import CorruptRecord
from gossamer.core.page.directives import header_directives
from gossamer.core.page.files.signatures import picture_type
from gossamer.core.page.shown_pictures import shown_picture
from gossamer.core.urls import url_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.core.page.values import Value
    from gossamer.core.search.result import SearchResponse
    from gossamer.ports.home import Home

log = logging.getLogger(__name__)

MAX_BYTES = 2_000_000  # of one that is shown; it is sent as it is
MAX_REDIRECTS = 5
_ENDS = frozenset({PICTURE, "not-modified", "same-bytes", "same-content"})  # of what was kept


class Picture(NamedTuple):
    """A picture, and what it is by its first bytes, whatever its server said."""

    body: bytes
    type: str


def mark_pictures(found: SearchResponse, home: Home) -> None:
    """Note which results have a picture that can be shown."""
    for hit in found.hits:
        hit.picture = bool(hit.values) and _kept(hit.values, home) is not None


def stored_picture(values: Mapping[str, Value], home: Home) -> Picture | None:
    """The picture that the values of a document name."""
    record = _kept(values, home)
    if record is None or record.page is None:
        return None
    try:
        kept = home.pages.read(record.page)
    except CorruptRecord as error:
        log.warning("no picture at %s: %s", record.page, error)
        return None
    tags = [value for name, value in kept.headers if name.lower() == "x-robots-tag"]
    said, kind = header_directives(tags), picture_type(kept.body)
    is_shown = not (said.noindex or said.noarchive) and len(kept.body) <= MAX_BYTES
    return Picture(kept.body, kind) if kind and is_shown else None


def _kept(values: Mapping[str, Value], home: Home) -> UrlRecord | None:
    """The URL of a picture that was fetched, behind its redirects."""
    url = shown_picture(values)
    for _ in range(MAX_REDIRECTS + 1):
        record = home.urls.get(url_id(url)) if url else None
        if record is None or record.page is None:
            return None
        if record.state is not State.REDIRECTED:
            return record if record.reason in _ENDS and record.size <= MAX_BYTES else None
        url = record.target
    return None
