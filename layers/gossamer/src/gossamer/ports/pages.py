"""Where are pages kept?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import PageRef
    from gossamer.ports.fetcher import HttpResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFacts:
    """Why and under which rules a request was made: all that an audit needs."""

    job: str
    host: str
    purpose: str
    slot: float
    delay: float
    grace: float
    depth: int
    tries: int
    agent: str
    max_delay: float = 0.0  # the job's cap on a Crawl-delay
    robots_for: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """A page read back."""

    url: str
    code: int
    headers: tuple[tuple[str, str], ...]
    body: bytes  # decoded


class PageStore(Protocol):
    """Every request that was made, in WARC files. What was appended never changes.

    Promise: when `append` returns, a crash of this process no longer loses the page.
    """

    async def append(self, response: HttpResponse, facts: RequestFacts) -> PageRef:
        """Keep a request and its response; the reference is to the response record."""
        ...

    def read(self, ref: PageRef) -> StoredPage:
        """The page at a reference; raises CorruptRecord if it cannot be read."""
        ...
