"""Redirects that lead in a circle, and the cookies that a chain of redirects takes along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.bolts.links import MAX_REDIRECTS
from gossamer.core.crawl.cookies import handed_on, header_for, with_set
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import url_id

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import UrlRecord
    from gossamer.messages import Candidate
    from gossamer.ports.fetcher import HttpResponse
    from gossamer.ports.urls import UrlStore


def cookies_after(asked: Candidate, response: HttpResponse, target: str) -> str:
    """The cookies that a redirect hands on to its target: those that were sent, and those it set.

    A host that sets none costs nothing: the list of public suffixes is not read.
    """
    ended_at = response.started_at + response.seconds
    jar = with_set(asked.cookies, asked.url, response.headers, ended_at)
    return handed_on(jar, asked.url, target)


def is_asked_anew(asked: Candidate, cookies: str) -> bool:
    """Whether a URL that redirects to itself is asked again: with cookies that were not sent yet.

    Not for ever: a server may set another one each time.
    """
    is_news = header_for(cookies, asked.url) != header_for(asked.cookies, asked.url)
    return is_news and asked.tries < MAX_REDIRECTS


def may_lead_back(asked: Candidate, cookies: str, target: str) -> bool:
    """Whether a redirect may lead back to a URL of its chain: with cookies it may be a page."""
    return bool(header_for(cookies, target)) and asked.hops < MAX_REDIRECTS


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
