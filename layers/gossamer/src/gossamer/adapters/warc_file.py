"""Compose a WARC file request by request; a payload that it has is referred to, not repeated.

A response with the content of an earlier one becomes a revisit record (WARC 1.1): a 304, a page
that is as it was at its last visit, and a copy of what the same file has under another URL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.warc import (
    Original,
    date_of,
    file_member,
    new_id,
    payload_digest,
    request_members,
)
from gossamer.core.crawl.url_record import PageRef

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.ports.fetcher import HttpResponse
    from gossamer.ports.pages import Earlier, RequestFacts

    LookUp = Callable[[PageRef], Original | None]

WORTHWHILE = 1_000  # bytes; a shorter payload takes no more room than what refers to it
MOST_KNOWN = 20_000  # payloads of a file: 10 MB


class WarcFile:
    """One file: what is in it so far, and what is appended next."""

    def __init__(self, name: str, agent: str, label: str = "") -> None:
        self.name = name
        self.head = file_member(label or name, agent)
        self.size = len(self.head)
        self._known: dict[str, Original] = {}

    def add(
        self,
        response: HttpResponse,
        facts: RequestFacts,
        original: Original | None = None,
    ) -> tuple[PageRef, bytes]:
        """The records of a request, and where its response will lie."""
        digest = payload_digest(response.raw) if _may_repeat(response, facts) else ""
        if response.code != 304:
            original = self._original(digest, original)
        record_id = new_id()
        first, second = request_members(response, facts, original, record_id, digest)
        ref = PageRef(self.name, self.size, len(first))
        if digest and original is None and len(self._known) < MOST_KNOWN:
            date = date_of(response.started_at)
            self._known[digest] = Original(response.url, date, record_id, digest, ref)
        self.size += len(first) + len(second)
        return ref, first + second

    def undo(self, ref: PageRef) -> None:
        """What was added last could not be written."""
        self.size = ref.offset
        self._known.clear()

    def _original(self, digest: str, earlier: Original | None) -> Original | None:
        if earlier is not None and earlier.place and digest and digest == earlier.digest:
            return earlier
        return self._known.get(digest)


def _may_repeat(response: HttpResponse, facts: RequestFacts) -> bool:
    """Whether a response is a whole page that is worth a reference."""
    is_whole = not response.fault and not response.is_cut and 200 <= response.code < 300
    return is_whole and facts.purpose == "page" and len(response.raw) >= WORTHWHILE


def original_of(
    response: HttpResponse, earlier: Earlier | None, look_up: LookUp
) -> Original | None:
    """The response that this one may be a revisit of, as its record tells.

    Of a 304 the URL and the time are enough, so nothing is lost if the record cannot be read.
    """
    if earlier is None:
        return None
    found = look_up(earlier.page)
    if found is None and response.code == 304:
        return Original(earlier.url, date_of(earlier.fetched_at))
    return found
