"""Decides when a page leaves the index: it is gone, moved, a copy, or closed to search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.core.crawl.url_state import EMPTY_REASONS, State
from gossamer.core.revisit.change_rate import remembered

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import UrlRecord

# A page that fails for the moment, or that other rules leave out, is still what it was.
NEVER_DOCUMENTS = frozenset({State.GONE, State.REDIRECTED, State.DUPLICATE})
CLOSED_TO_SEARCH = frozenset({"noindex", "unavailable-after"})


def is_no_document(state: State, reason: str, history: bytes) -> bool:
    """Whether a page that was a document is none any more. One absence may be a mistake."""
    if state is State.GONE:
        return not history or remembered(history).is_vanished
    return state in NEVER_DOCUMENTS or reason in CLOSED_TO_SEARCH


def leaves_index(record: UrlRecord) -> bool:
    """Whether INDEX must be told of the last visit: it may have been a document until then."""
    if record.purpose != "page" or not record.history:
        return False
    history = remembered(record.history)
    if record.state is State.GONE:  # with a target it was a copy, or had moved, before
        return history.has_just_vanished and not record.target
    if record.state is State.REDIRECTED:
        return history.redirects == 1
    # A copy, closed to search, or without documents: the first visit cannot have found any before.
    is_none = is_no_document(record.state, record.reason, record.history)
    return history.visits > 0 and (is_none or record.reason in EMPTY_REASONS)
