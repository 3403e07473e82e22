"""Parsing of stored pages, perhaps in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec

if TYPE_CHECKING:
    from gossamer.core.crawl.job import JobConfig
    from gossamer.core.page.document import ParsedPage
    from gossamer.core.page.templates.collected import Templates
    from gossamer.messages import PageFetched


GAVE_UP: Final = "parser-gave-up"  # the page ended its process, or would not end


class Unparsed(msgspec.Struct, frozen=True):
    """A page that could not be parsed, and why."""

    reason: str


class Parser(Protocol):
    """Parsing is CPU work: this port lets it happen in another process.

    Never raises for anything a page contains; a page that kills its process is `Unparsed`.
    """

    async def parse(
        self, page: PageFetched, config: JobConfig, templates: Templates = ()
    ) -> ParsedPage | Unparsed:
        """The documents and the links of a page, by a template if it is one's."""


class ParserPool(Parser, Protocol):
    """Parser processes of one run."""

    @property
    def size(self) -> int:
        """How many processes there are."""

    def close(self) -> None:
        """End the processes when they have nothing to do."""

    def kill(self) -> None:
        """End the processes at once."""
