"""Who turns a stored page into a document?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.page.document import ParsedPage
    from gossamer.messages import PageFetched


class Unparsed(msgspec.Struct, frozen=True):
    """A page that could not be parsed, and why."""

    reason: str


class Parser(Protocol):
    """Parsing is CPU work: this port lets it happen in another process.

    Never raises for anything a page contains; a page that kills its process is `Unparsed`.
    """

    async def parse(self, page: PageFetched, config: JobConfig) -> ParsedPage | Unparsed:
        """The document and the links of a page."""
        ...
