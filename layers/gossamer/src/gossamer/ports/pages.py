"""Storage of fetched pages: every request and its response, in WARC files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

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
    after: float = 0.0  # of a recrawl: the slot of the last visit
    cookies: str = ""  # of the redirects that led to it, and how many they are
    hops: int = 0
    era: int = 0  # of the host: how often its slots became void before


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """A page read back."""

    url: str
    code: int
    headers: tuple[tuple[str, str], ...]
    body: bytes  # decoded


class KeptResponse(NamedTuple):
    """A successful response in the archive, not read yet."""

    ref: PageRef
    fetched_at: float
    digest: str  # of its content, as it was sent
    url: str = ""


class Earlier(NamedTuple):
    """The visit before, whose page a response has once more."""

    page: PageRef
    url: str
    fetched_at: float


class PageStore(Protocol):
    """Every request that was made, in WARC files. What was appended never changes.

    Promise: when `append` returns, a crash of this process no longer loses the page.
    """

    async def append(
        self, response: HttpResponse, facts: RequestFacts, earlier: Earlier | None = None
    ) -> PageRef:
        """Keep a request and its response; the reference is to the response record.

        What an `earlier` visit brought need not be kept again, nor a payload that is kept already:
        `read` finds it either way.
        """

    def read(self, ref: PageRef) -> StoredPage:
        """The page at a reference; raises CorruptRecord if it cannot be read."""


class PageArchive(PageStore, Protocol):
    """A page store for the programs around the bolts."""

    def task(self) -> AbstractContextManager[None]:
        """Around a message that may append a page: a store may gather what goes on at once."""

    def exchange(self, ref: PageRef) -> list[bytes]:
        """The records of the request that a reference is to, as WARC, packed one by one.

        The first is the response, which refers to no other record; its metadata and its request
        follow, as far as there are any. Raises CorruptRecord if it cannot be read.
        """

    def download(self, folder: Path) -> Iterator[Path]:
        """Every WARC file, one after another; those that are elsewhere are copied to `folder`."""

    def responses_to(self, url: str, is_late: Callable[[], bool]) -> Iterator[KeptResponse]:
        """The successful responses to a URL, those of newer files first, until it is late.

        An archive that cannot be searched while a person waits yields none.
        """

    def responses_among(self, is_wanted: Callable[[str], bool]) -> Iterator[KeptResponse]:
        """The successful responses to the URLs that are wanted, those of newer files first.

        It reads all files, as long as it is asked for more.
        """

    def archived(self) -> Iterator[tuple[str, int]]:
        """The name of every WARC file and its size, in an order that stays the same."""

    def file_pieces(self, name: str) -> Iterator[bytes]:
        """The bytes of a WARC file, piece by piece."""

    def name_here(self, name: str) -> str:
        """What a WARC file of another home is called here; also of one that came from here."""

    def join_small(self, now: float, goes_on: Callable[[], bool]) -> int:
        """Store small WARC files together, as long as it may go on; returns how many were joined.

        One process at a time. Names and references stay as they were, here and in listings.
        """

    def adopt(self, name: str, size: int, pieces: Iterable[bytes]) -> None:
        """Keep a WARC file of another home, unless it is here already with this size."""
