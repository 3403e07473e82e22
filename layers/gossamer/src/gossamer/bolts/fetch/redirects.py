"""Redirects that lead in a circle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.bolts.links import MAX_REDIRECTS
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import url_id

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.messages import Candidate
    from gossamer.ports.urls import UrlStore


def leads_back(asked: Candidate, before: UrlRecord | None, target: str, urls: UrlStore) -> bool:
    """Whether the target redirects back to the URL that was asked for, in several steps at most.

    Redirects that are older than the last visit are not believed: a site may have turned them.
    """
    last_visit = _last_visit(asked, before)
    for _ in range(MAX_REDIRECTS):
        record = urls.get(url_id(target))
        if record is None or record.state is not State.REDIRECTED:
            return False
        if last_visit and record.fetched_at <= last_visit:
            return False
        target = record.target
        if target == asked.url:
            return True
    return False


def _last_visit(asked: Candidate, before: UrlRecord | None) -> float:
    """When the URL was visited by an earlier round or recrawl; 0 if this is the first visit."""
    if asked.after or before is None or asked.tries:
        return asked.after
    return before.fetched_at
